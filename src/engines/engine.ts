import type { Index } from './index-port.ts';
import type { Store } from './store.ts';
import type { VectorUpkeep } from './vector-upkeep.ts';

/** What an adapter gives: the record, the index that follows it, and the upkeep of vectors. */
export interface Engine {
  readonly name: string;
  readonly store: Store;
  readonly index: Index;
  readonly vectors: VectorUpkeep;
  /** From then on every read, search and write rejects with ENGINE_UNAVAILABLE. Closing twice is fine. */
  close(): Promise<void>;
}
