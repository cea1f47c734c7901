import { describe, expect, it } from 'vitest';
import type { RankedPage } from '../../src/search/ranking/rank.ts';
import { foundUnit, type RankOptions, rankLists, twoLists } from '../support/rank-lists.ts';

const pathsOf = (candidates: RankedPage['page']) => candidates.map(({ entity }) => entity.split('/')[1]);
const ids = (prefix: string, count: number) => Array.from({ length: count }, (_, i) => `${prefix}${i}`);

describe('reciprocal rank fusion', () => {
  /** Scores before they are scaled for display. */
  const fused = (vector: readonly string[], keyword: readonly string[], options: RankOptions = {}) => {
    const request = { preset: 'registry', ...options.request };
    return rankLists(twoLists(vector, keyword), { ...options, request }).matched;
  };
  const order = (vector: readonly string[], keyword: readonly string[]) => pathsOf(fused(vector, keyword));
  const scores = (vector: readonly string[], keyword: readonly string[]) =>
    Object.fromEntries(fused(vector, keyword).map(({ entity, score }) => [entity.split('/')[1], +score.toFixed(6)]));

  it('RRF-1: gives nothing for nothing', () => {
    expect(fused([], [])).toEqual([]);
  });

  it('RRF-2: scores a keyword list alone by rank', () => {
    expect(scores([], ['a', 'b', 'c'])).toEqual({ a: 0.016393, b: 0.016129, c: 0.015873 });
  });

  it('RRF-3: keeps the order of a vector list alone', () => {
    expect(order(['x', 'y'], [])).toEqual(['x', 'y']);
  });

  it('RRF-4: gives 2/61 to the first of both lists', () => {
    expect(fused(['a'], ['a'])[0]?.score).toBeCloseTo(2 / 61, 12);
  });

  it('RRF-5: puts what both lists have before what one has', () => {
    const [first, ...rest] = fused(['s', 'v'], ['s', 'k']);
    expect(first?.entity).toBe('mcp_server:/s');
    for (const other of rest) expect(first!.score).toBeGreaterThan(other.score);
  });

  it('RRF-6: lets the vector list win a tie, against the order of ids', () => {
    expect(fused(['z'], ['a']).map(({ entity, score }) => [entity, score.toFixed(6)])).toEqual([
      ['mcp_server:/z', '0.016393'],
      ['mcp_server:/a', '0.016393'],
    ]);
  });

  it.each([
    ['RRF-7', ['a', 'b', 'c'], ['c', 'a'], ['a', 'c', 'b'], { a: 0.032522, c: 0.032266, b: 0.016129 }],
    [
      'RRF-8',
      ['p', 'q', 'r'],
      ['z', 'p', 'r', 'q'],
      ['p', 'q', 'r', 'z'],
      { p: 0.032522, q: 0.031754, r: 0.031746, z: 0.016393 },
    ],
    ['RRF-9', ['a', 'b', 'c'], ['c', 'b', 'a'], ['a', 'c', 'b'], { a: 0.032266, c: 0.032266, b: 0.032258 }],
  ])('%s: adds what both lists give', (_, vector, keyword, expectedOrder, expectedScores) => {
    expect(order(vector, keyword)).toEqual(expectedOrder);
    expect(scores(vector, keyword)).toEqual(expectedScores);
  });

  it('RRF-10: gives ten distinct, falling scores to one order twice', () => {
    fused(ids('d', 10), ids('d', 10)).forEach(({ score }, i) => {
      expect(score).toBeCloseTo(2 / (61 + i), 12);
    });
  });

  it('RRF-11: returns an entity once, whichever of its units the lists have', () => {
    const a = (key: string, legs: object) => foundUnit({ path: '/a', key, ...legs });
    const b = foundUnit({ path: '/b', keyword: 1, vector: 0.5 });
    const tool = a('tool:one', { vector: 0.9 });
    const card = a('card', { keyword: 2 });
    const { matched } = rankLists({ vector: [tool, b], keyword: [card, b] }, { request: { preset: 'rrf' } });
    expect(pathsOf(matched).sort()).toEqual(['a', 'b']);
  });

  it('RRF-12: spreads scores wider with a smaller k', () => {
    const spread = (rrf_k: number) => {
      const found = fused(ids('d', 5), [], { request: { rrf_k } });
      return found[0]!.score - found[4]!.score;
    };
    expect(spread(2)).toBeGreaterThan(spread(60));
    expect(fused(['a'], ['a'], { request: { rrf_k: 2 } })[0]?.score).toBeCloseTo(2 / 3, 12);
  });

  it('RRF-13: keeps all of two disjoint lists', () => {
    const found = fused(ids('v', 200), ids('k', 100));
    expect(found).toHaveLength(300);
    for (let i = 1; i < found.length; i++) expect(found[i]!.score).toBeLessThanOrEqual(found[i - 1]!.score);
  });

  it('RRF-15: gives a keyword-only id nothing from the vector list', () => {
    const found = fused(['a', 'b'], ['k']).find(({ entity }) => entity.endsWith('/k'));
    expect(found?.score).toBeCloseTo(1 / 61, 12);
  });

  it('weights the lists, also with zero', () => {
    const found = fused(['a'], ['b'], { request: { weights: { vector: 0.5, keyword: 2 } } });
    expect(found.map(({ entity, score }) => [entity, score])).toEqual([
      ['mcp_server:/b', 2 / 61],
      ['mcp_server:/a', 0.5 / 61],
    ]);
  });
});
