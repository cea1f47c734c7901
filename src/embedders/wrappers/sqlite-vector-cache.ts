import { chmodSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync, type DatabaseSyncInstance, type StatementSyncInstance } from '@photostructure/sqlite';
import type { VectorCache } from './cache.ts';

export interface SqliteVectorCacheOptions {
  readonly file: string;
  /** About how many vectors to keep; the least recently used are evicted. Default 500,000 (900 MB at 384 dimensions). */
  readonly maxVectors?: number | undefined;
  readonly now?: (() => number) | undefined;
  /** Called when a damaged file is moved aside, and when the cache cannot be used. */
  readonly onWarning?: ((error: unknown) => void) | undefined;
}

const VERSION = 1;
// Five 384-number vectors fill a page of 8 KiB; one of 4 KiB would hold two and waste a quarter.
const SCHEMA = `
  PRAGMA page_size = 8192;
  PRAGMA journal_mode = WAL;
  CREATE TABLE IF NOT EXISTS vectors (
    id INTEGER PRIMARY KEY, embedder TEXT NOT NULL, hash BLOB NOT NULL, used INTEGER NOT NULL, vector BLOB NOT NULL
  );
  CREATE UNIQUE INDEX IF NOT EXISTS vectors_by_text ON vectors (hash, embedder);
  CREATE INDEX IF NOT EXISTS vectors_by_use ON vectors (used);
  PRAGMA user_version = ${VERSION};
`;
/** The time of use is updated once a day, so that most reads write nothing. */
const TOUCH_AFTER_MS = 24 * 60 * 60 * 1000;
/** How long to wait for another writer. Short, because the wait blocks the event loop. */
const BUSY_TIMEOUT_MS = 500;
/** A checkpoint holds up everything else, so it copies fewer pages than the 1000 of SQLite itself. */
const PAGES_PER_CHECKPOINT = 250;
/** How often to count: it is slow in a large file. */
const PUTS_PER_COUNT = 1000;
/** SQLITE_BUSY: two processes create the file at the same moment. */
const BUSY = 5;
/** SQLITE_CORRUPT and SQLITE_NOTADB. */
const DAMAGED = [11, 26];

interface Open {
  readonly database: DatabaseSyncInstance;
  readonly get: StatementSyncInstance;
  readonly touch: StatementSyncInstance;
  readonly put: StatementSyncInstance;
  readonly count: StatementSyncInstance;
  readonly evict: StatementSyncInstance;
}

/**
 * A cache of vectors in its own SQLite file, which any number of processes may share. It never throws: a damaged file is
 * moved aside (`FILE.damaged`) and replaced; with a locked file or a full disk, some vectors are not cached.
 */
export class SqliteVectorCache implements VectorCache {
  readonly #file: string;
  readonly #maxVectors: number;
  readonly #now: () => number;
  readonly #onWarning: (error: unknown) => void;
  #open: Open | null;
  #putsUntilCount = 0;

  constructor(options: SqliteVectorCacheOptions) {
    this.#file = options.file;
    this.#maxVectors = options.maxVectors ?? 500_000;
    this.#now = options.now ?? Date.now;
    this.#onWarning = options.onWarning ?? (() => undefined);
    this.#open = this.#connect();
  }

