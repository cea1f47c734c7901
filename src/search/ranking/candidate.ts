import type { EntityId, EntityType } from '../../model/entity.ts';
import type { Explanation } from '../../model/explanation.ts';
import type { FoundUnit } from '../retrieval/retrieval.ts';

/** A unit with what each leg gives it: its own score, and a share of its card's where the preset lets cards count. */
export interface ScoredUnit {
  readonly found: FoundUnit;
  /** null: no match. */
  readonly keyword: number | null;
  /** null: unknown, which is never the same as zero. */
  readonly vector: number | null;
  /** Its place among the results of that leg's list, from 1; null when the leg did not find it itself. */
  readonly keywordRank: number | null;
  readonly vectorRank: number | null;
  /** Both legs joined; null where the fusion gives it nothing. */
  score: number | null;
}

/** What is being ranked: an entity, or a tool of a server where tools themselves were asked for. */
export interface Candidate {
  /** The entity's id, or the unit's where the unit itself is the result. */
  readonly key: string;
  readonly entity: EntityId;
  /** What it counts as when types share the results. */
  readonly type: EntityType;
  /** The unit that scored best. It gives the candidate its score, and it is the one that is shown. */
  readonly best: ScoredUnit;
  /** Every unit of it that retrieval returned. */
  readonly units: readonly ScoredUnit[];
  readonly score: number;
  /** How sure it is that this answers the query at all: see `calibrate/confidence.ts`. */
  readonly confidence: number;
  /** Makes the tree that adds up to `score`, where one was asked for: only what is shown need be explained. */
  readonly explain: (() => Explanation) | undefined;
}

/** The same with another score. Field by field: a copy by spreading has another shape, and every reader gets slower. */
export function rescored(candidate: Candidate, score: number, explain: Candidate['explain']): Candidate {
  const { key, entity, type, best, units, confidence } = candidate;
  return { key, entity, type, best, units, score, confidence, explain };
}

/**
 * The share of the card in the score of a part. On a public collection of MCP servers with questions, a fifth to a third is
 * best for either leg and for both together (nDCG@10 of the fusion .554 without, .572 with); elsewhere entities have one
 * unit and nothing changes.
 */
export const CARD_SHARE = 0.25;
