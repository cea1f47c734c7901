import fc from 'fast-check';
import { expect, test } from 'vitest';
import { BestRows } from './best-rows.ts';

/** Not by row number, so that sorting by row number would fail the test. */
const compareRows = (a: number, b: number) => ((b * 37) % 101) - ((a * 37) % 101) || a - b;

// Few distinct scores make ties common. Several searches with one object find state left over from earlier searches.
// `size` makes lists so long that rows must be dropped.
const score = fc.oneof(fc.integer({ min: 1, max: 5 }), fc.double({ min: 0.5, max: 1, noNaN: true }));
const searches = fc.array(
  fc.record({
    limit: fc.integer({ min: 1, max: 40 }),
    scores: fc.oneof(
      fc.array(score, { maxLength: 400, size: 'max' }),
      fc.array(fc.constantFrom(1, 1, 1, 2), { maxLength: 400, size: 'max' }),
    ),
    /** How far below the worst result the threshold is that the search starts with; null: it has none. */
    room: fc.option(fc.constantFrom(0, 0.5)),
    /** When to ask for the score at the limit. */
    askedAt: fc.nat(400),
  }),
  { minLength: 1, maxLength: 4 },
);

test('keeps the same rows as sorting all of them, search after search', () => {
  const best = new BestRows();
  fc.assert(
    fc.property(searches, (all) => {
      for (const { limit, scores, room, askedAt } of all) {
        const rows = [...scores.keys()].sort((a, b) => scores[b]! - scores[a]! || compareRows(a, b)).slice(0, limit);
        const worst = rows.length === limit ? scores[rows.at(-1)!]! : null;
        const threshold = room === null || worst === null ? undefined : worst - room;
        best.start(limit, compareRows, threshold);
        for (const [row, own] of scores.entries()) {
          if (row === askedAt && row >= limit && threshold === undefined)
            expect(best.kthScore()).toBe(scores.slice(0, row).sort((a, b) => b - a)[limit - 1]);
          expect(best.add(row, own)).toBe(best.threshold);
        }
        if (worst !== null) expect(best.lowestScore).toBeLessThanOrEqual(worst);
        const expected = { rows, scores: rows.map((row) => scores[row]!) };
        expect(best.take()).toEqual(expected);
        expect(best.take()).toEqual(expected);
      }
    }),
  );
});

test('finds the first rows of many with one score, whatever order they come in', () => {
  const best = new BestRows();
  best.start(3, (a, b) => a - b);
  for (let row = 999; row >= 0; row--) best.add(row, 1);
  expect(best.take().rows).toEqual([0, 1, 2]);
});

test('returns what it has if fewer rows reach the threshold', () => {
  const best = new BestRows();
  best.start(3, (a, b) => a - b, 2);
  for (const [row, own] of [2, 2, 1].entries()) best.add(row, own);
  expect(best.take()).toEqual({ rows: [0, 1], scores: [2, 2] });
});
