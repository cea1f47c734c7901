import fc from 'fast-check';
import { expect, test } from 'vitest';
import { bestFirst } from './best-first.ts';

const compareRows = (a: number, b: number) => b - a;

/** Ties, scores that share a bucket only because of a distant score, and numbers of any size. */
const score = fc.oneof(
  fc.constantFrom(0, 1, 1 + 2 ** -40, 1 + 2 ** -39, 2, -3),
  fc.constantFrom(2 ** 40, -(2 ** 40)),
  fc.double({ noNaN: true, min: -1e9, max: 1e9 }),
);

test('sorts like a plain sort', () => {
  fc.assert(
    fc.property(fc.array(score, { maxLength: 60 }), fc.nat(5), (scores, further) => {
      const rows = scores.map((_, i) => (i * 7919) % 101);
      const expected = rows
        .map((row, i) => ({ row, score: scores[i]! }))
        .sort((a, b) => b.score - a.score || compareRows(a.row, b.row));
      const more = new Array(further).fill(3);
      expect(bestFirst([...rows, ...more], [...scores, ...more], rows.length, compareRows)).toEqual({
        rows: expected.map((hit) => hit.row),
        scores: expected.map((hit) => hit.score),
      });
    }),
    { numRuns: 2000 },
  );
});

test('sorts more equal rows than fit the arrays of earlier calls', () => {
  const rows = Array.from({ length: 3000 }, (_, i) => i);
  expect(bestFirst(rows, new Float64Array(3000).fill(7), 3000, compareRows).rows).toEqual(rows.toReversed());
});
