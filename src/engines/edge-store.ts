import type { EntityId } from '../model/entity.ts';
import type { Edge, Provenance } from '../model/entity-parts/edge.ts';

/**
 * The record of imported and reported edges. What entities say of themselves is not stored here. An edge may outlive its
 * entities: read the entities before you show an edge.
 *
 * - `put` and `delete` are atomic and durable as the writes of `Store`.
 * - A closed store rejects every call with ENGINE_UNAVAILABLE.
 */
export interface EdgeStore {
  /** An edge with the same source, target, type and provenance is replaced. The last of two in one batch wins. */
  put(edges: readonly Edge[]): Promise<void>;
  /** Returns how many were deleted. */
  delete(which: EdgeSelection): Promise<number>;
  /**
   * Every edge, as columns: a million objects take seconds to make. Others have a turn meanwhile. A write that comes while it
   * runs may be in the answer or not.
   */
  load(): Promise<EdgeColumns>;
  /** Calls back with edges that another process has put; null if it deleted some: load again. */
  watch(listener: (edges: readonly Edge[] | null) => void): void;
}

export interface EdgeSelection {
  readonly provenance: Provenance;
  /** Only edges between these two, in either direction. */
  readonly between?: readonly [EntityId, EntityId] | undefined;
}

/** Numbers of names: sources, targets and provenances share one list. */
export interface EdgeColumns {
  readonly names: readonly string[];
  readonly source: Uint32Array;
  readonly target: Uint32Array;
  readonly provenance: Uint32Array;
  /** Positions in `EDGE_TYPES`. */
  readonly type: Uint8Array;
  readonly weight: Float64Array;
  readonly confidence: Float64Array;
  readonly decay: Float64Array;
  /** Milliseconds since 1970; NaN where unknown. */
  readonly verifiedAt: Float64Array;
}
