import type { Entity, EntityId } from '../model/entity.ts';
import { type UnitId, type UnitKind, unitId } from '../model/unit.ts';
import type { Candidate } from '../search/candidate.ts';
import type { UnitHit, UnitRef } from '../search/ranked-list.ts';
import { titleOf } from './entity-parts.ts';

/** For each entity, how well its units were found by the legs themselves: unit key to a share in [0, 1]. */
export type UnitShares = ReadonlyMap<EntityId, ReadonlyMap<string, number>>;

/** The part of an entity that an answer shows. */
export interface ShownUnit {
  readonly id: UnitId;
  /** As a leg found it, where one did. */
  readonly ref: UnitRef;
  readonly key: string;
  readonly kind: UnitKind;
  readonly title: string;
}

/** A part says more about why an entity was found than its card does, unless the card was found much better. */
const PART_BEFORE_CARD = 0.7;

/** What both legs together found best. */
export function shownUnit(candidate: Candidate, entity: Entity | undefined, unitShares: UnitShares): ShownUnit {
  const { hit } = (candidate.keyword ?? candidate.vector)!;
  if (candidate.key === hit.unit) return toShown(hit);
  let best = '';
  let bestShare = -1;
  for (const [key, share] of unitShares.get(candidate.entity) ?? []) {
    const weighted = key === 'card' ? share * PART_BEFORE_CARD : share;
    if (weighted > bestShare) {
      best = key;
      bestShare = weighted;
    }
  }
  const { keyword, vector } = candidate;
  if (keyword !== undefined && (best === '' || keyOf(keyword.hit) === best)) return toShown(keyword.hit);
  if (vector !== undefined && (best === '' || keyOf(vector.hit) === best)) return toShown(vector.hit);
  const unit = entity === undefined ? undefined : titleOf(entity, best);
  const { kind, title } = unit ?? { kind: 'card' as const, title: entity?.name ?? '' };
  const id = unitId(candidate.entity, best);
  return { id, ref: { unit: id }, key: best, kind, title };
}

const keyOf = ({ unit, entity }: UnitHit) => unit.slice(entity.length + 1);

function toShown(hit: UnitHit): ShownUnit {
  return { id: hit.unit, ref: hit, key: keyOf(hit), kind: hit.kind, title: hit.title };
}
