import { describe, expect, it } from 'vitest';
import { rrf } from './rrf.ts';

const order = (lists: readonly (readonly string[])[], k?: number) =>
  rrf(lists, k === undefined ? {} : { k }).map(({ id }) => id);
const scores = (lists: readonly (readonly string[])[]) =>
  Object.fromEntries(rrf(lists).map(({ id, score }) => [id, Number(score.toFixed(6))]));
const ids = (prefix: string, count: number) => Array.from({ length: count }, (_, i) => `${prefix}${i}`);

describe('reciprocal rank fusion', () => {
  it('RRF-1: gives nothing for nothing', () => {
    expect(rrf([[], []])).toEqual([]);
  });

  it('RRF-2: scores a single list by rank', () => {
    expect(scores([[], ['a', 'b', 'c']])).toEqual({ a: 0.016393, b: 0.016129, c: 0.015873 });
  });

  it('RRF-3: keeps the order of a lone vector list', () => {
    expect(order([['x', 'y'], []])).toEqual(['x', 'y']);
  });

  it('RRF-4: gives 2/61 to the first of both lists', () => {
    expect(rrf([['a'], ['a']])[0]?.score).toBeCloseTo(2 / 61, 12);
  });

  it('RRF-5: puts what both lists have before what one has', () => {
    const [first, ...rest] = rrf([
      ['s', 'v'],
      ['s', 'k'],
    ]);
    expect(first?.id).toBe('s');
    for (const other of rest) expect(first!.score).toBeGreaterThan(other.score);
  });

  it('RRF-6: lets the vector list win a tie', () => {
    expect(rrf([['a'], ['b']]).map(({ id, score }) => [id, score.toFixed(6)])).toEqual([
      ['a', '0.016393'],
      ['b', '0.016393'],
    ]);
  });

  it.each([
    [
      'RRF-7',
      [
        ['a', 'b', 'c'],
        ['c', 'a'],
      ],
      ['a', 'c', 'b'],
      { a: 0.032522, c: 0.032266, b: 0.016129 },
    ],
    [
      'RRF-8',
      [
        ['p', 'q', 'r'],
        ['z', 'p', 'r', 'q'],
      ],
      ['p', 'q', 'r', 'z'],
      { p: 0.032522, q: 0.031754, r: 0.031746, z: 0.016393 },
    ],
    [
      'RRF-9',
      [
        ['a', 'b', 'c'],
        ['c', 'b', 'a'],
      ],
      ['a', 'c', 'b'],
      { a: 0.032266, c: 0.032266, b: 0.032258 },
    ],
  ])('%s: adds the shares of both lists', (_, lists, expectedOrder, expectedScores) => {
    expect(order(lists)).toEqual(expectedOrder);
    expect(scores(lists)).toEqual(expectedScores);
  });

  it('RRF-10: gives ten distinct, falling scores to one order twice', () => {
    const fused = rrf([ids('d', 10), ids('d', 10)]);
    fused.forEach(({ score }, i) => {
      expect(score).toBeCloseTo(2 / (61 + i), 12);
    });
  });

  it('RRF-11: returns an id once, also when a list repeats it', () => {
    expect(order([['a', 'a', 'b'], ['a']])).toEqual(['a', 'b']);
    expect(rrf([['a', 'a', 'b']])[1]?.ranks).toEqual([2]);
  });

  it('RRF-12: spreads scores wider with a smaller k', () => {
    const spread = (k: number) => {
      const fused = rrf([ids('d', 5)], { k });
      return fused[0]!.score - fused[4]!.score;
    };
    expect(spread(2)).toBeGreaterThan(spread(60));
  });

  it('RRF-13: keeps all of two disjoint lists', () => {
    const fused = rrf([ids('v', 200), ids('k', 100)]);
    expect(fused).toHaveLength(300);
    for (let i = 1; i < fused.length; i++) expect(fused[i]!.score).toBeLessThanOrEqual(fused[i - 1]!.score);
  });

  it('RRF-15: gives a keyword-only id nothing from the vector list', () => {
    expect(rrf([['a', 'b'], ['k']]).find(({ id }) => id === 'k')?.score).toBe(1 / 61);
  });

  it('weights the lists, also with zero', () => {
    const fused = rrf([['a'], ['b']], { weights: [0, 2] });
    expect(fused.map(({ id, score }) => [id, score])).toEqual([
      ['b', 2 / 61],
      ['a', 0],
    ]);
  });
});
