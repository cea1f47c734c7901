import type { EntityId, EntityType } from '../../model/entity.ts';
import type { Explanation } from '../../model/explanation.ts';
import type { FoundUnit } from '../retrieval/retrieval.ts';

/** A unit with its score from each leg, including the share of its card if the preset uses it. */
export interface ScoredUnit {
  readonly found: FoundUnit;
  /** null: no match. */
  readonly keyword: number | null;
  /** null: unknown, which is not the same as 0. */
  readonly vector: number | null;
  /** The rank of its result in the list of the leg, from 1; null if the leg did not find the unit. */
  readonly keywordRank: number | null;
  readonly vectorRank: number | null;
  /** The fused score; null if the fusion gives none. */
  score: number | null;
}

/** A possible result: an entity, or a tool of a server if tools are results. */
export interface Candidate {
  /** The id of the entity, or of the unit if the result is a tool. */
  readonly key: string;
  readonly entity: EntityId;
  /** The type for soft caps and facets. */
  readonly type: EntityType;
  /** The unit with the best score. It determines the score of the candidate, and the answer shows it. */
  readonly best: ScoredUnit;
  /** All its retrieved units. */
  readonly units: readonly ScoredUnit[];
  readonly score: number;
  /** 0: found among the first units of each leg. Higher: only a deeper search finds it, so it comes after them. */
  readonly depth: number;
  /** Builds the explanation of `score`. Undefined unless the request asks for it. Lazy: only the page is explained. */
  readonly explain: (() => Explanation) | undefined;
}

/** A copy with another score and depth. Not a spread: objects of another hidden class would slow down all readers. */
export function rescored(
  candidate: Candidate,
  score: number,
  explain: Candidate['explain'],
  depth = candidate.depth,
): Candidate {
  const { key, entity, type, best, units } = candidate;
  return { key, entity, type, best, units, score, depth, explain };
}

/** The candidate as if another of its units had scored. */
export function withBest({ key, entity, type, units, score, depth, explain }: Candidate, best: ScoredUnit): Candidate {
  return { key, entity, type, best, units, score, depth, explain };
}

/**
 * The share of the card in the score of another unit. On a public collection of questions to MCP servers, a fifth to a
 * third is best: nDCG@10 of the fusion is .554 without and .572 with it. In other collections entities have one unit, so
 * nothing changes.
 */
export const CARD_SHARE = 0.25;
