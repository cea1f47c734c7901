import type { Explanation } from '../../../model/answer/explanation.ts';
import type { EntityId, EntityType } from '../../../model/entity.ts';
import { SERVER_TYPES } from '../../../model/entity-types/table.ts';
import type { FoundUnit } from '../../retrieval/retrieval.ts';

/** The entities whose tools are units. */
export const HAS_TOOLS: ReadonlySet<EntityType> = new Set(SERVER_TYPES);

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
  /** The unit whose place this one got in the choice among the tools of a server (`tool-choice.ts`). Default: none. */
  readonly place?: ScoredUnit | undefined;
}

/** The retrieved units of one result. */
export interface ResultUnits {
  readonly units: readonly ScoredUnit[];
  /** Whether the result is a part of an entity, such as a tool of a server, and not the entity. */
  readonly isPart: boolean;
}

/**
 * A possible result: an entity, or a part of one. Its key and type are read from its best unit on demand: most candidates
 * never need them, and few units are in the processor's cache.
 */
export class Candidate {
  /** The same object in every copy of the candidate. */
  readonly result: ResultUnits;
  /** The unit with the best score. It determines the score of the candidate, and the answer shows it. */
  readonly best: ScoredUnit;
  readonly score: number;
  /** 0: found among the first units of each leg. Higher: only a deeper search finds it, so it comes after them. */
  readonly depth: number;
  /** Builds the explanation of `score`. Undefined unless the request asks for it. Lazy: only the page is explained. */
  readonly explain: (() => Explanation) | undefined;

  constructor(
    result: ResultUnits,
    best: ScoredUnit,
    score: number,
    depth: number,
    explain: (() => Explanation) | undefined,
  ) {
    this.result = result;
    this.best = best;
    this.score = score;
    this.depth = depth;
    this.explain = explain;
  }

  /** The id of the entity, or of the unit if the result is a part. */
  get key(): string {
    const { found } = this.best;
    return this.result.isPart ? found.unit : found.entity;
  }

  get entity(): EntityId {
    return this.best.found.entity;
  }

  /** The type for soft caps and facets. */
  get type(): EntityType {
    const { found } = this.best;
    return this.result.isPart && found.kind === 'tool' ? 'tool' : found.type;
  }

  /** All its retrieved units. */
  get units(): readonly ScoredUnit[] {
    return this.result.units;
  }
}

/** A copy with another score and depth. */
export function rescored(
  { result, best, depth: ownDepth }: Candidate,
  score: number,
  explain: Candidate['explain'],
  depth = ownDepth,
): Candidate {
  return new Candidate(result, best, score, depth, explain);
}

/** The candidate as if another of its units had scored. */
export function withBest({ result, score, depth, explain }: Candidate, best: ScoredUnit): Candidate {
  return new Candidate(result, best, score, depth, explain);
}

/**
 * The share of the card in the score of another unit. On a public collection of questions to MCP servers, a fifth to a
 * third is best: nDCG@10 of the fusion is .554 without and .572 with it. In other collections entities have one unit, so
 * nothing changes.
 */
export const CARD_SHARE = 0.25;
