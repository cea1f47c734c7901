import { randomBytes, timingSafeEqual } from 'node:crypto';
import type { Scope } from '../model/caller/caller.ts';
import type { HashedKey, StoredKey } from '../model/caller/stored-key.ts';
import { DowserError } from '../model/errors/errors.ts';
import { showValue } from '../model/parse/parse.ts';
import { hashOfKey, newKey } from './api-key.ts';

type MaybePromise<T> = T | Promise<T>;

/** The API keys of a registry: those of a data folder, or of the record that several nodes share. */
export interface KeyStore extends KeyReader {
  /** Returns the key, which cannot be shown again. Throws ALREADY_EXISTS if a key that is not revoked has the name. */
  create(asked: NewKey, now: Date): MaybePromise<CreatedKey>;
  /** Newest first, revoked ones too. */
  list(): MaybePromise<readonly StoredKey[]>;
  /** By name or id. Throws NOT_FOUND, also for one that is revoked already. */
  revoke(nameOrId: string, now: Date): MaybePromise<StoredKey>;
  /** All keys, to move them to another store. */
  all(): MaybePromise<readonly HashedKey[]>;
  /** Takes keys of another store. Of a key that both have, a revocation stays. */
  take(keys: readonly HashedKey[]): MaybePromise<void>;
}

/** What identifies callers. */
export interface KeyReader {
  /** The key, revoked and expired ones too. Undefined if it is not known. Throws AUTH_UNAVAILABLE while that is unknown. */
  find(key: string): MaybePromise<StoredKey | undefined>;
  close(): MaybePromise<void>;
}

export interface NewKey {
  readonly name: string;
  readonly groups: readonly string[];
  readonly scopes: readonly Scope[];
  /** Default: every server. */
  readonly servers?: readonly string[] | null;
  /** ISO 8601. Null: never. */
  readonly expiresAt: string | null;
}

export interface CreatedKey {
  readonly key: string;
  readonly stored: StoredKey;
}

const ID_BYTES = 4;

/** A path of a server as a key keeps it: paths begin with a slash, and people leave it out. */
export const serverPath = (given: string): string => (given.startsWith('/') ? given : `/${given}`);

/** Makes a key beside those there are. Throws ALREADY_EXISTS. */
export function makeKey(
  { name, groups, scopes, servers = null, expiresAt }: NewKey,
  others: readonly StoredKey[],
  now: Date,
): { readonly key: string; readonly hashed: HashedKey } {
  if (others.some((other) => other.name === name && other.revoked_at === null)) {
    throw new DowserError('ALREADY_EXISTS', `There is already a key ${showValue(name)}.`, {
      field: 'name',
      hint: 'Choose another name, or revoke that key first.',
    });
  }
  const key = newKey();
  const id = randomBytes(ID_BYTES).toString('hex');
  const created_at = now.toISOString();
  const paths = servers === null ? null : [...new Set(servers.map(serverPath))];
  const dates = { created_at, expires_at: expiresAt, revoked_at: null };
  return { key, hashed: { hash: hashOfKey(key), id, name, groups, scopes, servers: paths, ...dates } };
}

/** The one to revoke. Keys of two nodes may have the same name since they share a record. */
export function keyToRevoke<K extends StoredKey>(keys: readonly K[], nameOrId: string): K {
  const found = keys.filter((key) => key.revoked_at === null && [key.id, key.name].includes(nameOrId));
  if (found.length === 1) return found[0]!;
  if (found.length === 0) {
    throw new DowserError('NOT_FOUND', `There is no key ${showValue(nameOrId)} to revoke.`, {
      hint: 'List the keys with `dowser key list`.',
    });
  }
  throw new DowserError('INVALID_REQUEST', `${found.length} keys are called ${showValue(nameOrId)}.`, {
    field: 'name',
    hint: `Revoke each by its id: ${found.map(({ id }) => id).join(', ')}.`,
  });
}

/** Compares in constant time. */
export const isSameHash = (stored: string, given: string): boolean => {
  const [a, b] = [Buffer.from(stored), Buffer.from(given)];
  return a.length === b.length && timingSafeEqual(a, b);
};

export const withoutHash = ({ hash: _, ...stored }: HashedKey): StoredKey => stored;

export const newestFirst = (a: StoredKey, b: StoredKey): number =>
  a.created_at === b.created_at ? (a.id < b.id ? -1 : 1) : a.created_at < b.created_at ? 1 : -1;
