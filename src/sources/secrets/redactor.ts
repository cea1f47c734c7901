import { DowserError } from '../../model/errors/errors.ts';
import { SecretSearch } from './secret-search.ts';

export const REDACTED = '[redacted]';

/** A value that is neither stored nor shown. */
export interface Secret {
  readonly value: string;
  /** Named like a secret, such as `--password`. So it is one, even if it is a common word. */
  readonly isNamed: boolean;
}

/** Shorter values occur in ordinary text. */
const SHORTEST_SECRET = 4;
/** Long or mixed values cannot occur in ordinary text by chance; `production` can. */
const isUnlikely = (secret: string): boolean =>
  secret.length >= 8 && ((/\d/.test(secret) && /\p{L}/u.test(secret)) || /^\S{20,}$/.test(secret));

/** Removes secrets, as they are and encoded, from error messages, program output and server descriptions. */
export class Redactor {
  /** For messages. */
  readonly #all: SecretSearch;
  /** For stored text: only values that cannot occur by chance, and whole words that are secrets. */
  readonly #stored: SecretSearch;

  constructor(secrets: Iterable<Secret>) {
    const long = [...secrets].filter(({ value }) => value.length >= SHORTEST_SECRET);
    const all = valuesOf(long);
    const named = valuesOf(long.filter(({ isNamed }) => isNamed));
    this.#all = new SecretSearch({ anywhere: all, encoded: all });
    this.#stored = new SecretSearch({ anywhere: all.filter(isUnlikely), words: named, encoded: all });
  }

  text(text: string): string {
    return this.#all.isEmpty ? text : this.#all.replace(text, REDACTED);
  }

  /** For stored text, names of fields included. */
  json<T>(value: T): T {
    return this.#stored.isEmpty ? value : (clean(value, this.#stored) as T);
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

const valuesOf = (secrets: readonly Secret[]): readonly string[] => [...new Set(secrets.map(({ value }) => value))];

function clean(value: unknown, secrets: SecretSearch): unknown {
  if (typeof value === 'string') return secrets.replace(value, REDACTED);
  if (Array.isArray(value)) return value.map((item) => clean(item, secrets));
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [secrets.replace(key, REDACTED), clean(item, secrets)]),
  );
}
