import type { Explanation } from '../../model/answer/explanation.ts';
import type { EntityId, EntityType } from '../../model/entity.ts';
import type { Field, UnitId, UnitKind } from '../../model/entity-parts/unit.ts';
import type { EntityFacts, Filter } from '../../model/query/filter.ts';
import type { Actions } from '../text/action-words.ts';
import type { Anchor } from '../text/anchors.ts';

/** The input of `Index.retrieve` for one search. The output is `Retrieved`. */
export interface RetrieveQuery extends ResultParts {
  readonly text: string;
  /**
   * The parts of a long text, see `query-parts.ts`. If there are any, a leg lists the best units of the whole text and of
   * each part, scored by `withPart`.
   */
  readonly parts: readonly string[];
  /** Applied inside each leg, before its limit. Includes access (`readers`). */
  readonly filter: Filter;
  /**
   * Hashtags of the query. If no entity has one of them, nothing is retrieved and `evidence.unknownTags` lists them. The
   * caller then retrieves again with those words as text.
   */
  readonly hashtags: readonly string[];
  /** Words and phrases to find the holders of. */
  readonly anchors: readonly Anchor[];
  readonly keyword: KeywordLeg;
  /** null: no vector leg. */
  readonly vector: VectorLeg | null;
  /** Also score units that only the other leg found, and holders of anchors. */
  readonly crossScores: boolean;
  /** Also return the card of each unit's entity, unless the unit is a chunk that is itself a result. */
  readonly cards: boolean;
  /** Fetch more units until the list of a leg has this many distinct results, see `resultKey` and `fetch-enough.ts`. */
  readonly results: number;
}

/** Which parts of an entity are results themselves. */
export interface ResultParts {
  /** The tools of servers. */
  readonly toolsAsResults: boolean;
  /** The chunks of documents. */
  readonly chunksAsResults?: boolean | undefined;
}

export interface Leg {
  /** Only units of these kinds. Default: all kinds. */
  readonly unitKinds?: readonly UnitKind[] | undefined;
  /** The maximum number of units in the list of the leg. */
  readonly limit: number;
}

/**
 * How the keyword leg scores:
 * - `bm25f` scores units.
 * - `boost` scores cards by the registry's substring boost: path 5, name 3, description 2, tags 1.5, metadata 1, and 1 for
 *   each tool with a matching name or description.
 * - `boost-each` is the same for each token of the query by itself, summed, without metadata.
 * - `coverage` is the share of the query's terms that the unit has.
 * - `constant` is 1 for every unit that passes the filter, for searches by tags only.
 */
export type Scorer = 'bm25f' | 'boost' | 'boost-each' | 'coverage' | 'constant';

/** Whether these are the registry's own keyword scores. */
export const isBoost = (scorer: Scorer): boolean => scorer === 'boost' || scorer === 'boost-each';

export interface KeywordLeg extends Leg {
  readonly scorer: Scorer;
}

export interface VectorLeg extends Leg {
  /** The embedding of the query. Need not be normalized. Throws WRONG_DIMENSIONS if its size is wrong. */
  readonly values: Float32Array;
  /** The embeddings of the query parts, in order. */
  readonly parts: readonly Float32Array[];
  /** The id of its embedder. Default: the one in use. The list is empty if the index has no vectors of it. */
  readonly embedder?: string | undefined;
  /** Fetch `limit` units of each entity type, so that a frequent type cannot crowd out the others. */
  readonly perType: boolean;
  /** For approximate search: the minimum number of units to compare exactly. */
  readonly efSearch?: number | undefined;
}

/** A retrieved unit with its score from each leg. One object per unit, also if it is in several lists. */
export interface FoundUnit {
  /** The position in `Retrieved.units`; -1 for a unit that is only a holder. */
  readonly at: number;
  readonly unit: UnitId;
  readonly entity: EntityId;
  /** The same for two units of this answer exactly if they are of one entity. Not much above the number of entities. */
  readonly group: number;
  readonly type: EntityType;
  readonly kind: UnitKind;
  /** The name of the unit, for display. */
  readonly title: string;
  /** What a tool does, by its name. 0 for other units. */
  readonly actions: Actions;
  /** The filterable facts of its entity. Facets are counted from them. */
  readonly facts: EntityFacts;
  /** The score by `Scorer`. null: no match. Comparable only within one answer. */
  readonly keyword: number | null;
  /** The cosine. null: unknown, which is not the same as 0. */
  readonly vector: number | null;
  /** The cosine with the whole query: `vector` itself, unless that includes a part of the query. Computed on demand. */
  similarity(): number | null;
  /** The fields that match the query. Computed on demand, because only displayed units need it. */
  matchedFields(): readonly Field[];
  /**
   * How far the neighboring words of the query are neighbors in the unit, from 0 to 1: see `text/adjacent-words.ts`. Reads the
   * text of the unit, so it is computed on demand. 0 if the unit was replaced in the meantime.
   */
  adjacentWords(): number;
  /** Explains the keyword score. Undefined without a score, or if the unit was replaced in the meantime. */
  explainKeyword(): Explanation | undefined;
}

