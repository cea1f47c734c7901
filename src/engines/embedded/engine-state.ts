import { DowserError } from '../../model/errors/errors.ts';
import { yieldToSearches } from '../../turns/search-turns.ts';
import { inSlices, oneSlice, type Sliced } from '../in-slices.ts';
import { WriteTurns } from '../write-turns.ts';
import type { RowIndex } from './index/row-index.ts';
import type { RecordStore } from './record/record-store.ts';

/** What the store, the index and the vectors of one embedded engine share. */
export class EngineState {
  readonly record: RecordStore;
  readonly index: RowIndex;
  /** Units whose text or facts were written since the engine was opened. */
  changes = 0;
  /** Increases with every write. Cache counts by it. */
  version = 0;
  /** Call it after a write, before it is acknowledged. */
  readonly written: () => void;
  /** A write in slices has the only transaction until its end. */
  readonly #turns = new WriteTurns();
  #isClosed = false;

  constructor(record: RecordStore, index: RowIndex, onWrite: () => void) {
    this.record = record;
    this.index = index;
    this.written = onWrite;
    record.copyLogIn((work) => this.write(work));
  }

  /**
   * Runs a write in slices, one at a time: every write of the engine goes through here. Searches run between the slices. One that
   * has begun when the engine is closed still ends.
   */
  write<T>(work: () => Sliced<T>): Promise<T> {
    return this.#turns.take(async () => {
      this.checkOpen();
      return inSlices(work(), undefined, yieldToSearches);
    });
  }

  /** The same for a write that is one slice. */
  writeAtOnce<T>(work: () => T): Promise<T> {
    return this.write(() => oneSlice(work));
  }

  countChanges(units: number): void {
    this.changes += units;
    this.version++;
  }

  /** Resolves when the write that has begun is done. Returns false if it was already closed. */
  async close(): Promise<boolean> {
    const wasOpen = !this.#isClosed;
    this.#isClosed = true;
    await this.#turns.take(async () => {});
    return wasOpen;
  }

  checkOpen(): void {
    if (!this.#isClosed) return;
    throw new DowserError('ENGINE_UNAVAILABLE', 'The engine is closed.', { hint: 'Open it again.' });
  }
}
