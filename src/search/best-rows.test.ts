import fc from 'fast-check';
import { expect, test } from 'vitest';
import { BestRows } from './best-rows.ts';

/** Not by row number, so that sorting by row number would fail the test. */
const compareRows = (a: number, b: number) => ((b * 37) % 101) - ((a * 37) % 101) || a - b;

// Few distinct scores make ties common. Several searches with one object find state left over from earlier searches.
const searches = fc.array(
  fc.record({
    limit: fc.integer({ min: 1, max: 40 }),
    scores: fc.array(fc.oneof(fc.integer({ min: 0, max: 4 }), fc.double({ min: -1, max: 1, noNaN: true })), {
      maxLength: 400,
    }),
  }),
  { minLength: 1, maxLength: 4 },
);

test('keeps the same rows as sorting all of them, search after search', () => {
  fc.assert(
    fc.property(searches, (all) => {
      const best = new BestRows();
      for (const { limit, scores } of all) {
        best.start(limit, compareRows);
        for (const [row, score] of scores.entries()) best.add(row, score);
        const rows = [...scores.keys()].sort((a, b) => scores[b]! - scores[a]! || compareRows(a, b)).slice(0, limit);
        if (rows.length === limit) expect(best.lowestScore).toBeLessThanOrEqual(scores[rows[limit - 1]!]!);
        expect(best.take()).toEqual({ rows, scores: rows.map((row) => scores[row]!) });
      }
    }),
  );
});
