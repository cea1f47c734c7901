import { describe, expect, it } from 'vitest';
import { candidateOf, scoredUnit } from '../../../../test/support/candidates.ts';
import { foundUnit } from '../../../../test/support/rank-lists.ts';
import type { EntityType } from '../../../model/entity.ts';
import type { EntityFacts } from '../../../model/query/filter.ts';
import type { Candidate } from './candidate.ts';
import { countFacets } from './count-facets.ts';

let count = 0;
function candidate(type: EntityType, more: Partial<EntityFacts> = {}, key = 'card'): Candidate {
  const found = foundUnit({ path: `/${count++}`, type, key });
  return candidateOf([scoredUnit({ ...found, facts: { ...found.facts, ...more } })], { isPart: key !== 'card' });
}

describe('facets', () => {
  const matched = [
    candidate('skill', { tags: ['mail', 'eu'], status: 'beta' }),
    candidate('skill', { tags: ['mail'], visibility: 'private' }),
    candidate('document', { tags: ['eu', 'mail'] }),
    candidate('document', { tags: [] }),
    // A tool of a server that is itself a result.
    candidate('mcp_server', { tags: ['api'] }, 'tool:get'),
  ];

  it('count every result by value, most frequent first, then by value', () => {
    expect(countFacets(matched, ['entity_type', 'tags', 'status', 'visibility'])).toEqual({
      entity_type: [
        { value: 'document', count: 2 },
        { value: 'skill', count: 2 },
        { value: 'tool', count: 1 },
      ],
      tags: [
        { value: 'mail', count: 3 },
        { value: 'eu', count: 2 },
        { value: 'api', count: 1 },
      ],
      status: [
        { value: 'active', count: 4 },
        { value: 'beta', count: 1 },
      ],
      visibility: [
        { value: 'public', count: 4 },
        { value: 'private', count: 1 },
      ],
    });
  });

  it('has only the requested fields, without duplicates', () => {
    expect(countFacets(matched, ['status', 'status'])).toEqual({ status: countFacets(matched, ['status']).status });
    expect(countFacets(matched, [])).toEqual({});
    expect(countFacets([], ['tags'])).toEqual({ tags: [] });
  });

  it('has at most 50 values per field', () => {
    const many = Array.from({ length: 60 }, (_, n) => candidate('skill', { tags: [`t${String(n).padStart(2, '0')}`] }));
    const { tags } = countFacets(many, ['tags']);
    expect([tags!.length, tags![0]!.value, tags![49]!.value]).toEqual([50, 't00', 't49']);
  });
});
