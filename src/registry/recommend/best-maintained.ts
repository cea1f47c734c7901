import type { Store } from '../../engines/store.ts';
import type { EntityType } from '../../model/entity.ts';
import { type FacetFilter, facetKeysOf, facetsOf, hasFacet } from '../../model/facets.ts';
import type { RelaxedFilter } from '../../recommend/relaxation.ts';
import { scanRecords } from '../operations/scan-records.ts';
import type { FoundOption } from './options.ts';

export interface MaintainedOptions extends RelaxedFilter {
  readonly found: readonly FoundOption[];
}

/**
 * When a query finds nothing at all: entities in use by their maintenance, best first, then by path. Facets hold here too:
 * `tries` are dropped in their order until something is left.
 */
export async function bestMaintained(
  { store }: { readonly store: Store },
  types: readonly EntityType[],
  tries: readonly RelaxedFilter[],
  limit: number,
): Promise<MaintainedOptions> {
  const kept: { readonly option: FoundOption; readonly facets: readonly string[] }[] = [];
  for await (const { entity } of scanRecords(store, types)) {
    const { type: entity_type, path, name, description, health, status, is_enabled } = entity;
    const relevance_score = health?.maintenance ?? 0;
    const isInUse = is_enabled && (status === 'active' || status === 'beta');
    if (relevance_score === 0 || !isInUse) continue;
    const option = { entity_type, path, name, description, relevance_score, confidence: 0, matched_fields: [] };
    kept.push({ option, facets: facetsOf(entity) });
  }
  const ranked = kept.sort(
    ({ option: a }, { option: b }) => b.relevance_score - a.relevance_score || (a.path < b.path ? -1 : 1),
  );
  const meeting = (where: FacetFilter) => {
    const wanted = facetKeysOf(where);
    return ranked.filter(({ facets }) => wanted.every((key) => hasFacet(facets, key)));
  };
  for (const [at, { where, relaxed }] of tries.entries()) {
    const found = meeting(where);
    if (found.length > 0 || at === tries.length - 1) {
      return { where, relaxed, found: found.slice(0, limit).map(({ option }) => option) };
    }
  }
  throw new Error('There is always a filter to try.');
}
