import type { Engine } from '../../engines/engine.ts';
import type { Entity, EntityId } from '../../model/entity.ts';
import type { FacetField } from '../../model/query.ts';
import type { FacetCounts } from '../../model/result.ts';
import type { Candidate } from '../../search/ranking/candidate.ts';
import { compareIds } from '../../search/ranking/ranked-list.ts';

/** How many values a field shows; a catalog has thousands of tags. */
const MAX_VALUES = 50;

/** Counts what matched by the values of its fields, most frequent first: of the same set that the pages are taken from. */
export async function countFacets(
  engine: Engine,
  matched: readonly Candidate[],
  fields: readonly FacetField[],
): Promise<FacetCounts> {
  const records = await engine.getShown([...new Set(matched.map(({ entity }) => entity))]);
  const entities = new Map<EntityId, Entity>(records.map(({ id, entity }) => [id, entity]));
  const counts: FacetCounts = {};
  for (const field of new Set(fields)) {
    const byValue = new Map<string, number>();
    for (const candidate of matched) {
      const entity = entities.get(candidate.entity);
      if (entity === undefined) continue;
      for (const value of valuesOf(entity, candidate, field)) byValue.set(value, (byValue.get(value) ?? 0) + 1);
    }
    counts[field] = Array.from(byValue, ([value, count]) => ({ value, count }))
      .sort((a, b) => b.count - a.count || compareIds(a.value, b.value))
      .slice(0, MAX_VALUES);
  }
  return counts;
}

function valuesOf(entity: Entity, { type }: Candidate, field: FacetField): readonly string[] {
  switch (field) {
    case 'entity_type':
      return [type];
    case 'tags':
      return [...new Set(entity.tags)];
    case 'status':
      return [entity.status];
    case 'visibility':
      return [entity.visibility];
  }
}
