import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LAST_RESULT } from '../../model/query/query.ts';
import { depthsFor, fetchEnough, type ListNeed, nextDepth } from './fetch-enough.ts';

/** The first units, by their number. */
const firstUnits = (count: number, limit: number) => Array.from({ length: Math.min(count, limit) }, (_, at) => at);

/** Fetches from units with these results, and remembers the limits it was asked with. */
function fetching(
  keys: readonly string[],
  need: Omit<ListNeed, 'isNested'>,
  { isNested = true, fetch = (limit: number): readonly number[] => firstUnits(keys.length, limit) } = {},
) {
  const limits: number[] = [];
  const units = fetchEnough(
    { ...need, isNested },
    (limit) => {
      limits.push(limit);
      return fetch(limit);
    },
    {
      lengthOf: (list) => list.length,
      keyAt: (list, at) => keys[list[at]!]!,
      cut: (list, length) => list.slice(0, length),
      extend: (list, longer, length) => [...new Set([...list, ...longer])].slice(0, length),
    },
  );
  return { limits, units, count: units.length };
}

const same = (count: number) => Array<string>(count).fill('same');
const distinct = (count: number) => Array.from({ length: count }, (_, n) => `r${n}`);
/** Each result several times, one after the other. */
const repeated = (count: number, times: number) => distinct(count).flatMap((key) => Array<string>(times).fill(key));

const list = fc
  .array(fc.tuple(fc.nat(2000), fc.constantFrom(1, 2, 5, 20)), { maxLength: 900, size: 'max' })
  .map((runs) => runs.flatMap(([key, times]) => Array<string>(times).fill(`r${key}`)));

describe('fetchEnough', () => {
  it('fetches once if the list has enough distinct results or all units', () => {
    expect(fetching(['a', 'b', 'c', 'd'], { results: 3, limit: 3 })).toMatchObject({ limits: [3], count: 3 });
    expect(fetching(['a', 'a', 'a'], { results: 2, limit: 4 })).toMatchObject({ limits: [4], count: 3 });
    expect(fetching([], { results: 4, limit: 4 })).toMatchObject({ limits: [4], count: 0 });
  });

  it('multiplies the limit by eight until there are enough results', () => {
    const need = { results: 2, limit: 4 };
    expect(fetching([...same(20), 'other', ...same(100)], need)).toMatchObject({ limits: [4, 32], count: 32 });
    expect(fetching([...same(40), 'other', ...same(500)], need)).toMatchObject({ limits: [4, 32, 256], count: 256 });
  });

  it('does not fetch fewer units than it needs results', () => {
    expect(fetching(distinct(5000), { results: 500, limit: 75 })).toMatchObject({ limits: [600], count: 600 });
    expect(fetching(distinct(60), { results: 500, limit: 75 })).toMatchObject({ limits: [600], count: 60 });
  });

  it('ends with the last result that a page can show', () => {
    expect(fetching(repeated(2000, 3), { results: 500, limit: 75 }).count).toBe(1498);
    expect(fetching(repeated(2000, 3), { results: 50, limit: 75 }).count).toBe(600);
    expect(fetching(repeated(2000, 30), { results: 50, limit: 75 }).count).toBe(4800);
  });

  it('fetches once with a good guess', () => {
    expect(fetching(repeated(2000, 3), { results: 500, limit: 75, unitsPerResult: 3 })).toMatchObject({
      limits: [1875],
      count: 1498,
    });
    expect(fetching(repeated(2000, 3), { results: 10, limit: 75, unitsPerResult: 3 }).limits).toEqual([75]);
  });

  it('stops at 10,000 units, at the end of the list, and for a limit of 0', () => {
    expect(fetching(same(50_000), { results: 2, limit: 4000 })).toMatchObject({
      limits: [4000, 10_000],
      count: 10_000,
    });
    expect(fetching(same(50_000), { results: 2, limit: 20_000 })).toMatchObject({ limits: [20_000], count: 20_000 });
    expect(fetching(same(100), { results: 2, limit: 50 })).toMatchObject({ limits: [50, 400], count: 100 });
    expect(fetching(same(100), { results: 2, limit: 0 })).toMatchObject({ limits: [0], count: 0 });
  });

  it('fetches every depth if lists are not nested', () => {
    const need = { results: 500, limit: 75, unitsPerResult: 3 };
    expect(fetching(distinct(5000), need, { isNested: false })).toMatchObject({ limits: [75, 600], count: 600 });
    expect(fetching(repeated(2000, 3), need, { isNested: false }).limits).toEqual([75, 600, 1875]);
    expect(depthsFor(need)).toEqual([75, 600]);
    expect(depthsFor({ results: 50, limit: 75 })).toEqual([75]);
  });

  it('starts a longer list with the shorter one, also if each search finds something else', () => {
    fc.assert(
      fc.property(list, fc.integer({ min: 1, max: 50 }), fc.constantFrom(1, 4, 75), (keys, results, limit) => {
        // Every search misses some units that shorter and longer ones find.
        const fetch = (most: number) =>
          keys.flatMap((_, at) => ((at * 31 + most) % 7 === 0 ? [] : [at])).slice(0, most);
        const [short, long] = [results, LAST_RESULT].map(
          (needed) => fetching(keys, { results: needed, limit }, { isNested: false, fetch }).units,
        );
        expect(long!.slice(0, short!.length)).toEqual(short);
      }),
    );
  });

  it('gives the list of the plain rule, whatever it guesses', () => {
    fc.assert(
      fc.property(
        list,
        fc.integer({ min: 1, max: LAST_RESULT }),
        fc.constantFrom(1, 4, 75, 100, 1000),
        fc.double({ min: 0.1, max: 100, noNaN: true }),
        fc.boolean(),
        (keys, results, limit, unitsPerResult, isNested) => {
          const { units } = fetching(keys, { results, limit, unitsPerResult }, { isNested });
          expect(units).toEqual(firstUnits(keys.length, plainLength(keys, results, limit)));
        },
      ),
      { numRuns: 200 },
    );
  });
});

/** The same rule without shortcuts: depth by depth, over the whole list. */
function plainLength(keys: readonly string[], results: number, limit: number): number {
  const seen = new Set<string>();
  const counts = [0, ...keys.map((key) => seen.add(key).size)];
  const resultsIn = (length: number) => counts[Math.min(length, keys.length)]!;
  let isRoomy = limit >= LAST_RESULT;
  let depth = limit;
  while (resultsIn(depth) < results && depth < keys.length && depth < 10_000) {
    const next = nextDepth(depth);
    if (isRoomy) {
      let length = depth;
      while (length < Math.min(next, keys.length) && resultsIn(length) < LAST_RESULT) length++;
      depth = length < next && resultsIn(length) >= LAST_RESULT ? length : next;
    } else depth = next;
    isRoomy = depth >= LAST_RESULT;
  }
  return Math.min(depth, keys.length);
}
