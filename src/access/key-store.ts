import { randomBytes, timingSafeEqual } from 'node:crypto';
import { chmodSync, closeSync, existsSync, mkdirSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync, type DatabaseSyncInstance } from '@photostructure/sqlite';
import type { Scope } from '../model/caller.ts';
import { DowserError } from '../model/errors.ts';
import { showValue } from '../model/parse.ts';
import { hashOfKey, isKey, newKey } from './api-key.ts';

/** What is known of a key. The key itself is not stored. */
export interface StoredKey {
  /** To name it in a command. */
  readonly id: string;
  readonly name: string;
  readonly groups: readonly string[];
  readonly scopes: readonly Scope[];
  /** The paths of the only servers whose tools it may call. Null: every server. */
  readonly servers: readonly string[] | null;
  /** ISO 8601, as all times here. */
  readonly created_at: string;
  readonly expires_at: string | null;
  readonly revoked_at: string | null;
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

export const KEYS_FILE = 'keys.sqlite';
const ID_BYTES = 4;
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

interface KeyRow extends Omit<StoredKey, 'groups' | 'scopes' | 'servers'> {
  readonly hash: string;
  readonly servers: string | null;
  readonly groups: string;
  readonly scopes: string;
}

/**
 * The API keys of a data folder, in a file of their own. Any number of processes may have it open, and each sees at once what
 * another changes: nothing is cached.
 */
export class KeyStore {
  readonly #dir: string;
  #database: DatabaseSyncInstance | null = null;

  constructor(dataDir: string) {
    this.#dir = dataDir;
  }

  /** Returns the key, which cannot be shown again. Throws ALREADY_EXISTS if a key that is not revoked has the name. */
  create(
    { name, groups, scopes, servers = null, expiresAt }: NewKey,
    now: Date,
  ): { readonly key: string; readonly stored: StoredKey } {
    const database = this.#writable();
    if (this.list().some((key) => key.name === name && key.revoked_at === null)) {
      throw new DowserError('ALREADY_EXISTS', `There is already a key ${showValue(name)}.`, {
        field: 'name',
        hint: 'Choose another name, or revoke that key first.',
      });
    }
    const key = newKey();
    const hash = hashOfKey(key);
    const id = randomBytes(ID_BYTES).toString('hex');
    database
      .prepare('INSERT INTO keys VALUES (?, ?, ?, ?, ?, ?, ?, ?, NULL, ?)')
      .run(
        id,
        name,
        hash.slice(0, LOOKUP_CHARS),
        hash,
        JSON.stringify(groups),
        JSON.stringify(scopes),
        now.toISOString(),
        expiresAt,
        servers === null ? null : JSON.stringify(servers),
      );
    return { key, stored: this.list().find((stored) => stored.id === id)! };
  }

  /** Newest first, revoked ones too. */
  list(): readonly StoredKey[] {
    const rows = this.#readable()?.prepare('SELECT * FROM keys ORDER BY created_at DESC, id').all() ?? [];
    return (rows as unknown as readonly KeyRow[]).map(toStoredKey);
  }

  /** The key, revoked and expired ones too. Undefined if it is none of this folder. */
  find(key: string): StoredKey | undefined {
    if (!isKey(key)) return undefined;
    const database = this.#readable();
    if (database === null) return undefined;
    const hash = hashOfKey(key);
    const rows = database.prepare('SELECT * FROM keys WHERE lookup = ?').all(hash.slice(0, LOOKUP_CHARS));
    const row = (rows as unknown as readonly KeyRow[]).find((one) => isSameHash(one.hash, hash));
    return row === undefined ? undefined : toStoredKey(row);
  }

  /** By name or id. Throws NOT_FOUND, also for one that is revoked already. */
  revoke(nameOrId: string, now: Date): StoredKey {
    const found = this.list().find((key) => key.revoked_at === null && [key.id, key.name].includes(nameOrId));
    if (found === undefined) {
      throw new DowserError('NOT_FOUND', `There is no key ${showValue(nameOrId)} to revoke.`, {
        hint: 'List the keys with `dowser key list`.',
      });
    }
    const revoked_at = now.toISOString();
    this.#writable().prepare('UPDATE keys SET revoked_at = ? WHERE id = ?').run(revoked_at, found.id);
    return { ...found, revoked_at };
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

const isSameHash = (stored: string, given: string): boolean => {
  const [a, b] = [Buffer.from(stored), Buffer.from(given)];
  return a.length === b.length && timingSafeEqual(a, b);
};

function toStoredKey({ id, name, groups, scopes, servers, created_at, expires_at, revoked_at }: KeyRow): StoredKey {
  return {
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
