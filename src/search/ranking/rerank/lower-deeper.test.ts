import { describe, expect, it } from 'vitest';
import { addUpError } from '../../../../test/support/add-up-error.ts';
import { foundUnit, rankLists } from '../../../../test/support/rank-lists.ts';

/** One server whose tools fill the first depth, and three servers that only a deeper search finds. */
const tools = Array.from({ length: 80 }, (_, n) =>
  foundUnit({ path: '/crowd', key: `tool:t${n}`, keyword: 9 - n / 100 }),
);
const SCORES = [8, 7.99, 7];
const deeper = ['/anything', '/b', '/c'].map((path, n) => foundUnit({ path, keyword: SCORES[n]! }));
const order = (options: Parameters<typeof rankLists>[1]) =>
  rankLists({ vector: null, keyword: [...tools, ...deeper] }, options).found.map(({ entity }) =>
    entity.replace('mcp_server:', ''),
  );

describe('results of a deeper search', () => {
  it('come after the first ones, best first, with explanations that add up', () => {
    const { page } = rankLists({ vector: null, keyword: [...tools, ...deeper] }, { request: { explain: true } });
    expect(page.map(({ depth }) => depth)).toEqual([0, 1, 1, 1]);
    for (const { explain, score } of page) {
      expect(explain!().value).toBe(score);
      expect(addUpError(explain!())).toBeLessThan(1e-9);
    }
  });

  it('do not come first by their name: a search for fewer results does not find them', () => {
    expect(order({})).toEqual(['/crowd', '/anything', '/b', '/c']);
  });

  it('rank below their likes if they did not answer', () => {
    expect(order({ dead: ['/anything'] })).toEqual(['/crowd', '/b', '/anything', '/c']);
  });
});
