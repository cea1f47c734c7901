import type { Edge } from '../../model/entity-parts/edge.ts';
import type { EdgeColumns, EdgeSelection, EdgeStore } from '../edge-store.ts';
import type { Engine } from '../engine.ts';
import { inSlices } from '../in-slices.ts';
import { EmbeddedIndex } from './embedded-index.ts';
import { EmbeddedStore } from './embedded-store.ts';
import { EmbeddedVectors } from './embedded-vectors.ts';
import { EngineState } from './engine-state.ts';
import type { RowIndex } from './index/row-index.ts';
import type { AttachedVectorServer } from './index/vector-space.ts';
import { LocalCopy } from './local-copy.ts';
import type { EdgeRecord } from './record/edge-record.ts';
import type { RecordStore } from './record/record-store.ts';

/** Edges in the same SQLite file as the entities. */
class EmbeddedEdges implements EdgeStore {
  readonly #state: EngineState;
  readonly #record: EdgeRecord;

  constructor(state: EngineState, record: EdgeRecord) {
    this.#state = state;
    this.#record = record;
  }

  put(edges: readonly Edge[]): Promise<void> {
    return this.#state.writeAtOnce(() => {
      if (edges.length === 0) return;
      this.#record.put(edges);
      this.#state.written();
    });
  }

  delete(which: EdgeSelection): Promise<number> {
    return this.#state.writeAtOnce(() => {
      const deleted = this.#record.delete(which);
      this.#state.written();
      return deleted;
    });
  }

  /** The edges that `delete` would delete. */
  select(which: EdgeSelection): readonly Edge[] {
    this.#state.checkOpen();
    return this.#record.select(which);
  }

  load(): Promise<EdgeColumns> {
    return inSlices(this.#record.load(), () => this.#state.checkOpen());
  }

  /** No other process writes. */
  watch(): void {}
}

interface EmbeddedEngineOptions {
  readonly edges: EdgeRecord;
  readonly now: () => Date;
  /** Files whose sizes make up `stats().bytes`. */
  readonly files: readonly string[];
  /** Called after every write that is in the record and in the index. */
  readonly onWrite: () => void;
  /** Called once, on `close`, with the number of units written by this engine. */
  readonly onClose: (changes: number) => void;
  /** Default: as many as the index holds. */
  readonly maxUnits?: number | undefined;
  /** Closed with the engine. */
  readonly vectorServer: AttachedVectorServer | null;
}

/** The default engine: SQLite is the record, and everything that is searched is in memory. */
export class EmbeddedEngine implements Engine {
  readonly name = 'embedded';
  readonly store: EmbeddedStore;
  readonly index: EmbeddedIndex;
  readonly vectors: EmbeddedVectors;
  readonly edges: EmbeddedEdges;
  readonly replica = null;
  readonly vectorServer: AttachedVectorServer | null;
  /** For a folder that follows a shared record. */
  readonly copy: LocalCopy;
  readonly #state: EngineState;
  readonly #onClose: (changes: number) => void;

  constructor(record: RecordStore, index: RowIndex, options: EmbeddedEngineOptions) {
    const { edges, now, files, onWrite, onClose, vectorServer } = options;
    this.vectorServer = vectorServer;
    this.#state = new EngineState(record, index, onWrite);
    this.#onClose = onClose;
    this.store = new EmbeddedStore(this.#state, now, options.maxUnits);
    this.vectors = new EmbeddedVectors(this.#state);
    this.index = new EmbeddedIndex(this.#state, this.vectors, files);
    this.edges = new EmbeddedEdges(this.#state, edges);
    this.copy = new LocalCopy(this.#state, this.store, this.vectors, edges);
  }

  /** For the owner of the vectors: counts have changed without a write. */
  countAgain(): void {
    this.#state.countChanges(0);
  }

  async close(): Promise<void> {
    if (!(await this.#state.close())) return;
    // It reads the record until then.
    await this.vectorServer?.close();
    this.#onClose(this.#state.changes);
  }
}
