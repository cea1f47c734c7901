import type { Store } from '../../engines/store.ts';
import type { EntityType } from '../../model/entity.ts';
import { scanRecords } from '../operations/scan-records.ts';
import type { FoundOption } from './options.ts';

/** When a query finds nothing at all: entities in use by their maintenance, best first, then by path. */
export async function bestMaintained(
  { store }: { readonly store: Store },
  types: readonly EntityType[],
  limit: number,
): Promise<readonly FoundOption[]> {
  const found: FoundOption[] = [];
  for await (const { entity } of scanRecords(store, types)) {
    const { type: entity_type, path, name, description, health, status, is_enabled } = entity;
    const relevance_score = health?.maintenance ?? 0;
    const isInUse = is_enabled && (status === 'active' || status === 'beta');
    if (relevance_score === 0 || !isInUse) continue;
    found.push({ entity_type, path, name, description, relevance_score, confidence: 0, matched_fields: [] });
  }
  return found.sort((a, b) => b.relevance_score - a.relevance_score || (a.path < b.path ? -1 : 1)).slice(0, limit);
}
