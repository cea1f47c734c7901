import type { EdgeSelection } from '../engines/edge-store.ts';
import type { EntityId } from '../model/entity.ts';
import type { Edge, EdgeType, Surroundings } from '../model/entity-parts/edge.ts';

/**
 * Where imported and reported edges are kept and followed. One conformance suite runs over every store.
 *
 * - Two edges with the same source, target, type and provenance are one: `put` replaces it.
 * - A store that cannot answer rejects with GRAPH_UNAVAILABLE. Callers then answer without the graph and say so. The store
 *   tries again with the next call.
 */
export interface GraphStore {
  readonly name: string;
  put(edges: readonly Edge[]): Promise<void>;
  /** Returns how many were deleted. */
  delete(which: EdgeSelection): Promise<number>;
  /** One for each node that has edges, in the order asked. */
  around(nodes: readonly EntityId[], options?: AroundOptions): Promise<readonly Surroundings[]>;
  close(): Promise<void>;
}

export interface AroundOptions {
  /** Only edges of these types. Default: all. Degree and strength count all types. */
  readonly types?: readonly EdgeType[];
  /** Only edges between two of the nodes. Default false. */
  readonly within?: boolean;
  /** The most edges of each node. Default: 50. */
  readonly limit?: number;
}

export const DEFAULT_AROUND_LIMIT = 50;
