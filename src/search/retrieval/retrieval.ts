import type { EntityId, EntityType } from '../../model/entity.ts';
import type { Explanation } from '../../model/explanation.ts';
import type { EntityFacts, Filter } from '../../model/filter.ts';
import type { Field, UnitId, UnitKind } from '../../model/unit.ts';
import type { Anchor } from '../identifier/anchors.ts';

/** Everything an index is asked for one search. The answer is `Retrieved`. */
export interface RetrieveQuery {
  readonly text: string;
  /**
   * The needs that a long text names, if several: see `query-parts.ts`. A leg then lists the units that are among its best
   * for the whole text or for a part of it, by the score of the whole with that of the best part: see `withPart`.
   */
  readonly parts: readonly string[];
  /** What may be found. Applied inside each leg, before its limit. Access (`readers`) is a part of it. */
  readonly filter: Filter;
  /**
   * Tags that the query itself names. If no entity has one of them, nothing is retrieved: `evidence.unknownTags` names
   * them, and the caller asks again with those words as text.
   */
  readonly hashtags: readonly string[];
  /** Words and phrases whose exact holders are wanted. */
  readonly anchors: readonly Anchor[];
  readonly keyword: KeywordLeg;
  /** null: no vector leg. */
  readonly vector: VectorLeg | null;
  /** Fill in what each leg says of units that only the other one found, or that only hold an anchor. */
  readonly crossScores: boolean;
  /** Also return the card of each unit's entity, unless the unit is a result of its own. */
  readonly cards: boolean;
  /** Fetch more units until a leg's list has this many different results: see `resultKey`. */
  readonly results: number;
  /** Whether a tool of a server is a result of its own. */
  readonly toolsAsResults: boolean;
}

export interface Leg {
  /** Only units of these kinds; absent means all. */
  readonly unitKinds?: readonly UnitKind[] | undefined;
  /** Units in the leg's list. */
  readonly limit: number;
}

/**
 * How the keyword leg scores:
 * - `bm25f` ranks units.
 * - `boost` ranks cards by the registry's substring boost: path 5, name 3, description 2, tags 1.5, metadata 1, and 1 for
 *   each tool of the entity whose name or description matches.
 * - `coverage` gives the share of the query's terms that the unit has.
 * - `constant` gives 1 to every unit that passes the filter, whatever the text: for searches by tag alone.
 */
export type Scorer = 'bm25f' | 'boost' | 'coverage' | 'constant';

export interface KeywordLeg extends Leg {
  readonly scorer: Scorer;
}

export interface VectorLeg extends Leg {
  /** Need not be normalized. Throws WRONG_DIMENSIONS when its size is not the index's. */
  readonly values: Float32Array;
  /** Those of the query's parts, in their order. */
  readonly parts: readonly Float32Array[];
  /** The id of the embedder that made it. Default: the one that is served. Of one without vectors here: an empty list. */
  readonly embedder?: string | undefined;
  /** Fetch the limit for each entity type on its own, so that a numerous type cannot keep the others out. */
  readonly perType: boolean;
  /** Where an index searches approximately: how many of the most promising units it compares exactly, at least. */
  readonly efSearch?: number | undefined;
}

/** A unit that retrieval found, with what each leg says of it. One object per unit, whatever list it is in. */
export interface FoundUnit {
  readonly unit: UnitId;
  readonly entity: EntityId;
  readonly type: EntityType;
  readonly kind: UnitKind;
  /** For showing which part of the entity matched. */
  readonly title: string;
  /** What filters look at in its entity: facets are counted from it. */
  readonly facts: EntityFacts;
  /** BM25F, boost, coverage or 1. null: no match. Comparable within this answer only. */
  readonly keyword: number | null;
  /** Cosine. null: unknown, which is never the same as zero. */
  readonly vector: number | null;
  /** The fields that have words of the query. Worked out when asked: only shown units need it. */
  matchedFields(): readonly Field[];
  /** How the keyword score came about. Undefined without a score, or if the unit has been replaced since. */
  explainKeyword(): Explanation | undefined;
}

