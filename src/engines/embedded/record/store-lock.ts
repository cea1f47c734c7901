import { realpathSync, truncateSync } from 'node:fs';
import { DowserError } from '../../../model/errors/errors.ts';
import { Database } from './database.ts';

/** Long enough for another process to read the holder, short enough to answer at once. */
const BUSY_TIMEOUT_MS = 200;

/** The folders that this process has open. The process id is not enough: two containers may each have a process 1. */
const HELD = new Set<string>();

/**
 * One process at a time can open a data folder: two would each search an index without the other's writes.
 *
 * The lock is an open write transaction on a small SQLite file. The operating system releases it when the process ends, so
 * there are no stale locks. Other processes can still read the file, so that their error names the holder.
 */
export class StoreLock {
  readonly #database: Database;
  /** The real path: the same for every spelling. */
  readonly #folder: string;

  /** Throws STORE_LOCKED if this or another process has the folder open. */
  constructor(file: string, dir: string) {
    this.#folder = realpathSync(dir);
    const lock = () => lockedDatabase(file, dir, this.#folder);
    try {
      this.#database = lock();
    } catch (error) {
      const isHeld = error instanceof DowserError && error.code === 'STORE_LOCKED';
      if (isHeld || HELD.has(this.#folder) || !tryToEmpty(file)) throw error;
      this.#database = lock();
    }
    HELD.add(this.#folder);
  }

  release(): void {
    HELD.delete(this.#folder);
    this.#database.close();
  }
}

/**
 * Nothing in the file matters, and damage shows as almost any error. It is emptied and not replaced: another process may hold
 * the lock of this very file.
 */
function tryToEmpty(file: string): boolean {
  try {
    truncateSync(file);
    return true;
  } catch {
    return false;
  }
}

function lockedDatabase(file: string, dir: string, folder: string): Database {
  const database = new Database(file, { busyTimeoutMs: BUSY_TIMEOUT_MS });
  try {
    database.exec('PRAGMA synchronous = OFF');
    database.exec('BEGIN IMMEDIATE');
    database.exec('CREATE TABLE IF NOT EXISTS holder (pid INTEGER NOT NULL)');
    database.exec('DELETE FROM holder');
    database.prepare('INSERT INTO holder VALUES (?)').run(process.pid);
    database.exec('COMMIT');
    database.exec('BEGIN IMMEDIATE');
    return database;
  } catch (error) {
    const pid = holderIn(database);
    database.close();
    if (!(error instanceof DowserError) || error.code !== 'STORE_LOCKED') throw error;
    throw HELD.has(folder) ? heldHere(dir, error) : heldElsewhere(dir, pid, error);
  }
}

function holderIn(database: Database): number | null {
  try {
    return database.prepare('SELECT pid FROM holder').get<{ pid: number }>()?.pid ?? null;
  } catch {
    return null;
  }
}

function heldHere(dir: string, cause: unknown): DowserError {
  return new DowserError('STORE_LOCKED', `This process has the data folder ${dir} open already.`, {
    hint: 'Use the registry that is open, close it before another is opened, or choose another data_dir.',
    cause,
  });
}

function heldElsewhere(dir: string, pid: number | null, cause: unknown): DowserError {
  const holder = pid === null ? 'Another process' : `Process ${pid}`;
  return new DowserError('STORE_LOCKED', `${holder} is using the data folder ${dir}.`, {
    hint: 'If it is a server, ask it with createClient of dowser/client; or stop that process, or choose another data_dir.',
    details: { data_dir: dir, ...(pid === null ? {} : { pid }) },
    cause,
  });
}
