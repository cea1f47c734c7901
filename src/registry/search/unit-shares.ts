import type { EntityId } from '../../model/entity.ts';
import type { SearchPlan } from '../../search/plan.ts';
import type { Retrieved } from '../../search/ranking/fuse.ts';
import type { RankedList, UnitHit } from '../../search/ranking/ranked-list.ts';

/** A unit as a leg found it, and how well the legs did: a share in [0, 1] of the best that a unit could have. */
export interface FoundUnit {
  readonly hit: UnitHit;
  share: number;
}

/** For each entity of the page, its units that the legs themselves found, in the order they were met. */
export type UnitShares = ReadonlyMap<EntityId, readonly Readonly<FoundUnit>[]>;

export function unitSharesOf(
  plan: SearchPlan,
  { keyword, vector }: Pick<Retrieved, 'keyword' | 'vector'>,
  page: ReadonlyMap<EntityId, unknown>,
): UnitShares {
  const shares = new Map<EntityId, FoundUnit[]>();
  for (const id of page.keys()) shares.set(id, []);
  const { rrfK } = plan.preset;
  const weights = typeof plan.preset.weights === 'string' ? { keyword: 1, vector: 1 } : plan.preset.weights;
  const best = (weights.keyword + (vector === null ? 0 : weights.vector)) / (rrfK + 1);
  const count = (list: RankedList, weight: number) => {
    for (let at = 0; at < list.length; at++) {
      const hit = list[at]!;
      const units = shares.get(hit.entity);
      if (units === undefined) continue;
      const gain = weight / (rrfK + at + 1) / best;
      // A unit is once in each list, and of one entity there are few: looking through them is quicker than a map.
      const found = units.find((other) => other.hit.unit === hit.unit);
      if (found === undefined) units.push({ hit, share: Math.min(1, gain) });
      else found.share = Math.min(1, found.share + gain);
    }
  };
  count(keyword, weights.keyword);
  if (vector !== null) count(vector, weights.vector);
  return shares;
}
