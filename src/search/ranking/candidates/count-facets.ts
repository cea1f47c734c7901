import type { FacetCounts } from '../../../model/answer/result.ts';
import type { Facet } from '../../../model/entity-parts/facets.ts';
import type { FacetField } from '../../../model/query/query.ts';
import { compareIds } from '../../retrieval/compare-ids.ts';
import type { Candidate } from './candidate.ts';

/** The maximum number of values per field. A catalog can have thousands of tags. */
const MAX_VALUES = 50;

/** Counts all matches by the values of each field, most frequent first. */
export function countFacets(matched: readonly Candidate[], fields: readonly FacetField[]): FacetCounts {
  const counts: FacetCounts = {};
  for (const field of new Set(fields)) {
    const byValue = new Map<string, number>();
    for (const candidate of matched) {
      for (const value of valuesOf(candidate, field)) byValue.set(value, (byValue.get(value) ?? 0) + 1);
    }
    counts[field] = Array.from(byValue, ([value, count]) => ({ value, count }))
      .sort((a, b) => b.count - a.count || compareIds(a.value, b.value))
      .slice(0, MAX_VALUES);
  }
  return counts;
}

function valuesOf({ type, best }: Candidate, field: FacetField): readonly string[] {
  const { facts } = best.found;
  switch (field) {
    case 'entity_type':
      return [type];
    case 'tags':
      return facts.tags;
    case 'status':
      return [facts.status];
    case 'visibility':
      return [facts.visibility];
    default:
      return facetValues(facts.facets, field);
  }
}

function facetValues(facets: readonly string[], facet: Facet): readonly string[] {
  const values: string[] = [];
  for (const key of facets) if (key.startsWith(`${facet}=`)) values.push(key.slice(facet.length + 1));
  return values;
}
