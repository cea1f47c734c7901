import { describe, expect, it } from 'vitest';
import { parseArdFilter } from './ard-filter.ts';
import { toSearchFilter } from './ard-search-filter.ts';
import { DISCOVERABLE_TYPES } from './ard-types.ts';

const split = (filter: Record<string, string | string[]>) => {
  const { filter: kept, rest } = toSearchFilter(parseArdFilter(filter, undefined));
  return [kept, rest.map(({ term }) => term)];
};
const entity_types = [...DISCOVERABLE_TYPES];

describe('the part of an ARD filter that a search applies', () => {
  it.each<[Record<string, string | string[]>, object | null, string[]]>([
    [{}, { entity_types }, []],
    [{ type: 'application/ai-skill+md' }, { entity_types: ['skill'] }, []],
    [{ 'metadata.entity_type': ['skill', 'package'] }, { entity_types: ['skill'] }, []],
    [{ type: 'application/ai-skill+md', 'metadata.entity_type': 'mcp_server' }, null, []],
    [{ type: 'text/plain' }, null, []],
    [{ tags: 'a' }, { entity_types, tags: ['a'] }, []],
    [{ tags: ['a', 'b'] }, { entity_types }, ['tags']],
    [{ tags: ' ' }, { entity_types }, ['tags']],
    [{ tags: [] }, { entity_types }, ['tags']],
    [{ 'metadata.status': ['draft', 'beta', 'deprecated'] }, { entity_types, statuses: ['beta', 'deprecated'] }, []],
    [{ 'metadata.status': 'draft' }, null, []],
    [{ version: '1', displayName: 'x' }, { entity_types }, ['version', 'displayName']],
  ])('of %j is %j, and %j is left', (filter, kept, rest) => {
    expect(split(filter)).toEqual([kept, rest]);
  });
});
