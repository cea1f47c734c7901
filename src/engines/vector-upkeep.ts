import type { EmbedderIdentity } from '../model/embedder-identity.ts';
import type { EntityId } from '../model/entity.ts';
import type { UnitId } from '../model/entity-parts/unit.ts';

/**
 * Vectors follow the record. One embedder is served: its vectors are searched. While the model is being changed, vectors of
 * another one are built beside them, and `serveBuilding` swaps the two in one step. A vector belongs to the text it was
 * made from: no unit ever has the vector of another text.
 */
export interface VectorUpkeep {
  /**
   * The embedder whose vectors are searched; null for an index without a vector leg. A store that is opened for another
   * embedder keeps serving the vectors it has, and builds the new ones.
   */
  readonly embedder: EmbedderIdentity | null;
  /** The embedder whose vectors are built beside those that are searched; null unless the model is being changed. */
  readonly building: EmbedderIdentity | null;
  /**
   * Units that need a vector and have none, ordered by unit id; only of `entities` when given. `embedder` is the id of the
   * one that is served (the default) or built; for any other the list is empty.
   */
  missing(limit: number, entities?: readonly EntityId[], embedder?: string): Promise<readonly PendingUnit[]>;
  /** The ids of all these units, of the served embedder, in the same order. Reads no texts: a batch has tens of thousands. */
  missingIds(entities?: readonly EntityId[]): Promise<readonly UnitId[]>;
  /** Stores the vectors of units whose text is unchanged. Returns how many. Atomic. `embedder` as for `missing`. */
  put(vectors: readonly UnitVector[], embedder?: string): Promise<number>;
  /** Starts building vectors of another embedder, or resumes. With the one that is served: ends a build. */
  build(embedder: EmbedderIdentity): Promise<void>;
  /**
   * From now on the vectors that were built are searched, and those served until now are stale. Survives a crash as one
   * step. Queries that name the old embedder are answered until its vectors are dropped. Without a build, or with
   * one of another embedder than `embedder`: does nothing.
   */
  serveBuilding(embedder?: string): Promise<void>;
  /** Vectors of embedders that are neither served nor built, ordered by unit id; only of `entities` when given. */
  stale(limit: number, entities?: readonly EntityId[]): Promise<readonly StaleVector[]>;
  /** Deletes up to `limit` of them. Returns how many. Delete a few thousand at a time, so that searches are not blocked. */
  dropStale(limit: number, entities?: readonly EntityId[]): Promise<number>;
}

export interface PendingUnit {
  readonly unit: UnitId;
  readonly text: string;
  readonly textHash: string;
}

export interface UnitVector {
  readonly unit: UnitId;
  readonly textHash: string;
  readonly vector: Float32Array;
}

export interface StaleVector {
  readonly unit: UnitId;
  /** The id of the embedder that made it. */
  readonly embedder: string;
}
