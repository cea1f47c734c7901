import type { EntityType } from '../model/entity.ts';
import type { ViewClauses } from '../model/query/filter.ts';
import type { Retrieved, RetrieveQuery } from '../search/retrieval/retrieval.ts';
import type { NameLookup } from '../search/text/name-spelling.ts';

/**
 * Where units are found. One conformance suite (`test/conformance`) runs over every index.
 *
 * - Filters are applied inside each leg, before the limit.
 * - Lists are best first; equal scores are ordered by unit id. The same index and query give the same answer.
 * - Vectors of two embedders are never compared.
 */
export interface Index {
  /** Another number after each change of units or vectors; null: what is found may change without it. */
  readonly version: number | null;
  /**
   * Everything one search needs, in one call. Throws VECTORS_UNAVAILABLE if the vectors are searched by a server that cannot
   * be asked: ask again without a vector leg.
   */
  retrieve(query: RetrieveQuery): Promise<Retrieved>;
  /** Finds the names of the entities of a view. Of two with the same joined name, the first by id counts. */
  names(view: ViewClauses): Promise<NameLookup>;
  /** Vector counts are those of `embedder`, by default the one that is served. With `readers`, only what they may read counts. */
  stats(embedder?: string, readers?: readonly string[]): Promise<IndexStats>;
}

export interface IndexStats {
  readonly entities: number;
  readonly units: number;
  readonly vectors: number;
  /** Units that wait for a vector. */
  readonly missingVectors: number;
  /** Vectors that are stored but not searched, because they do not fit in memory. Their units are found by keyword. */
  readonly unloadedVectors: number;
  /** Vectors of embedders that are neither served nor built. */
  readonly staleVectors: number;
  /** Progress of the vectors that are being built; null when there are none. */
  readonly building: { readonly id: string; readonly vectors: number; readonly missingVectors: number } | null;
  readonly byType: Readonly<Partial<Record<EntityType, number>>>;
  /** The size on disk, for engines with one. Not with `readers`: it would tell them how much else there is. */
  readonly bytes?: number;
}
