import type { EntityId, EntityType } from '../model/entity.ts';
import type { Explanation } from '../model/explanation.ts';
import type { RankedList, UnitHit } from './ranked-list.ts';

/** A hit of one leg. */
export interface LegHit {
  readonly hit: UnitHit;
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
  /** Absent: it has no score there. For the vector leg that means unknown, never zero. */
  readonly keyword: LegHit | undefined;
  readonly vector: LegHit | undefined;
  /** Makes the tree that adds up to `score`, where one was asked for: only what is shown need be explained. */
  readonly explain: (() => Explanation) | undefined;
}

/** What a unit counts for: its entity, or itself where tools were asked for. */
export function resultKey(plan: { readonly toolsAsResults: boolean }, hit: UnitHit): string {
  return plan.toolsAsResults && hit.kind === 'tool' ? hit.unit : hit.entity;
}

/**
 * Rolls a leg's units up to what is ranked: the best unit stands for its entity. `lookedUp` has the scores of units that
 * only the other leg found.
 */
export function rollUp(
  found: RankedList,
  lookedUp: RankedList,
  keyOf: (hit: UnitHit) => string,
): ReadonlyMap<string, LegHit> {
  const entries = new Map<string, LegHit>();
  for (const hit of found) {
    const key = keyOf(hit);
    if (!entries.has(key)) entries.set(key, { hit, rank: entries.size + 1 });
  }
  for (const hit of lookedUp) {
    const key = keyOf(hit);
    if (!entries.has(key)) entries.set(key, { hit, rank: null });
  }
  return entries;
}
