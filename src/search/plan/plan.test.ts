import { describe, expect, it } from 'vitest';
import { type SearchRequest, searchRequestSchema } from '../../model/query/query.ts';
import { planSearch } from './plan.ts';

/** For each field of a request, a value that changes the filter; null for a field that does not. */
const FILTERING: { readonly [F in keyof SearchRequest]-?: SearchRequest[F] | null } = {
  query: null,
  entity_types: ['skill'],
  tags: ['time'],
  max_results: null,
  include_draft: true,
  include_deprecated: true,
  include_disabled: true,
  statuses: ['draft'],
  metadata_fields: null,
  preset: null,
  explain: null,
  weights: null,
  rrf_k: null,
  soft_cap: null,
  offset: null,
  min_confidence: null,
  facets: null,
  // The registry turns these into a list of entities.
  drifted: null,
  paths: null,
  floor: null,
  with_prerequisites: null,
  why_not: null,
  where: { language: 'TypeScript' },
  memory: { types: ['decision'] },
  document: { collections: ['handbook'], chunks: false },
  searches: null,
  intent: null,
  query_vector: null,
  peers: null,
};

const filterOf = (fields: object) => planSearch(searchRequestSchema.parse({ query: 'clock', ...fields })).filter;

describe('the filter of a plan', () => {
  it.each(Object.entries(FILTERING).filter(([, value]) => value !== null))('changes with %s', (field, value) => {
    expect(filterOf({ [field]: value })).not.toEqual(filterOf({}));
  });

  it('is the same object for every request without filters', () => {
    expect(filterOf({ max_results: 3, preset: 'rrf' })).toBe(filterOf({}));
  });
});
