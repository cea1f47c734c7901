import fc from 'fast-check';
import { expect, test } from 'vitest';
import { BestRows } from './best-rows.ts';

/** Not by row number, so that an order by row cannot pass for an order by `compareRows`. */
const compareRows = (a: number, b: number) => ((b * 37) % 101) - ((a * 37) % 101) || a - b;

// Few distinct scores make ties common; several searches by one list show what is left over from the one before.
const searches = fc.array(
  fc.record({
    limit: fc.integer({ min: 1, max: 40 }),
    scores: fc.array(fc.oneof(fc.integer({ min: 0, max: 4 }), fc.double({ min: -1, max: 1, noNaN: true })), {
      maxLength: 400,
    }),
  }),
  { minLength: 1, maxLength: 4 },
);

test('keeps what sorting everything and cutting it would keep, search after search', () => {
  fc.assert(
    fc.property(searches, (all) => {
      const best = new BestRows();
      for (const { limit, scores } of all) {
        best.start(limit, compareRows);
        for (const [row, score] of scores.entries()) best.add(row, score);
        const rows = [...scores.keys()].sort((a, b) => scores[b]! - scores[a]! || compareRows(a, b)).slice(0, limit);
        if (rows.length === limit) expect(best.lowest).toBeLessThanOrEqual(scores[rows[limit - 1]!]!);
        expect(best.take()).toEqual({ rows, scores: rows.map((row) => scores[row]!) });
      }
    }),
  );
});
