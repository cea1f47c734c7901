import { describe, expect, it } from 'vitest';
import type { EntityType } from '../../src/model/entity.ts';
import { toolLimit } from '../../src/model/query/tool-limit.ts';
import { softCapOf } from '../../src/search/ranking/distribute/distribute.ts';
import { foundUnit, type RankOptions, rankLists } from '../support/rank-lists.ts';

/** Candidates with just these scores, best first or not. */
function scored(scores: readonly number[], options: RankOptions = {}, types: readonly EntityType[] = []) {
  const units = scores.map((keyword, i) =>
    foundUnit({ path: `/${String(i).padStart(3, '0')}`, keyword, type: types[i] ?? 'mcp_server' }),
  );
  const byScore = [...units].sort((a, b) => b.keyword! - a.keyword!);
  const preset = { fusion: 'share', shareOf: 1, vector: null, ...options.preset } as const;
  return rankLists(
    { vector: null, keyword: byScore },
    { ...options, preset, request: { preset: 'registry', ...options.request } },
  );
}

describe('scores for display', () => {
  const shown = (scores: readonly number[], options?: RankOptions) =>
    scored(scores, options).page.map(({ score }) => score);

  it.each([
    ['NORM-1', [], []],
    ['NORM-2', [0.016], [1]],
    ['NORM-3', [0.02, 0.02, 0.02], [1, 1, 1]],
    ['NORM-4', [0.033, 0.016], [1]],
    ['NORM-5', [0.033, 0.02, 0.016], [1, 0.2353]],
  ])('%s: min-max with the documented 20 %% floor', (_, scores, expected) => {
    expect(shown(scores)).toEqual(expected);
  });

  it.each([
    ['NORM-6', 20],
    ['NORM-7', 50],
  ])('%s: the documented floor keeps 16 of 20 even steps, however many were asked for', (_, max_results) => {
    const steps = Array.from({ length: 20 }, (_, i) => 0.03 - 0.001 * i);
    const scores = shown(steps, { request: { max_results } });
    expect([scores.length, scores[0], scores.at(-1)]).toEqual([16, 1, 0.2105]);
  });

  it('NORM-8: keeps the order and stays within 0 and 1', () => {
    const scores = shown([0.9, 0.4, 0.4, 0.3, 0.1], { preset: { floor: 0 } });
    expect(scores).toHaveLength(5);
    expect([...scores].sort((a, b) => b - a)).toEqual(scores);
    for (const score of scores) expect(score >= 0 && score <= 1).toBe(true);
  });

  // Two of another type stand before servers that score more: the page is full, and they fill it up.
  const FILLED_UP = [0.03, 0.029, 0.028, 0.027, 0.026, 0.025, 0.017, 0.0165, 0.024, 0.023];
  const TYPES = FILLED_UP.map((score): EntityType => (score < 0.02 ? 'a2a_agent' : 'mcp_server'));
  const filledUp = (floor: number) =>
    scored(FILLED_UP, { preset: { floor }, request: { max_results: 10 } }, TYPES).page.map(({ score }) => score);

  it('NORM-9: leaves a list that was filled up in its order, within 0 and 1', () => {
    expect(filledUp(0)).toEqual([1, 0.9259, 0.8519, 0.7778, 0.7037, 0.6296, 0.037, 0, 0.5556, 0.4815]);
    expect(filledUp(0.2)).toEqual([1, 0.9259, 0.8519, 0.7778, 0.7037, 0.6296, 0.5556, 0.4815]);
  });

  it('NORM-10: scales by the true lowest score, not by the last one', () => {
    expect(filledUp(0)[7]).toBe(0);
    expect(new Set(filledUp(0)).size).toBe(FILLED_UP.length);
  });

  it('shows a share of the best in ratio mode', () => {
    const preset = { normalize: 'ratio', floor: 0 } as const;
    expect(shown([0.4, 0.2, 0.1], { preset })).toEqual([1, 0.5, 0.25]);
    expect(shown([0, 0], { preset })).toEqual([1, 1]);
  });
});

