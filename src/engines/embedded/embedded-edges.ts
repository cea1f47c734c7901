import type { Edge } from '../../model/edge.ts';
import type { EdgeColumns, EdgeSelection, EdgeStore } from '../edge-store.ts';
import { inSlices } from '../in-slices.ts';
import type { EngineState } from './engine-state.ts';
import type { EdgeRecord } from './record/edge-record.ts';

/** Edges in the same SQLite file as the entities. */
export class EmbeddedEdges implements EdgeStore {
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
