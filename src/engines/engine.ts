import type { Index } from './index-port.ts';
import type { Store } from './store.ts';
import type { VectorUpkeep } from './vector-upkeep.ts';

/** The three ports of an engine: the record, the index over it, and the upkeep of vectors. */
export interface Engine {
  readonly name: string;
  readonly store: Store;
  readonly index: Index;
  readonly vectors: VectorUpkeep;
  /** After it, every read, search and write rejects with ENGINE_UNAVAILABLE. Closing twice is fine. */
  close(): Promise<void>;
}