describe('soft caps', () => {
  const LETTERS: Readonly<Record<string, EntityType>> = {
    S: 'mcp_server',
    A: 'a2a_agent',
    K: 'skill',
    T: 'tool',
    V: 'virtual_server',
  };
  const letterOf = (type: EntityType) => Object.keys(LETTERS).find((letter) => LETTERS[letter] === type)!;
  type Group = readonly [type: string, from: number, step: number, count: number];

  /** The types on the page, in its order. */
  function page(groups: readonly Group[], max_results: number, soft_cap?: number): string {
    const all = groups.flatMap(([letter, from, step, count]) =>
      Array.from({ length: count }, (_, i) => ({ type: LETTERS[letter]!, score: from - i * step })),
    );
    return typesOn(all, max_results, soft_cap);
  }

  function typesOn(
    all: readonly { readonly type: EntityType; readonly score: number }[],
    max_results: number,
    soft_cap?: number,
  ): string {
    const request = { max_results, ...(soft_cap === undefined ? {} : { soft_cap }) };
    const preset = { normalize: null, floor: 0 };
    const types = all.map(({ type }) => type);
    return scored(
      all.map(({ score }) => score),
      { request, preset },
      types,
    )
      .page.map(({ type }) => letterOf(type))
      .join('');
  }

  const countOf = (types: string) => {
    const counts: Record<string, number> = {};
    for (const type of types) counts[type] = (counts[type] ?? 0) + 1;
    return counts;
  };

  it('DST-1: gives nothing for nothing', () => {
    expect(page([], 10)).toBe('');
  });

  it.each<[string, readonly Group[], number, Record<string, number>]>([
    ['DST-2', [['S', 0.95, 0.02, 20]], 10, { S: 10 }],
    ['DST-3', [['S', 0.95, 0.02, 5]], 10, { S: 5 }],
    [
      'DST-5',
      [
        ['S', 0.95, 0.02, 10],
        ['A', 0.8, 0.05, 5],
      ],
      10,
      { S: 6, A: 4 },
    ],
    [
      'DST-8',
      [
        ['S', 0.95, 0.02, 3],
        ['A', 0.8, 0.05, 2],
      ],
      50,
      { S: 3, A: 2 },
    ],
    [
      'DST-9',
      [
        ['S', 0.95, 0.02, 8],
        ['A', 0.7, 0.05, 5],
      ],
      5,
      { S: 3, A: 2 },
    ],
    ['DST-10', [['A', 0.95, 0.02, 20]], 15, { A: 15 }],
    [
      'DST-11',
      [
        ['S', 0.95, 0.02, 10],
        ['A', 0.85, 0.05, 8],
        ['K', 0.75, 0.05, 6],
      ],
      15,
      { S: 9, A: 4, K: 2 },
    ],
    [
      'DST-13',
      [
        ['S', 0.95, 0.01, 40],
        ['A', 0.5, 0.01, 3],
        ['T', 0.4, 0.01, 2],
      ],
      50,
      { S: 40, A: 3, T: 2 },
    ],
  ])('%s: shares the slots between types', (_, groups, maxResults, expected) => {
    expect(countOf(page(groups, maxResults))).toEqual(expected);
  });

  it('DST-4: keeps everything in order when it fits', () => {
    expect(
      page(
        [
          ['S', 0.95, 0.02, 3],
          ['A', 0.8, 0.05, 3],
        ],
        6,
      ),
    ).toBe('SSSAAA');
  });

  it('DST-6: fills up from what was passed over, behind the picks', () => {
    expect(
      page(
        [
          ['S', 0.95, 0.01, 15],
          ['A', 0.5, 0, 1],
        ],
        10,
      ),
    ).toBe('SSSSSSASSS');
  });

  it('DST-7: takes only the best for one slot', () => {
    expect(
      page(
        [
          ['S', 0.95, 0.02, 5],
          ['A', 0.8, 0.05, 3],
        ],
        1,
      ),
    ).toBe('S');
  });

  it("DST-12: gives 6, 2 and 2 for the document's second example", () => {
    const list = [...'SSSASTSASTAS'].map((letter, i) => ({ type: LETTERS[letter]!, score: 1 - i / 100 }));
    expect(countOf(typesOn(list, 10))).toEqual({ S: 6, A: 2, T: 2 });
  });

  it('DST-14: lets one weak other type in', () => {
    expect(
      page(
        [
          ['S', 0.9, 0.1, 4],
          ['A', 0.1, 0, 1],
        ],
        4,
      ),
    ).toBe('SSSA');
  });

  it('DST-15: has room for five types', () => {
    const types = page(
      [...'SAKTV'].map((letter, i) => [letter, 0.9 - i / 100, 0.05, 5] as const),
      20,
    );
    expect(types).toHaveLength(20);
    expect(Object.keys(countOf(types))).toHaveLength(5);
  });

  it('never holds a type back with a cap of 1', () => {
    expect(
      page(
        [
          ['S', 0.95, 0.01, 10],
          ['A', 0.5, 0, 1],
        ],
        10,
        1,
      ),
    ).toBe('SSSSSSSSSS');
  });

  it.each([
    [1, 1],
    [5, 3],
    [10, 6],
    [15, 9],
    [50, 30],
  ])('CAP: the cap for %i results is %i', (maxResults, cap) => {
    expect(softCapOf(maxResults)).toBe(cap);
  });

  it.each([
    [1, 3],
    [3, 3],
    [10, 6],
    [50, 30],
  ])('LIM: the tool limit for %i results is %i', (maxResults, limit) => {
    expect(toolLimit(maxResults)).toBe(limit);
  });
});
