import { DowserError } from '../model/errors.ts';
import { encodedForms, sameText } from './encoded-secret.ts';

export const REDACTED = '[redacted]';

/** Shorter values occur in ordinary text. */
const SHORTEST_SECRET = 4;
/** Long or mixed values cannot occur in ordinary text by chance; `production` can. */
const isUnlikely = (secret: string): boolean =>
  secret.length >= 8 && ((/\d/.test(secret) && /\p{L}/u.test(secret)) || /^\S{20,}$/.test(secret));

/** Removes secrets, as they are and encoded, from error messages, program output and server descriptions. */
export class Redactor {
  /** For messages. */
  readonly #all: RegExp | undefined;
  /** For stored text: only values that cannot occur by chance. */
  readonly #unlikely: RegExp | undefined;

  constructor(secrets: Iterable<string>) {
    const long = [...new Set(secrets)].filter((secret) => secret.length >= SHORTEST_SECRET);
    const encoded = long.flatMap(encodedForms);
    this.#all = anyOf(long.flatMap(sameText), encoded);
    this.#unlikely = anyOf(long.filter(isUnlikely).flatMap(sameText), encoded);
  }

  text(text: string): string {
    return this.#all === undefined ? text : text.replaceAll(this.#all, REDACTED);
  }

  /** For stored text, names of fields included. */
  json<T>(value: T): T {
    const secrets = this.#unlikely;
    return secrets === undefined ? value : (clean(value, secrets) as T);
  }

  error(error: DowserError): DowserError {
    const message = this.text(error.message);
    const hint = this.text(error.ownHint ?? '');
    if (message === error.message && hint === (error.ownHint ?? '')) return error;
    // Without the cause and the details, which may hold the same secret.
    return new DowserError(error.code, message, {
      ...(error.ownHint === undefined ? {} : { hint }),
      ...(error.field === undefined ? {} : { field: error.field }),
    });
  }
}

function clean(value: unknown, secrets: RegExp): unknown {
  if (typeof value === 'string') return value.replaceAll(secrets, REDACTED);
  if (Array.isArray(value)) return value.map((item) => clean(item, secrets));
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key.replaceAll(secrets, REDACTED), clean(item, secrets)]),
  );
}

/** Longest first: a secret may contain another. */
function anyOf(texts: readonly string[], patterns: readonly string[]): RegExp | undefined {
  const literals = [...new Set(texts)].sort((a, b) => b.length - a.length).map(escaped);
  const all = [...new Set([...patterns, ...literals])];
  return all.length === 0 ? undefined : new RegExp(all.join('|'), 'g');
}

const escaped = (text: string): string => text.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');
