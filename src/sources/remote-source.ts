import { DowserError } from '../model/errors.ts';
import { parseAddress } from './bounded-fetch.ts';
import { fillIn, publicUrl, secretValue, Withholding } from './secret-references.ts';
import type { Source, SourceContext, SourceItem, SourceTraits } from './source.ts';

export interface RemoteSpec {
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** What a reader of an address is given: everything filled in. */
export interface RemoteReading {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
  /** The address as it may be shown and stored. */
  readonly title: string;
}

/** A source behind an address. What is stored and shown has references in place of secrets; errors are cleaned of them. */
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
      const withholding = new Withholding(used);
      try {
        parseAddress(reading.url);
        for await (const item of read(reading)) {
          yield 'problem' in item ? { ...item, problem: withholding.error(item.problem) } : item;
        }
      } catch (thrown) {
        throw thrown instanceof DowserError ? withholding.error(thrown) : thrown;
      }
    },
  };
}