  async getMany(embedder: string, hashes: readonly string[]): Promise<ReadonlyMap<string, Float32Array>> {
    const found = new Map<string, Float32Array>();
    this.#attempt(({ get, touch, database }) => {
      const stale: number[] = [];
      for (const hash of hashes) {
        const row = get.get(embedder, Buffer.from(hash, 'hex')) as StoredVector | undefined;
        if (row === undefined) continue;
        found.set(hash, toVector(row.vector));
        if (row.used < this.#now() - TOUCH_AFTER_MS) stale.push(row.id);
      }
      if (stale.length > 0) inTransaction(database, () => stale.forEach((id) => void touch.run(this.#now(), id)));
    });
    return found;
  }

  async putMany(embedder: string, vectors: ReadonlyMap<string, Float32Array>): Promise<void> {
    this.#attempt(({ database, put }) => {
      inTransaction(database, () => {
        for (const [hash, vector] of vectors) {
          put.run(embedder, Buffer.from(hash, 'hex'), this.#now(), toBytes(vector));
        }
      });
    });
    this.#putsUntilCount -= vectors.size;
    if (this.#putsUntilCount <= 0) this.#evict();
  }

  async close(): Promise<void> {
    if (this.#open !== null) closeDatabase(this.#open.database);
    this.#open = null;
  }

  #evict(): void {
    this.#putsUntilCount = Math.min(PUTS_PER_COUNT, Math.ceil(this.#maxVectors / 10));
    this.#attempt(({ count, evict }) => {
      const { vectors } = count.get() as { vectors: number };
      if (vectors > this.#maxVectors) evict.run(vectors - this.#maxVectors);
    });
  }

  #attempt(action: (open: Open) => void): void {
    if (this.#open === null) return;
    try {
      action(this.#open);
    } catch (error) {
      this.#onWarning(error);
      if (!isDamage(error)) return;
      closeDatabase(this.#open.database);
      this.#open = this.#replaceFile();
    }
  }

  /** Null when the file cannot be used. The process then has no cache. */
  #connect(attempts = 3): Open | null {
    try {
      return open(this.#file);
    } catch (error) {
      if (codeOf(error) === BUSY && attempts > 1) return this.#connect(attempts - 1);
      this.#onWarning(error);
      return isDamage(error) ? this.#replaceFile() : null;
    }
  }

  #replaceFile(): Open | null {
    try {
      renameSync(this.#file, `${this.#file}.damaged`);
      for (const log of ['-wal', '-shm']) rmSync(this.#file + log, { force: true });
      return open(this.#file);
    } catch (error) {
      this.#onWarning(error);
      return null;
    }
  }
}

interface StoredVector {
  readonly id: number;
  readonly used: number;
  readonly vector: Uint8Array;
}

function open(file: string): Open {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const database = new DatabaseSync(file, { timeout: BUSY_TIMEOUT_MS });
  keepPrivate(file);
  try {
    const { user_version: version } = database.prepare('PRAGMA user_version').get() as { user_version: number };
    if (version > VERSION) throw new Error(`${file} was written by a newer Dowser and is not used.`);
    if (version < VERSION) database.exec(SCHEMA);
    database.exec('PRAGMA synchronous = NORMAL');
    database.exec(`PRAGMA wal_autocheckpoint = ${PAGES_PER_CHECKPOINT}`);
    return {
      database,
      get: database.prepare('SELECT id, used, vector FROM vectors WHERE embedder = ? AND hash = ?'),
      touch: database.prepare('UPDATE vectors SET used = ? WHERE id = ?'),
      put: database.prepare(
        `INSERT INTO vectors (embedder, hash, used, vector) VALUES (?, ?, ?, ?)
         ON CONFLICT (hash, embedder) DO UPDATE SET used = excluded.used, vector = excluded.vector`,
      ),
      count: database.prepare('SELECT count(*) AS vectors FROM vectors'),
      evict: database.prepare('DELETE FROM vectors WHERE id IN (SELECT id FROM vectors ORDER BY used, id LIMIT ?)'),
    };
  } catch (error) {
    closeDatabase(database);
    throw error;
  }
}

/** Before the log is made, which gets the same mode. The file may belong to somebody else. */
function keepPrivate(file: string): void {
  try {
    chmodSync(file, 0o600);
  } catch {
    return;
  }
}

/** The library keeps the connection open until its statements are collected. So empty the log here. */
function closeDatabase(database: DatabaseSyncInstance): void {
  try {
    database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  } catch {
    // Busy or damaged: the log stays as it is.
  }
  database.close();
}

function inTransaction(database: DatabaseSyncInstance, action: () => void): void {
  database.exec('BEGIN IMMEDIATE');
  try {
    action();
    database.exec('COMMIT');
  } catch (error) {
    if (database.isTransaction) database.exec('ROLLBACK');
    throw error;
  }
}

/** SQLite's primary result code. */
function codeOf(error: unknown): number {
  return error instanceof Error && 'errcode' in error ? Number(error.errcode) & 0xff : 0;
}

function isDamage(error: unknown): boolean {
  return DAMAGED.includes(codeOf(error));
}

function toBytes(vector: Float32Array): Uint8Array {
  return new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength);
}

/** Copies: the bytes of a row may not be aligned to four. */
function toVector(bytes: Uint8Array): Float32Array {
  return new Float32Array(bytes.slice().buffer, 0, Math.floor(bytes.length / 4));
}
