import { chmodSync, closeSync, existsSync, mkdirSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync, type DatabaseSyncInstance } from '@photostructure/sqlite';
import type { Scope } from '../model/caller/caller.ts';
import type { HashedKey, StoredKey } from '../model/caller/stored-key.ts';
import { DowserError } from '../model/errors/errors.ts';
import { showValue } from '../model/parse/parse.ts';
import { hashOfKey, isKey } from './api-key.ts';
import {
  type CreatedKey,
  isSameHash,
  type KeyStore,
  keyToRevoke,
  makeKey,
  type NewKey,
  withoutHash,
} from './key-store.ts';

export const KEYS_FILE = 'keys.sqlite';
/** The index has a part of the hash only: the rest is compared in constant time. */
const LOOKUP_CHARS = 16;
const BUSY_TIMEOUT_MS = 2000;
const SCHEMA = `
  CREATE TABLE IF NOT EXISTS keys (
    id TEXT PRIMARY KEY, name TEXT NOT NULL, lookup TEXT NOT NULL, hash TEXT NOT NULL, groups TEXT NOT NULL,
    scopes TEXT NOT NULL, created_at TEXT NOT NULL, expires_at TEXT, revoked_at TEXT
  );
  CREATE INDEX IF NOT EXISTS keys_by_lookup ON keys (lookup);
  CREATE UNIQUE INDEX IF NOT EXISTS keys_by_name ON keys (name) WHERE revoked_at IS NULL;
  PRAGMA user_version = 1;
`;

interface KeyRow extends Omit<HashedKey, 'groups' | 'scopes' | 'servers'> {
  readonly servers: string | null;
  readonly groups: string;
  readonly scopes: string;
}

/**
 * The API keys of a data folder, in a file of their own. Any number of processes may have it open, and each sees at once what
 * another changes: nothing is cached.
 */
export class FileKeys implements KeyStore {
  readonly #dir: string;
  #database: DatabaseSyncInstance | null = null;

  constructor(dataDir: string) {
    this.#dir = dataDir;
  }

  create(asked: NewKey, now: Date): CreatedKey {
    const { key, hashed } = makeKey(asked, this.list(), now);
    this.#insert(hashed);
    return { key, stored: withoutHash(hashed) };
  }

  list(): readonly StoredKey[] {
    return this.all().map(withoutHash);
  }

  all(): readonly HashedKey[] {
    const rows = this.#readable()?.prepare('SELECT * FROM keys ORDER BY created_at DESC, id').all() ?? [];
    return (rows as unknown as readonly KeyRow[]).map(toHashedKey);
  }

  find(key: string): StoredKey | undefined {
    if (!isKey(key)) return undefined;
    const database = this.#readable();
    if (database === null) return undefined;
    const hash = hashOfKey(key);
    const rows = database.prepare('SELECT * FROM keys WHERE lookup = ?').all(hash.slice(0, LOOKUP_CHARS));
    const row = (rows as unknown as readonly KeyRow[]).find((one) => isSameHash(one.hash, hash));
    return row === undefined ? undefined : withoutHash(toHashedKey(row));
  }

  revoke(nameOrId: string, now: Date): StoredKey {
    const found = keyToRevoke(this.list(), nameOrId);
    const revoked_at = now.toISOString();
    this.#writable().prepare('UPDATE keys SET revoked_at = ? WHERE id = ?').run(revoked_at, found.id);
    return { ...found, revoked_at };
  }

  take(keys: readonly HashedKey[]): void {
    const known = new Map(this.all().map((key) => [key.hash, key]));
    const names = this.all().filter(({ revoked_at }) => revoked_at === null);
    const added = keys.filter(({ hash }) => !known.has(hash));
    const active = [...names, ...added.filter(({ revoked_at }) => revoked_at === null)].map(({ name }) => name);
    const twice = active.find((name, at) => active.indexOf(name) !== at);
    if (twice !== undefined) {
      throw new DowserError('ALREADY_EXISTS', `Two keys are called ${showValue(twice)}: a data folder takes one.`, {
        field: 'name',
        hint: 'Revoke one of them by its id, then try again.',
      });
    }
    for (const key of added) this.#insert(key);
    const revoke = 'UPDATE keys SET revoked_at = ? WHERE hash = ? AND revoked_at IS NULL';
    for (const { hash, revoked_at } of keys) {
      if (revoked_at !== null) this.#writable().prepare(revoke).run(revoked_at, hash);
    }
  }

  close(): void {
    this.#database?.close();
    this.#database = null;
  }

  /** Writes them into a new file, also while another process changes them. Nothing without keys. */
  copyTo(file: string): void {
    this.#readable()?.prepare('VACUUM INTO ?').run(file);
    if (existsSync(file)) chmodSync(file, 0o600);
  }

  #insert({ hash, id, name, groups, scopes, servers, created_at, expires_at, revoked_at }: HashedKey): void {
    const cells = [id, name, hash.slice(0, LOOKUP_CHARS), hash, JSON.stringify(groups), JSON.stringify(scopes)];
    const last = servers === null ? null : JSON.stringify(servers);
    this.#writable()
      .prepare('INSERT INTO keys VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)')
      .run(...cells, created_at, expires_at, revoked_at, last);
  }

  /** Null while there is no file: a folder without keys gets none by being read. */
  #readable(): DatabaseSyncInstance | null {
    return this.#database ?? (existsSync(join(this.#dir, KEYS_FILE)) ? this.#writable() : null);
  }

  #writable(): DatabaseSyncInstance {
    if (this.#database !== null) return this.#database;
    const file = join(this.#dir, KEYS_FILE);
    try {
      mkdirSync(this.#dir, { recursive: true, mode: 0o700 });
      // SQLite would create it with the mode of the umask.
      closeSync(openSync(file, 'a', 0o600));
      chmodSync(file, 0o600);
      const database = new DatabaseSync(file, { timeout: BUSY_TIMEOUT_MS });
      database.exec(SCHEMA);
      addServers(database);
      this.#database = database;
      return database;
    } catch (cause) {
      throw new DowserError('INVALID_FILE', `Cannot open the keys in ${file}.`, {
        hint: 'Check that the file belongs to you and that the disk is not full.',
        cause,
      });
    }
  }
}

/** Files of the first version have no column for servers. */
function addServers(database: DatabaseSyncInstance): void {
  const columns = database.prepare('PRAGMA table_info(keys)').all() as unknown as readonly { readonly name: string }[];
  if (!columns.some(({ name }) => name === 'servers')) database.exec('ALTER TABLE keys ADD COLUMN servers TEXT');
}

function toHashedKey(row: KeyRow): HashedKey {
  const { hash, id, name, groups, scopes, servers, created_at, expires_at, revoked_at } = row;
  return {
    hash,
    id,
    name,
    groups: JSON.parse(groups) as readonly string[],
    scopes: JSON.parse(scopes) as readonly Scope[],
    servers: servers === null ? null : (JSON.parse(servers) as readonly string[]),
    created_at,
    expires_at,
    revoked_at,
  };
}
