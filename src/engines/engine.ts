import type { Index } from './index-port.ts';
import type { Store } from './store.ts';
import type { VectorUpkeep } from './vector-upkeep.ts';

/** What an adapter gives: the record, the index that follows it, and the upkeep of vectors. */
export interface Engine {
  readonly name: string;
  readonly capabilities: EngineCapabilities;
  readonly store: Store;
  readonly index: Index;
  readonly vectors: VectorUpkeep;
  /** From then on every read, search and write rejects with ENGINE_UNAVAILABLE. Closing twice is fine. */
  close(): Promise<void>;
}

/** What the planner may rely on; the conformance suite proves what is declared. */
export interface EngineCapabilities {
  /** Keeps its data when closed and opened again. */
  readonly durable: boolean;
  /** Vector search never misses a neighbor. False where a first pass may drop some at scale. */
  readonly exactVectors: boolean;
  /** Can answer the registry's substring boost (`scorer: 'boost'`). */
  readonly substringBoost: boolean;
  /** Can explain keyword scores. */
  readonly explains: boolean;
}
