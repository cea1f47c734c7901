import { DowserError } from '../model/errors.ts';
import { parseAddress } from './bounded-fetch.ts';
import { fillIn, publicUrl, Redactor, secretValue } from './secret-references.ts';
import type { Source, SourceContext, SourceItem, SourceTraits } from './source.ts';

export interface RemoteSpec {
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** The input of a reader, with all references filled in. */
export interface RemoteReading {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
  /** The address without secrets, to show and store. */
  readonly title: string;
}

/** A source at an address. Stored and shown text has references in place of secrets. Errors contain no secret. */
export function remoteSource(
  { url, headers = {} }: RemoteSpec,
  { env }: SourceContext,
  traits: SourceTraits,
  read: (reading: RemoteReading) => AsyncGenerator<SourceItem>,
): Source {
  const shown = publicUrl(url);
  const shownHeaders = Object.entries(headers).map(([name, value]) => [name, secretValue(name, value)] as const);
  const stored = Object.fromEntries(shownHeaders.map(([name, { text }]) => [name, text]));
  return {
    ...traits,
    locator: { url: shown.text, ...(shownHeaders.length === 0 ? {} : { headers: stored }) },
    title: shown.text,
    async *read(signal): AsyncGenerator<SourceItem> {
      const used = [...shown.secrets, ...shownHeaders.flatMap(([, { secrets }]) => secrets)];
      const fill = (text: string) =>
        fillIn(text, { env, subject: `The source ${shown.text}`, onValue: (value) => used.push(value) });
      const filled = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, fill(value)]));
      const reading = { url: fill(url), headers: filled, signal, title: shown.text };
      const redactor = new Redactor(used);
      try {
        parseAddress(reading.url);
        for await (const item of read(reading)) {
          yield 'problem' in item ? { ...item, problem: redactor.error(item.problem) } : item;
        }
      } catch (thrown) {
        throw thrown instanceof DowserError ? redactor.error(thrown) : thrown;
      }
    },
  };
}
