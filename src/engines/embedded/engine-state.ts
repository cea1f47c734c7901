import { DowserError } from '../../model/errors.ts';
import type { RecordStore } from './record/record-store.ts';
import type { RowIndex } from './row-index.ts';

/** What the store, the index and the vectors of one embedded engine share. */
export class EngineState {
  readonly record: RecordStore;
  readonly index: RowIndex;
  /** Units written since the engine was opened. */
  changes = 0;
  /** Increases with every write. Cache counts by it. */
  version = 0;
  /** Call it after a write, before it is acknowledged. */
  readonly written: () => void;
  #isClosed = false;

  constructor(record: RecordStore, index: RowIndex, onWrite: () => void) {
    this.record = record;
    this.index = index;
    this.written = onWrite;
  }

  countChanges(units: number): void {
    this.changes += units;
    this.version++;
  }

  /** Returns false if it was already closed. */
  close(): boolean {
    const wasOpen = !this.#isClosed;
    this.#isClosed = true;
    return wasOpen;
  }

  checkOpen(): void {
    if (!this.#isClosed) return;
    throw new DowserError('ENGINE_UNAVAILABLE', 'The engine is closed.', { hint: 'Open it again.' });
  }
}
