import type { UnitId, UnitKind } from '../../model/unit.ts';
import type { Candidate } from '../../search/ranking/candidate.ts';
import type { UnitHit, UnitRef } from '../../search/ranking/ranked-list.ts';
import type { UnitShares } from './unit-shares.ts';

/** The part of an entity that an answer shows. */
export interface ShownUnit {
  readonly id: UnitId;
  /** As a leg found it. */
  readonly ref: UnitRef;
  readonly key: string;
  readonly kind: UnitKind;
  readonly title: string;
}

/** A part says more about why an entity was found than its card does, unless the card was found much better. */
const PART_BEFORE_CARD = 0.7;

/** What both legs together found best. */
export function shownUnit(candidate: Candidate, unitShares: UnitShares): ShownUnit {
  const { hit } = (candidate.keyword ?? candidate.vector)!;
  if (candidate.key === hit.unit) return toShown(hit);
  let best = hit;
  let bestShare = -1;
  for (const found of unitShares.get(candidate.entity) ?? []) {
    const weighted = found.hit.kind === 'card' ? found.share * PART_BEFORE_CARD : found.share;
    if (weighted > bestShare) {
      best = found.hit;
      bestShare = weighted;
    }
  }
  return toShown(best);
}

function toShown(hit: UnitHit): ShownUnit {
  return { id: hit.unit, ref: hit, key: hit.unit.slice(hit.entity.length + 1), kind: hit.kind, title: hit.title };
}
