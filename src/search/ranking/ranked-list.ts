import type { EntityId, EntityType } from '../../model/entity.ts';
import type { Explanation } from '../../model/explanation.ts';
import type { UnitId, UnitKind } from '../../model/unit.ts';

/** A unit by its name. A hit is one too, and an engine knows its own hits again without looking them up. */
export type UnitRef = Pick<UnitHit, 'unit'>;

/** One unit that a leg found. Absence from a list means "not found by this leg", never a score of zero. */
export interface UnitHit {
  readonly unit: UnitId;
  readonly entity: EntityId;
  readonly type: EntityType;
  readonly kind: UnitKind;
  /** The unit's title, for showing which part of the entity matched. */
  readonly title: string;
  /** BM25F, boost or cosine: comparable within the list only. */
  readonly score: number;
  /** How the score came about, where it was asked for. Adds up to `score`. */
  readonly detail?: Explanation;
}

/** Best first; equal scores by unit id. */
export type RankedList = readonly UnitHit[];

export function scoresOf(scored: readonly { readonly score: number }[]): readonly number[] {
  const scores: number[] = [];
  for (const { score } of scored) scores.push(score);
  return scores;
}

/** Code unit order, not a locale's: the same everywhere. */
export function compareIds(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

export function compareHits(a: UnitHit, b: UnitHit): number {
  return b.score - a.score || compareIds(a.unit, b.unit);
}