export interface Retrieved {
  /** Every unit once: those of the vector list, of the keyword list, the holders of anchors, and cards. */
  readonly units: readonly FoundUnit[];
  /** Each leg's own list, best first; equal scores by unit id. */
  readonly keyword: readonly FoundUnit[];
  /** null: there was no vector leg. */
  readonly vector: readonly FoundUnit[] | null;
  readonly evidence: Evidence;
}

/** Who holds an anchor. */
export interface Holders {
  readonly anchor: Anchor;
  /** The first of them, in unit order. */
  readonly units: readonly FoundUnit[];
  /** How many there are in all; Infinity where an index did not count so many. */
  readonly count: number;
}

/** What the index knows of the query as a whole. Statistics are those of what the caller may read. */
export interface Evidence {
  /** Those of `hashtags` that no entity has. */
  readonly unknownTags: readonly string[];
  /** What a unit could score at most by `bm25f`, if it had every term of the query many times. */
  readonly ceiling: number;
  /** The share of the query's terms that some unit has, from 0 to 1; 0 for a query without terms. */
  readonly known: number;
  /** How many different terms the query has. */
  readonly terms: number;
  /** For each anchor, in order, the eligible units that hold it: all its terms, and for a phrase the words themselves. */
  readonly holders: readonly Holders[];
  readonly entities: number;
  readonly units: number;
  /** Units with a vector of the query's embedder, and units without one that should have one. */
  readonly vectors: number;
  readonly missingVectors: number;
  /** The mean of all vectors, each of length 1; null without vectors. What all units have in common. */
  readonly meanVector: Float32Array | null;
}

/**
 * The score of a unit for a query in parts, from the score of the whole and that of its best part. By keyword both count
 * in full: few words of a long text are about one need. Cosines are averaged, so that they stay cosines.
 */
export const withPart = {
  keyword: (whole: number, bestPart: number) => whole + bestPart,
  vector: (whole: number, bestPart: number) => (whole + bestPart) / 2,
} as const;

/** Holders of an anchor that are returned: more name nothing. */
export const MAX_HOLDERS = 20;

/** A server with hundreds of matching tools can fill a list alone: then more is fetched, up to this many units. */
const MAX_UNITS = 10_000;
const WIDER = 8;

/** What a leg may find. */
export function legFilter(filter: Filter, { unitKinds }: Leg): Filter {
  if (unitKinds === undefined) return filter;
  const own = filter.unitKinds;
  return { ...filter, unitKinds: own === undefined ? unitKinds : unitKinds.filter((kind) => own.includes(kind)) };
}

/** What a unit counts for: its entity, or itself where a tool is a result of its own. */
export function resultKey(
  query: { readonly toolsAsResults: boolean },
  unit: Pick<FoundUnit, 'unit' | 'entity' | 'kind'>,
) {
  return isOwnResult(query, unit) ? unit.unit : unit.entity;
}

export function isOwnResult(query: { readonly toolsAsResults: boolean }, { kind }: Pick<FoundUnit, 'kind'>): boolean {
  return query.toolsAsResults && kind === 'tool';
}

/**
 * Fetches a list until it has enough different results, or there are no more units. `keyAt` names the result of the unit
 * at a place of the list.
 */
export function fetchEnough<L>(
  results: number,
  limit: number,
  fetch: (limit: number) => L,
  keysOf: (list: L) => { readonly length: number; keyAt(at: number): string },
): L {
  for (let most = limit; ; most = Math.min(MAX_UNITS, most * WIDER)) {
    const list = fetch(most);
    const keys = keysOf(list);
    if (keys.length < most || most >= MAX_UNITS || most === 0) return list;
    const seen = new Set<string>();
    for (let at = 0; at < keys.length; at++) {
      seen.add(keys.keyAt(at));
      if (seen.size >= results) return list;
    }
  }
}
