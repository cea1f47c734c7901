import type { EntityId, EntityType } from '../../model/entity.ts';
import type { Explanation } from '../../model/explanation.ts';
import type { UnitHit } from './ranked-list.ts';

/** What one leg says of a result. */
export interface LegHit {
  /** Its best unit. The score in it is that of the leg that found it, which may be the other one. */
  readonly hit: UnitHit;
  /** This leg's score of that unit. */
  readonly unitScore: number;
  /** How that came about, where it was asked for. */
  readonly detail: Explanation | undefined;
  /** The leg's score of the whole: of the best unit, and of the card where the preset lets it count. */
  readonly score: number;
  /** Its rank among that leg's candidates, from 1; null when only the other leg found it and the score was looked up. */
  readonly rank: number | null;
}

/** What is being ranked: an entity, or a tool of a server where tools themselves were asked for. */
export interface Candidate {
  /** The entity's id, or the unit's where the unit itself is the result. */
  readonly key: string;
  readonly entity: EntityId;
  /** What it counts as when types share the results. */
  readonly type: EntityType;
  readonly score: number;
  /** How sure it is that this answers the query at all: see `calibrate/confidence.ts`. */
  readonly confidence: number;
  /** Absent: it has no score there. For the vector leg that means unknown, never zero. */
  readonly keyword: LegHit | undefined;
  readonly vector: LegHit | undefined;
  /** Makes the tree that adds up to `score`, where one was asked for: only what is shown need be explained. */
  readonly explain: (() => Explanation) | undefined;
}

/** The same with another score. Field by field: a copy by spreading has another shape, and every reader gets slower. */
export function rescored(candidate: Candidate, score: number, explain: Candidate['explain']): Candidate {
  const { key, entity, type, confidence, keyword, vector } = candidate;
  return { key, entity, type, score, confidence, keyword, vector, explain };
}

/** Whether a unit is a result of its own: a tool of a server, where tools were asked for. */
export function isOwnResult(plan: { readonly toolsAsResults: boolean }, { kind }: UnitHit): boolean {
  return plan.toolsAsResults && kind === 'tool';
}

/** What a unit counts for: its entity, or itself. */
export function resultKey(plan: { readonly toolsAsResults: boolean }, hit: UnitHit): string {
  return isOwnResult(plan, hit) ? hit.unit : hit.entity;
}

/**
 * On a public collection of MCP servers with questions, a fifth to a third is best for either leg and for both together
 * (nDCG@10 of the fusion .554 without, .572 with); elsewhere entities have one unit and nothing changes.
 */
export const CARD_SHARE = 0.25;
