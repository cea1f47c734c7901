import { DowserError } from '../../model/errors.ts';
import { Database } from './database.ts';

/** Long enough for another process to read who holds the lock, short enough to answer at once. */
const BUSY_TIMEOUT_MS = 200;

/**
 * One process at a time may have a data folder: two would each search an index that misses the other's writes.
 *
 * The lock is a write transaction held open on a small SQLite file. The operating system drops it when the process
 * dies, however it dies, so there is no stale lock to judge, and no wrong guess where process ids start again at 1
 * with every container. Readers are still let in, which is how the next process learns whom to name.
 */
export class StoreLock {
  readonly #database: Database;

  /** Throws STORE_LOCKED when another process, or this one, has it. */
  constructor(file: string, dir: string) {
    this.#database = new Database(file, { busyTimeoutMs: BUSY_TIMEOUT_MS });
    try {
      this.#database.exec('PRAGMA synchronous = OFF');
      this.#begin();
      this.#database.exec('CREATE TABLE IF NOT EXISTS holder (pid INTEGER NOT NULL)');
      this.#database.exec('DELETE FROM holder');
      this.#database.prepare('INSERT INTO holder VALUES (?)').run(process.pid);
      this.#database.exec('COMMIT');
      this.#begin();
    } catch (error) {
      const pid = this.#holder();
      this.#database.close();
      if (!(error instanceof DowserError) || error.code !== 'STORE_LOCKED') throw error;
      throw new DowserError(
        'STORE_LOCKED',
        `${pid === null ? 'Another process' : `Process ${pid}`} is using the data folder ${dir}.`,
        { hint: 'Ask the server that runs there, or stop that process, or choose another folder.', cause: error },
      );
    }
  }

  release(): void {
    this.#database.close();
  }

  #begin(): void {
    this.#database.exec('BEGIN IMMEDIATE');
  }

  #holder(): number | null {
    try {
      return this.#database.prepare('SELECT pid FROM holder').get<{ pid: number }>()?.pid ?? null;
    } catch {
      return null;
    }
  }
}
