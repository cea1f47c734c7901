import type { EntityId, EntityType } from '../model/entity.ts';
import type { Explanation } from '../model/explanation.ts';
import type { RankedList, UnitHit } from './ranked-list.ts';

/** A hit of one leg, with its rank among that leg's candidates, from 1. */
export interface LegHit {
  readonly hit: UnitHit;
  readonly rank: number;
}

/** What is being ranked: an entity, or a tool of a server where tools themselves were asked for. */
export interface Candidate {
  /** The entity's id, or the unit's where the unit itself is the result. */
  readonly key: string;
  readonly entity: EntityId;
  /** What it counts as when types share the results. */
  readonly type: EntityType;
  readonly score: number;
  /** Absent: that leg did not find it. */
  readonly keyword?: LegHit;
  readonly vector?: LegHit;
  /** Adds up to `score`; present when an explanation was asked for. */
  readonly explanation?: Explanation;
}

/** The part of the entity to show: what the keyword leg found says more about why than a nearest neighbour does. */
export function bestUnit(candidate: Candidate): UnitHit {
  const { keyword, vector } = candidate;
  if (keyword === undefined) return vector!.hit;
  if (vector === undefined) return keyword.hit;
  return vector.hit.kind !== 'card' && keyword.hit.kind === 'card' ? vector.hit : keyword.hit;
}

export interface LegEntry extends LegHit {
  readonly key: string;
}

/**
 * Rolls a leg's units up to what is ranked: the best unit stands for its entity. `asUnit` tells which units are results
 * of their own.
 */
export function rollUp(list: RankedList, asUnit: (hit: UnitHit) => boolean): ReadonlyMap<string, LegEntry> {
  const entries = new Map<string, LegEntry>();
  for (const hit of list) {
    const key = asUnit(hit) ? hit.unit : hit.entity;
    if (!entries.has(key)) entries.set(key, { key, hit, rank: entries.size + 1 });
  }
  return entries;
}
