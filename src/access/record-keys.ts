import type { HashedKey, StoredKey } from '../model/caller/stored-key.ts';
import { DowserError } from '../model/errors/errors.ts';
import { hashOfKey, isKey } from './api-key.ts';
import {
  type CreatedKey,
  isSameHash,
  type KeyReader,
  type KeyStore,
  keyToRevoke,
  makeKey,
  type NewKey,
  newestFirst,
  withoutHash,
} from './key-store.ts';

/** A record that several nodes share, as far as its keys go. */
export interface KeyRecord {
  keys(): Promise<readonly HashedKey[]>;
  /** Reads the keys, and puts those that `change` returns. Nobody else writes in between. */
  change(change: (known: readonly HashedKey[]) => readonly HashedKey[]): Promise<void>;
  close(): Promise<void>;
}

/** The keys in the record itself, for commands: what they change is in force on every node as soon as it has heard of it. */
export class RecordKeys implements KeyStore {
  readonly #record: KeyRecord;

  constructor(record: KeyRecord) {
    this.#record = record;
  }

  async create(asked: NewKey, now: Date): Promise<CreatedKey> {
    let made: ReturnType<typeof makeKey> | undefined;
    await this.#record.change((known) => {
      made = makeKey(asked, known, now);
      return [made.hashed];
    });
    return { key: made!.key, stored: withoutHash(made!.hashed) };
  }

  async list(): Promise<readonly StoredKey[]> {
    return (await this.all()).map(withoutHash);
  }

  async all(): Promise<readonly HashedKey[]> {
    return [...(await this.#record.keys())].sort(newestFirst);
  }

  async find(key: string): Promise<StoredKey | undefined> {
    return isKey(key) ? new KeyIndex(await this.#record.keys()).find(key) : undefined;
  }

  async revoke(nameOrId: string, now: Date): Promise<StoredKey> {
    let revoked: HashedKey | undefined;
    await this.#record.change((known) => {
      revoked = { ...keyToRevoke(known, nameOrId), revoked_at: now.toISOString() };
      return [revoked];
    });
    return withoutHash(revoked!);
  }

  take(keys: readonly HashedKey[]): Promise<void> {
    return this.#record.change(() => keys);
  }

  close(): Promise<void> {
    return this.#record.close();
  }
}

/** The keys as a node follows them. Null while it has never read them. */
export type FollowedKeys = () => readonly HashedKey[] | null;

/** Finds keys among those that a node follows, without asking anybody. */
export function followedKeys(follow: FollowedKeys): KeyReader {
  let keys: readonly HashedKey[] | null = null;
  let index = new KeyIndex([]);
  return {
    find(key) {
      const now = follow();
      if (now === null) {
        throw new DowserError('AUTH_UNAVAILABLE', 'This node has not read the API keys of the shared record yet.', {
          hint: 'Try again in a moment, or ask another node.',
        });
      }
      if (now !== keys) index = new KeyIndex(now);
      keys = now;
      return isKey(key) ? index.find(key) : undefined;
    },
    close() {},
  };
}

/** Looked up by a part of the hash only: the rest is compared in constant time. */
const LOOKUP_CHARS = 16;

class KeyIndex {
  readonly #byLookup = new Map<string, HashedKey[]>();

  constructor(keys: readonly HashedKey[]) {
    for (const key of keys) {
      const lookup = key.hash.slice(0, LOOKUP_CHARS);
      const known = this.#byLookup.get(lookup);
      if (known === undefined) this.#byLookup.set(lookup, [key]);
      else known.push(key);
    }
  }

  find(key: string): StoredKey | undefined {
    const hash = hashOfKey(key);
    const found = this.#byLookup.get(hash.slice(0, LOOKUP_CHARS))?.find((one) => isSameHash(one.hash, hash));
    return found === undefined ? undefined : withoutHash(found);
  }
}
