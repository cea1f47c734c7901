import { describe, expect, it } from 'vitest';
import { distribute, softCapOf, toolLimit } from './distribute.ts';

/** `S*3 A*2` in words: a list of candidates by type, best first. */
function candidates(...groups: readonly (readonly [type: string, from: number, step: number, count: number])[]) {
  return groups
    .flatMap(([type, from, step, count]) =>
      Array.from({ length: count }, (_, i) => ({ type, score: Number((from - i * step).toFixed(4)) })),
    )
    .sort((a, b) => b.score - a.score);
}

const countOf = (list: readonly { readonly type: string }[]) => {
  const counts: Record<string, number> = {};
  for (const { type } of list) counts[type] = (counts[type] ?? 0) + 1;
  return counts;
};

describe('soft caps', () => {
  it('DST-1: gives nothing for nothing or for no slots', () => {
    expect(distribute([], { maxResults: 10 })).toEqual([]);
    expect(distribute(candidates(['S', 0.9, 0.1, 5]), { maxResults: 0 })).toEqual([]);
  });

  it.each([
    ['DST-2', candidates(['S', 0.95, 0.02, 20]), 10, { S: 10 }],
    ['DST-3', candidates(['S', 0.95, 0.02, 5]), 10, { S: 5 }],
    ['DST-5', candidates(['S', 0.95, 0.02, 10], ['A', 0.8, 0.05, 5]), 10, { S: 6, A: 4 }],
    ['DST-8', candidates(['S', 0.95, 0.02, 3], ['A', 0.8, 0.05, 2]), 100, { S: 3, A: 2 }],
    ['DST-9', candidates(['S', 0.95, 0.02, 8], ['A', 0.7, 0.05, 5]), 5, { S: 3, A: 2 }],
    ['DST-10', candidates(['A', 0.95, 0.02, 20]), 15, { A: 15 }],
    ['DST-11', candidates(['S', 0.95, 0.02, 10], ['A', 0.85, 0.05, 8], ['K', 0.75, 0.05, 6]), 15, { S: 9, A: 4, K: 2 }],
    ['DST-13', candidates(['S', 0.95, 0.01, 40], ['A', 0.5, 0.01, 3], ['T', 0.4, 0.01, 2]), 50, { S: 40, A: 3, T: 2 }],
  ])('%s: shares the slots between types', (_, list, maxResults, expected) => {
    expect(countOf(distribute(list, { maxResults }))).toEqual(expected);
  });

  it('DST-4: keeps everything in order when it fits', () => {
    const list = candidates(['S', 0.95, 0.02, 3], ['A', 0.8, 0.05, 3]);
    expect(distribute(list, { maxResults: 6 })).toEqual(list);
  });

  it('DST-6: fills up from what was passed over, behind the picks', () => {
    const list = candidates(['S', 0.95, 0.01, 15], ['A', 0.5, 0, 1]);
    expect(distribute(list, { maxResults: 10 }).map(({ type }) => type)).toEqual([...'SSSSSSASSS']);
  });

  it('DST-7: takes only the best for one slot', () => {
    const list = candidates(['S', 0.95, 0.02, 5], ['A', 0.8, 0.05, 3]);
    expect(distribute(list, { maxResults: 1 })).toEqual([list[0]]);
  });

  it("DST-12: gives 6, 2 and 2 for the document's second example", () => {
    const list = [...'SSSASTSASTAS'].map((type) => ({ type }));
    expect(countOf(distribute(list, { maxResults: 10 }))).toEqual({ S: 6, A: 2, T: 2 });
  });

  it('DST-14: lets one weak other type in', () => {
    const list = candidates(['S', 0.9, 0.1, 4], ['A', 0.1, 0, 1]);
    expect(distribute(list, { maxResults: 4 }).map(({ type }) => type)).toEqual([...'SSSA']);
  });

  it('DST-15: has room for five types', () => {
    const list = candidates(...[...'SAKTV'].map((type, i) => [type, 0.9 - i / 100, 0.05, 5] as const));
    const page = distribute(list, { maxResults: 20 });
    expect(page).toHaveLength(20);
    expect(Object.keys(countOf(page))).toHaveLength(5);
  });

  it('never holds a type back with a cap of 1', () => {
    const list = candidates(['S', 0.95, 0.01, 10], ['A', 0.5, 0, 1]);
    expect(countOf(distribute(list, { maxResults: 10, softCap: 1 }))).toEqual({ S: 10 });
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
