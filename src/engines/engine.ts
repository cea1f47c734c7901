import type { EdgeStore } from './edge-store.ts';
import type { Index } from './index-port.ts';
import type { Replica } from './replica.ts';
import type { Store } from './store.ts';
import type { VectorServer } from './vector-server.ts';
import type { VectorUpkeep } from './vector-upkeep.ts';

/** The ports of an engine: the record, the index over it, the upkeep of vectors, and the record of edges. */
export interface Engine {
  readonly name: string;
  readonly store: Store;
  readonly index: Index;
  readonly vectors: VectorUpkeep;
  readonly edges: EdgeStore;
  /** Null for an engine that no other process writes to. */
  readonly replica: Replica | null;
  /** Null: vectors are searched in this process. */
  readonly vectorServer: VectorServer | null;
  /** After it, every read, search and write rejects with ENGINE_UNAVAILABLE. Closing twice is fine. */
  close(): Promise<void>;
}
