import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Bitset } from '../../src/search/filter/bitset.ts';
import { ScoreAccumulator, type ScoredPostings } from '../../src/search/keyword/postings/score-accumulator.ts';

/** Rows over several windows, far apart and close together, with gaps wider than a window. */
const ROWS = 20_000;
const rowOf = (n: number) => (n < 200 ? 32 * n : n < 350 ? 9000 + n : 19_000 + n);

interface Described {
  readonly rows: readonly number[];
  readonly values: readonly number[];
  readonly frequency: number;
  readonly offset: number;
  /** Pending values: how far `max` is above the largest value. null: no pending values. */
  readonly slack: number | null;
}

/** Long and short lists with few distinct values, so that skipping and ties are common. */
const described: fc.Arbitrary<Described> = fc
  .record({
    rows: fc.oneof(
      fc.uniqueArray(fc.nat(399).map(rowOf), { maxLength: 12 }),
      fc
        .integer({ min: 1, max: 3 })
        .map((step) => Array.from({ length: Math.floor(400 / step) }, (_, i) => rowOf(i * step))),
    ),
    worth: fc.constantFrom(1, 5, 40, 1000),
    frequency: fc.constantFrom(0.3125, 1, 1.5),
    offset: fc.nat(5),
    slack: fc.option(fc.constantFrom(0, 2, 100)),
  })
  .map(({ rows, worth, ...rest }) => {
    const ordered = rows.toSorted((a, b) => a - b);
    return { ...rest, rows: ordered, values: ordered.map((row) => worth + (row % 3)) };
  });

function postingsOf({ rows, values, frequency, offset, slack }: Described): ScoredPostings {
  const max = Math.max(0, ...values);
  const filled = new Uint32Array(offset + values.length);
  const fill = () => {
    filled.set(values, offset);
    return max;
  };
  if (slack === null) fill();
  return {
    rows: Uint32Array.from([...new Array(offset).fill(7), ...rows]),
    values: filled,
    from: offset,
    length: rows.length,
    frequency,
    max: max + (slack ?? 0),
    pending: slack === null ? null : { fill, at: (place) => values[place - offset]! },
  };
}

const compareRows = (a: number, b: number) => b - a;

test('skipping and pending values do not change the result', () => {
  const accumulator = new ScoreAccumulator();
  fc.assert(
    fc.property(
      fc.array(described, { maxLength: 6 }),
      fc.option(fc.uniqueArray(fc.nat(399).map(rowOf), { maxLength: 200 })),
      fc.nat(12),
      (lists, allowed, limit) => {
        const eligible = allowed === null ? null : Bitset.of(allowed);
        const totals = new Map<number, number>();
        for (const { rows, values, frequency } of lists)
          for (const [i, row] of rows.entries()) totals.set(row, (totals.get(row) ?? 0) + frequency * values[i]!);
        const expected = [...totals]
          .filter(([row]) => eligible === null || eligible.has(row))
          .sort(([rowA, a], [rowB, b]) => b - a || compareRows(rowA, rowB))
          .slice(0, limit);
        expect(accumulator.best(lists.map(postingsOf), ROWS, { eligible, limit, compareRows })).toEqual({
          rows: expected.map(([row]) => row),
          scores: expected.map(([, total]) => total),
        });
      },
    ),
    { numRuns: 1500 },
  );
});