export interface Retrieved {
  /** All units without duplicates, in this order: vector list, keyword list, holders of anchors, cards. */
  readonly units: readonly FoundUnit[];
  /** The list of each leg: depth by depth (`fetch-enough.ts`), best first, equal scores by unit id. */
  readonly keyword: readonly FoundUnit[];
  /** null: no vector leg. */
  readonly vector: readonly FoundUnit[] | null;
  readonly evidence: Evidence;
  /**
   * The tools of the servers of these units, for the choice among them (`ranking/tool-choice.ts`). One answer for each unit, in
   * their order. Computed on demand.
   */
  toolsOf(units: readonly FoundUnit[]): readonly ServerTools[];
}

/** The tools of a server that pass the filter, whether a leg found them or not. */
export interface ServerTools {
  /** The name of the server. */
  readonly name: string;
  /** With the scores of both legs, by unit id. Empty for a server with more than MAX_TOOLS_SCORED, or that was replaced in the meantime. */
  readonly tools: readonly FoundUnit[];
  /** The cosines of the tools with another vector of the same embedder, in their order; null where it is unknown. */
  cosines(values: Float32Array): readonly (number | null)[];
}

/** For an answer that found nothing. */
export const noTools = (): readonly ServerTools[] => [];

/** Scoring every tool of a server with more would take as long as the search. */
export const MAX_TOOLS_SCORED = 300;

/** The units that hold an anchor: they have all its terms, and for a phrase its exact words. */
export interface Holders {
  readonly anchor: Anchor;
  /** The first ones, ordered by unit id, at most MAX_HOLDERS. */
  readonly units: readonly FoundUnit[];
  /** The number of all holders; Infinity if there are too many to count. */
  readonly count: number;
  /** Whether they have the anchor as their address or package name. */
  readonly byIdentifier: boolean;
}

/** Statistics for the query, of what the caller may read (`readers` of the filter). */
export interface Evidence {
  /** The `hashtags` that no entity has. */
  readonly unknownTags: readonly string[];
  /** The maximum `bm25f` score: that of a unit with many occurrences of every query term. */
  readonly ceiling: number;
  /** The number of distinct terms of the query. */
  readonly terms: number;
  /** The eligible holders of each anchor, in the order of the anchors. */
  readonly holders: readonly Holders[];
  readonly entities: number;
  readonly units: number;
  /** The number of units with a vector of the query's embedder, and of units that still need one. */
  readonly vectors: number;
  readonly missingVectors: number;
  /** The mean of all normalized vectors; null without vectors. */
  readonly meanVector: Float32Array | null;
  /** How many vectors it is the mean of. */
  readonly meanCount: number;
}

/**
 * The score of a unit for a query with parts, from its score for the whole text and for the best part. Keyword scores are
 * added, because a part has only a few words of a long text. Cosines are averaged, so that they stay between -1 and 1.
 */
export const withPart = {
  keyword: (whole: number, bestPart: number) => whole + bestPart,
  vector: (whole: number, bestPart: number) => (whole + bestPart) / 2,
} as const;

/** The maximum number of holders to return. An anchor with more holders is not a name. */
export const MAX_HOLDERS = 20;

/**
 * Reading texts takes long. Of the units with all words of a phrase, ordered by unit id, only so many are read to see whether
 * the words stand in its order. No further unit is a holder.
 */
export const MAX_PHRASES_READ = 200;

/** The filter of a leg: also restricts the unit kinds. */
export function legFilter(filter: Filter, { unitKinds }: Leg): Filter {
  if (unitKinds === undefined) return filter;
  const kinds = filter.unitKinds;
  return { ...filter, unitKinds: kinds === undefined ? unitKinds : unitKinds.filter((kind) => kinds.includes(kind)) };
}

/** The id of the result that a unit belongs to: the unit itself if it is a result, else its entity. */
export function resultKey(query: ResultParts, unit: Pick<FoundUnit, 'unit' | 'entity' | 'kind'>) {
  return isOwnResult(query, unit) ? unit.unit : unit.entity;
}

/** Whether the card of its entity counts for a unit: it says what the server of a tool is for. */
export function hasCard(query: ResultParts, unit: Pick<FoundUnit, 'kind'>): boolean {
  return unit.kind === 'tool' || (unit.kind !== 'card' && !isOwnResult(query, unit));
}

export function isOwnResult(query: ResultParts, { kind }: Pick<FoundUnit, 'kind'>): boolean {
  if (kind === 'tool') return query.toolsAsResults;
  return kind === 'chunk' && query.chunksAsResults === true;
}
