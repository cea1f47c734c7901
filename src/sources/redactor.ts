import { DowserError } from '../model/errors.ts';
import { SecretSearch } from './secret-search.ts';

export const REDACTED = '[redacted]';

/** Shorter values occur in ordinary text. */
const SHORTEST_SECRET = 4;
/** Long or mixed values cannot occur in ordinary text by chance; `production` can. */
const isUnlikely = (secret: string): boolean =>
  secret.length >= 8 && ((/\d/.test(secret) && /\p{L}/u.test(secret)) || /^\S{20,}$/.test(secret));

/** Removes secrets, as they are and encoded, from error messages, program output and server descriptions. */
export class Redactor {
  /** For messages. */
  readonly #all: SecretSearch;
  /** For stored text: only values that cannot occur by chance. */
  readonly #unlikely: SecretSearch;

  constructor(secrets: Iterable<string>) {
    const long = [...new Set(secrets)].filter((secret) => secret.length >= SHORTEST_SECRET);
    this.#all = new SecretSearch(long, long);
    this.#unlikely = new SecretSearch(long.filter(isUnlikely), long);
  }

  text(text: string): string {
    return this.#all.isEmpty ? text : this.#all.replace(text, REDACTED);
  }

  /** For stored text, names of fields included. */
  json<T>(value: T): T {
    return this.#unlikely.isEmpty ? value : (clean(value, this.#unlikely) as T);
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

function clean(value: unknown, secrets: SecretSearch): unknown {
  if (typeof value === 'string') return secrets.replace(value, REDACTED);
  if (Array.isArray(value)) return value.map((item) => clean(item, secrets));
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [secrets.replace(key, REDACTED), clean(item, secrets)]),
  );
}
