import { DowserError } from '../../model/errors/errors.ts';
import { Redactor } from '../secrets/redactor.ts';
import { fillIn, publicUrl, secretValue } from '../secrets/secret-references.ts';
import type { Source, SourceContext, SourceItem, SourceTraits } from '../source.ts';
import { parseAddress } from './bounded-fetch.ts';

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

/** A spec with references filled in from the environment and the keychain, and a redactor of its secrets. */
export async function fillSpec(
  { url, headers = {} }: RemoteSpec,
  { env, keychain }: Pick<SourceContext, 'env' | 'keychain'>,
) {
  const shown = publicUrl(url);
  const used = [...shown.secrets];
  const fill = (text: string) =>
    fillIn(text, { env, keychain, subject: `The source ${shown.text}`, onValue: (secret) => used.push(secret) });
  const filled: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    used.push(...secretValue(name, value).secrets);
    filled[name] = await fill(value);
  }
  return { url: await fill(url), headers: filled, redactor: new Redactor(used) };
}

/** A source at an address. Stored and shown text has references in place of secrets. Errors contain no secret. */
export function remoteSource(
  spec: RemoteSpec,
  context: SourceContext,
  traits: SourceTraits,
  read: (reading: RemoteReading) => AsyncGenerator<SourceItem>,
): Source {
  const title = publicUrl(spec.url).text;
  const headers = Object.entries(spec.headers ?? {}).map(([name, value]) => [name, secretValue(name, value).text]);
  return {
    ...traits,
    locator: { url: title, ...(headers.length === 0 ? {} : { headers: Object.fromEntries(headers) }) },
    title,
    async *read(signal): AsyncGenerator<SourceItem> {
      const { redactor, ...filled } = await fillSpec(spec, context);
      try {
        parseAddress(filled.url);
        for await (const item of read({ ...filled, signal, title })) {
          yield 'problem' in item ? { ...item, problem: redactor.error(item.problem) } : redactor.json(item);
        }
      } catch (thrown) {
        throw thrown instanceof DowserError ? redactor.error(thrown) : thrown;
      }
    },
  };
}
