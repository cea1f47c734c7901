import { yieldToSearches } from '../../../turns/search-turns.ts';
import { atOnce, type Sliced } from '../../in-slices.ts';
import { CheckpointThread } from './checkpoint-thread.ts';
import type { Database, DatabaseObserver, RunAlone, Statement } from './database.ts';
import type { PageSums } from './page-sums.ts';
import type { WalScan } from './wal-scan.ts';

/** A checkpoint holds up other writes, so it copies fewer pages than the 1000 of SQLite itself. */
const PAGES_PER_CHECKPOINT = 250;
/** Writes that leave no turn to others in between do not let the log grow further. */
const MAX_WAITING_PAGES = 500;

/** Copies the log into the database, and keeps the page sums up to date. SQLite alone would not say which pages it copies. */
export class Checkpoints implements DatabaseObserver {
  readonly #wal: WalScan;
  readonly #sums: PageSums;
  readonly #count: Statement;
  readonly #thread: CheckpointThread;
  /** Frames at the last attempt. While another program reads, part of the log has to stay. */
  #tried = 0;
  #generation = 0;
  #isDue = false;
  #isSumming = false;
  #alone: RunAlone = async (work) => {
    await yieldToSearches();
    atOnce(work());
  };

  constructor(database: Database, wal: WalScan, sums: PageSums) {
    this.#wal = wal;
    this.#sums = sums;
    this.#count = database.prepare('PRAGMA wal_checkpoint(NOOP)');
    this.#thread = new CheckpointThread(database.file);
    database.exec('PRAGMA wal_autocheckpoint = 0');
  }

  flush(): Promise<void> {
    return this.#wal.flush();
  }

  runIn(alone: RunAlone): void {
    this.#alone = alone;
  }

  *committed(): Sliced<void> {
    this.#isSumming = true;
    yield* this.#sumNewPages();
    this.#isSumming = false;
    if (this.#wal.generation !== this.#generation) this.#tried = 0;
    this.#generation = this.#wal.generation;
    const waiting = this.#wal.frames - this.#tried;
    if (waiting >= MAX_WAITING_PAGES) yield* this.#copy();
    else if (waiting >= PAGES_PER_CHECKPOINT && !this.#isDue) {
      // The write does not wait for it.
      this.#isDue = true;
      this.#alone(() => this.#copyDue()).catch(() => {
        // The engine is closed, which copies the log too.
      });
    }
  }

  *#copyDue(): Sliced<void> {
    const isDue = this.#isDue;
    this.#isDue = false;
    // A page without its sum must not be copied.
    if (isDue && !this.#isSumming) yield* this.#copy();
  }

  /** In a thread: the disk may take long. Nothing may be written meanwhile, because the thread would copy it without its sum. */
  *#copy(): Sliced<void> {
    this.#isDue = false;
    this.#tried = this.#wal.frames;
    yield this.#sums.flush();
    this.#syncSums();
    yield this.#thread.run();
    // At once, nothing has waited for it.
    this.#thread.finish();
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
