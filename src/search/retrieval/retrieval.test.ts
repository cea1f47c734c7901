import { describe, expect, it } from 'vitest';
import { foundUnit } from '../../../test/support/rank-lists.ts';
import { isOwnResult, legFilter, resultKey } from './retrieval.ts';

describe('resultKey', () => {
  const [card, tool, alone] = [
    foundUnit({ path: '/s' }),
    foundUnit({ path: '/s', key: 'tool:a' }),
    foundUnit({ path: '/t', type: 'tool' }),
  ];

  it('is the entity, or the tool of a server if tools are results', () => {
    const keys = (toolsAsResults: boolean) => [card, tool, alone].map((found) => resultKey({ toolsAsResults }, found));
    expect(keys(false)).toEqual(['mcp_server:/s', 'mcp_server:/s', 'tool:/t']);
    expect(keys(true)).toEqual(['mcp_server:/s', 'mcp_server:/s#tool:a', 'tool:/t']);
    expect([card, tool, alone].map((found) => isOwnResult({ toolsAsResults: true }, found))).toEqual([
      false,
      true,
      false,
    ]);
  });
});

describe('legFilter', () => {
  it('restricts the unit kinds of the filter to those of the leg', () => {
    const filter = { statuses: ['active'] } as const;
    expect(legFilter(filter, { limit: 1 })).toBe(filter);
    expect(legFilter(filter, { limit: 1, unitKinds: ['card'] })).toEqual({ ...filter, unitKinds: ['card'] });
    expect(legFilter({ unitKinds: ['tool', 'card'] }, { limit: 1, unitKinds: ['card', 'chunk'] })).toEqual({
      unitKinds: ['card'],
    });
    expect(legFilter({ unitKinds: ['tool'] }, { limit: 1, unitKinds: ['card'] })).toEqual({ unitKinds: [] });
  });
});
