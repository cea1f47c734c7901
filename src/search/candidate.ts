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
  readonly keyword?: LegHit;
  readonly vector?: LegHit;
  /** Adds up to `score`; present when an explanation was asked for. */
  readonly explanation?: Explanation;
}

/** The part of the entity to show: a part rather than the whole card, and what the keyword leg found before a neighbour. */
export function bestUnit(candidate: Candidate): UnitHit {
  const { keyword, vector } = candidate;
  if (keyword === undefined) return vector!.hit;
  if (vector === undefined) return keyword.hit;
  if (keyword.rank === null) return vector.hit;
  return vector.rank !== null && vector.hit.kind !== 'card' && keyword.hit.kind === 'card' ? vector.hit : keyword.hit;
}

/**
 * Rolls a leg's units up to what is ranked: the best unit stands for its entity. `asUnit` tells which units are results
 * of their own; `lookedUp` has the scores of units that only the other leg found.
 */
export function rollUp(
  found: RankedList,
  lookedUp: RankedList,
  asUnit: (hit: UnitHit) => boolean,
): ReadonlyMap<string, LegHit> {
  const entries = new Map<string, LegHit>();
  for (const hit of found) {
    const key = asUnit(hit) ? hit.unit : hit.entity;
    if (!entries.has(key)) entries.set(key, { hit, rank: entries.size + 1 });
  }
  for (const hit of lookedUp) {
    const key = asUnit(hit) ? hit.unit : hit.entity;
    if (!entries.has(key)) entries.set(key, { hit, rank: null });
  }
  return entries;
}
