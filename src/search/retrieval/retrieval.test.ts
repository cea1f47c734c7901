import { describe, expect, it } from 'vitest';
import { foundUnit } from '../../../test/support/rank-lists.ts';
import { fetchEnough, isOwnResult, legFilter, resultKey } from './retrieval.ts';

/** Fetches from a list of results by name, and remembers the limits it was asked with. */
function fetching(list: readonly string[], results: number, limit: number) {
  const limits: number[] = [];
  const fetched = fetchEnough(
    results,
    limit,
    (most) => {
      limits.push(most);
      return list.slice(0, most);
    },
    (keys) => ({ length: keys.length, keyAt: (at) => keys[at]! }),
  );
  return { limits, count: fetched.length };
}

describe('fetchEnough', () => {
  const same = (count: number) => Array<string>(count).fill('same');

  it('fetches once if the list has enough distinct results or all units', () => {
    expect(fetching(['a', 'b', 'c', 'd'], 3, 3)).toEqual({ limits: [3], count: 3 });
    expect(fetching(['a', 'a', 'a'], 2, 4)).toEqual({ limits: [4], count: 3 });
    expect(fetching([], 5, 4)).toEqual({ limits: [4], count: 0 });
  });

  it('multiplies the limit by eight until there are enough results', () => {
    expect(fetching([...same(20), 'other', ...same(100)], 2, 4)).toEqual({ limits: [4, 32], count: 32 });
    expect(fetching([...same(40), 'other', ...same(500)], 2, 4)).toEqual({ limits: [4, 32, 256], count: 256 });
  });

  it('stops at 10,000 units, at the end of the list, and for a limit of 0', () => {
    expect(fetching(same(50_000), 2, 4000)).toEqual({ limits: [4000, 10_000], count: 10_000 });
    expect(fetching(same(50_000), 2, 20_000)).toEqual({ limits: [20_000], count: 20_000 });
    expect(fetching(same(100), 2, 50)).toEqual({ limits: [50, 400], count: 100 });
    expect(fetching(same(100), 2, 0)).toEqual({ limits: [0], count: 0 });
  });
});

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
