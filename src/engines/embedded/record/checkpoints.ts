import { yieldToSearches } from '../../../turns/search-turns.ts';
import { atOnce, type Sliced } from '../../in-slices.ts';
import { CheckpointThread } from './checkpoint-thread.ts';
import type { Database, DatabaseObserver, Statement } from './database.ts';
import type { PageSums } from './page-sums.ts';
import type { WalScan } from './wal-scan.ts';

/** A checkpoint holds up everything else, so it copies fewer pages than the 1000 of SQLite itself. */
const PAGES_PER_CHECKPOINT = 250;
/** Writes that leave no turn to others in between do not let the log grow further. So many are copied in a thread. */
const MAX_WAITING_PAGES = 500;

/** Copies the log into the database, and keeps the page sums up to date. SQLite alone would not say which pages it copies. */
export class Checkpoints implements DatabaseObserver {
  readonly #database: Database;
  readonly #wal: WalScan;
  readonly #sums: PageSums;
  readonly #count: Statement;
  readonly #thread: CheckpointThread;
  /** Frames at the last attempt. While another program reads, part of the log has to stay. */
  #tried = 0;
  #generation = 0;
  #isDue = false;
  #isSumming = false;

  constructor(database: Database, wal: WalScan, sums: PageSums) {
    this.#database = database;
    this.#wal = wal;
    this.#sums = sums;
    this.#count = database.prepare('PRAGMA wal_checkpoint(NOOP)');
    this.#thread = new CheckpointThread(database.file);
    database.exec('PRAGMA wal_autocheckpoint = 0');
  }

  flush(): Promise<void> {
    return this.#wal.flush();
  }

  *committed(): Sliced<void> {
    this.#isSumming = true;
    yield* this.#sumNewPages();
    this.#isSumming = false;
    if (this.#wal.generation !== this.#generation) this.#tried = 0;
    this.#generation = this.#wal.generation;
    const waiting = this.#wal.frames - this.#tried;
    if (waiting >= MAX_WAITING_PAGES) {
      this.#begin();
      yield this.#thread.run();
      // At once, nothing has waited for it.
      this.#thread.finish();
    } else if (waiting >= PAGES_PER_CHECKPOINT && !this.#isDue) {
      // In a turn of its own: the write has taken its share of this one.
      this.#isDue = true;
      void yieldToSearches().then(() => this.#isDue && this.#checkpoint());
    }
  }

  #begin(): void {
    this.#isDue = false;
    this.#tried = this.#wal.frames;
    this.#syncSums();
  }

  #checkpoint(): void {
    this.#isDue = false;
    // A page without its sum must not be copied.
    if (this.#isSumming) return;
    this.#begin();
    try {
      this.#database.exec('PRAGMA wal_checkpoint(PASSIVE)');
    } catch {
      // The write is in the log, and the next checkpoint copies it.
    }
  }

  closing(): void {
    this.#isDue = false;
    this.#thread.close();
    atOnce(this.#sumNewPages());
    this.#syncSums();
    this.#wal.close();
    this.#sums.close();
  }

  /** On a full disk, no sum is better than a wrong one. */
  *#sumNewPages(): Sliced<void> {
    try {
      const { log = 0 } = this.#count.get<{ log: number }>() ?? {};
      // The commit of so many pages has taken its share of this turn.
      if (log - this.#wal.frames > MAX_WAITING_PAGES) yield;
      yield* this.#sums.update(this.#wal, this.#wal.advance(log));
    } catch {
      this.#sums.drop();
    }
  }

  #syncSums(): void {
    try {
      this.#sums.sync();
    } catch {
      this.#sums.drop();
    }
  }
}
