import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Bitset } from '../../src/search/filter/bitset.ts';
import { RowSums, type Stream } from '../../src/search/keyword/row-sums.ts';

/** Several windows' worth of rows, far apart and close together, with gaps that are wider than a window. */
const ROWS = 20_000;
const rowOf = (n: number) => (n < 200 ? 32 * n : n < 350 ? 9000 + n : 19_000 + n);

/** Long and short streams, of few values, so that skipping pays and ties abound. */
const stream: fc.Arbitrary<Stream> = fc
  .record({
    rows: fc.oneof(
      fc.uniqueArray(fc.nat(399).map(rowOf), { maxLength: 12 }),
      fc
        .integer({ min: 1, max: 3 })
        .map((step) => Array.from({ length: Math.floor(400 / step) }, (_, i) => rowOf(i * step))),
    ),
    worth: fc.constantFrom(1, 5, 40, 1000),
    times: fc.constantFrom(0.3125, 1, 1.5),
    offset: fc.nat(5),
  })
  .map(({ rows, worth, times, offset }) => {
    const ordered = rows.toSorted((a, b) => a - b);
    const values = ordered.map((row) => worth + (row % 3));
    return {
      rows: Uint32Array.from([...new Array(offset).fill(7), ...ordered]),
      rowsFrom: offset,
      values: Uint32Array.from(values),
      valuesFrom: 0,
      length: ordered.length,
      times,
      max: Math.max(0, ...values),
    };
  });

const compareRows = (a: number, b: number) => b - a;

test('skipping never changes a result', () => {
  const sums = new RowSums();
  fc.assert(
    fc.property(
      fc.array(stream, { maxLength: 6 }),
      fc.option(fc.uniqueArray(fc.nat(399).map(rowOf), { maxLength: 200 })),
      fc.nat(12),
      (streams, allowed, limit) => {
        const eligible = allowed === null ? null : Bitset.of(allowed);
        const totals = new Map<number, number>();
        for (const { rows, rowsFrom, values, length, times } of streams) {
          for (let i = 0; i < length; i++) {
            const row = rows[rowsFrom + i]!;
            totals.set(row, (totals.get(row) ?? 0) + times * values[i]!);
          }
        }
        const expected = [...totals]
          .filter(([row]) => eligible === null || eligible.has(row))
          .sort(([rowA, a], [rowB, b]) => b - a || compareRows(rowA, rowB))
          .slice(0, limit);
        expect(sums.best(streams, ROWS, { eligible, limit, compareRows })).toEqual({
          rows: expected.map(([row]) => row),
          scores: expected.map(([, total]) => total),
        });
      },
    ),
    { numRuns: 1500 },
  );
});
