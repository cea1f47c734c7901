import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Bitset } from '../../src/search/filter/bitset.ts';
import type { RowScores } from '../../src/search/rows/row-scores.ts';
import { VectorIndex, type VectorIndexOptions } from '../../src/search/vector/vector-index.ts';

/** Options that force each strategy. With so few rows a sketch selects all of them, so it must be exact too. */
const STRATEGIES: Record<string, VectorIndexOptions> = {
  exhaustive: { maxExhaustiveRows: 1e9 },
  bounded: { maxExhaustiveRows: 0, minSketchRows: 1e9 },
  sketched: { maxExhaustiveRows: 0, minSketchRows: 0 },
};
const MAX_ROWS = 70;

type Change = { row: number; vector: Float32Array | null };

interface Case {
  readonly dimensions: number;
  readonly changes: readonly Change[];
  readonly query: Float32Array;
  readonly eligible: readonly number[] | null;
  readonly limit: number;
}

/** Few distinct small numbers make ties, duplicates and zero vectors common. */
const number = fc.oneof(
  { weight: 2, arbitrary: fc.integer({ min: -2, max: 2 }) },
  { weight: 1, arbitrary: fc.double({ min: -1e3, max: 1e3, noNaN: true }) },
);

const cases: fc.Arbitrary<Case> = fc.integer({ min: 1, max: 70 }).chain((dimensions) => {
  const fresh = fc.array(number, { minLength: dimensions, maxLength: dimensions }).map((x) => Float32Array.from(x));
  const zero = fc.constant(new Float32Array(dimensions));
  return fc.array(fc.oneof({ weight: 5, arbitrary: fresh }, zero), { minLength: 1, maxLength: 12 }).chain((pool) =>
    fc.record({
      dimensions: fc.constant(dimensions),
      changes: fc.array(
        fc.record({
          row: fc.integer({ min: 0, max: MAX_ROWS - 1 }),
          vector: fc.oneof({ weight: 4, arbitrary: fc.constantFrom(...pool) }, fresh, fc.constant(null)),
        }),
        { maxLength: 90 },
      ),
      query: fc.oneof({ weight: 3, arbitrary: fresh }, fc.constantFrom(...pool)),
      eligible: fc.option(fc.uniqueArray(fc.integer({ min: 0, max: MAX_ROWS + 40 }), { maxLength: 60 })),
      limit: fc.integer({ min: 0, max: 40 }),
    }),
  );
});

/** Not by row number, so that sorting by row number would fail the test. */
const compareRows = (a: number, b: number) => ((b * 37) % 101) - ((a * 37) % 101) || a - b;

function build(of: Case, options: VectorIndexOptions): VectorIndex {
  const index = new VectorIndex(of.dimensions, options);
  for (const { row, vector } of of.changes) {
    if (vector === null) index.delete(row);
    else index.set(row, vector);
  }
  return index;
}

function search(index: VectorIndex, of: Case): RowScores {
  const eligible = of.eligible === null ? null : Bitset.of(of.eligible);
  return index.search(of.query, { eligible, limit: of.limit, compareRows });
}

/** The vectors after all changes. */
function contents(of: Case): Map<number, Float32Array> {
  const left = new Map<number, Float32Array>();
  for (const { row, vector } of of.changes) {
    if (vector === null) left.delete(row);
    else left.set(row, vector);
  }
  return left;
}

function cosine(a: Float32Array, b: Float32Array): number {
  let dot = 0;
  let left = 0;
  let right = 0;
  for (let i = 0; i < a.length; i++) {
    dot += a[i]! * b[i]!;
    left += a[i]! ** 2;
    right += b[i]! ** 2;
  }
  return dot / Math.sqrt(left * right);
}

/** Every eligible row with its cosine, best first. */
function naive(of: Case): { row: number; score: number }[] {
  return [...contents(of)]
    .filter(([row]) => of.eligible === null || of.eligible.includes(row))
    .map(([row, vector]) => ({ row, score: cosine(vector, of.query) }))
    .filter(({ score }) => !Number.isNaN(score))
    .sort((a, b) => b.score - a.score || compareRows(a.row, b.row));
}

/** The same rows and scores. Rows with scores closer than 1e-6 may swap places. */
function expectSame(found: RowScores, of: Case): void {
  const all = naive(of);
  const scoreOf = new Map(all.map(({ row, score }) => [row, score]));
  expect(found.rows.length).toBe(Math.min(of.limit, all.length));
  expect(new Set(found.rows).size).toBe(found.rows.length);
  for (let i = 0; i < found.rows.length; i++) {
    expect(Math.abs(found.scores[i]! - scoreOf.get(found.rows[i]!)!)).toBeLessThan(1e-6);
    expect(Math.abs(found.scores[i]! - all[i]!.score)).toBeLessThan(1e-6);
  }
}

function expectOrdered(found: RowScores): void {
  for (let i = 1; i < found.rows.length; i++) {
    expect(found.scores[i]).toBeLessThanOrEqual(found.scores[i - 1]!);
    if (found.scores[i] === found.scores[i - 1]) {
      expect(compareRows(found.rows[i - 1]!, found.rows[i]!)).toBeLessThan(0);
    }
  }
}

for (const [strategy, options] of Object.entries(STRATEGIES)) {
  for (const kernel of ['wasm', 'plain'] as const) {
    test(`finds what a naive loop finds (${strategy}, ${kernel})`, () => {
      fc.assert(
        fc.property(cases, (of) => {
          const found = search(build(of, { ...options, kernel }), of);
          expectSame(found, of);
          expectOrdered(found);
        }),
        { numRuns: 150 },
      );
    });
  }
}

test('gives the same rows and identical scores with every strategy and kernel', () => {
  fc.assert(
    fc.property(cases, (of) => {
      const expected = search(build(of, { ...STRATEGIES.exhaustive, kernel: 'plain' }), of);
      for (const options of Object.values(STRATEGIES)) {
        for (const kernel of ['wasm', 'plain'] as const) {
          expect(search(build(of, { ...options, kernel }), of)).toEqual(expected);
        }
      }
    }),
    { numRuns: 60 },
  );
});

test('orders equal vectors by compareRows, also at the limit', () => {
  const tied = fc.record({
    vector: fc.array(fc.double({ min: 0.1, max: 1, noNaN: true }), { minLength: 1, maxLength: 40 }),
    rows: fc.uniqueArray(fc.integer({ min: 0, max: 60 }), { minLength: 1, maxLength: 30 }),
    limit: fc.integer({ min: 1, max: 30 }),
    strategy: fc.constantFrom(...Object.values(STRATEGIES)),
    kernel: fc.constantFrom('wasm' as const, 'plain' as const),
  });
  fc.assert(
    fc.property(tied, ({ vector, rows, limit, strategy, kernel }) => {
      const index = new VectorIndex(vector.length, { ...strategy, kernel });
      for (const row of rows) index.set(row, Float32Array.from(vector));
      const found = index.search(Float32Array.from(vector), { eligible: null, limit, compareRows });
      expect(found.rows).toEqual(rows.toSorted(compareRows).slice(0, limit));
    }),
  );
});

test('scoreRows gives the scores of a search, and null without a non-zero vector', () => {
  fc.assert(
    fc.property(cases, (of) => {
      const index = build(of, {});
      const asked = Array.from({ length: MAX_ROWS + 10 }, (_, i) => MAX_ROWS + 5 - i);
      const scores = index.scoreRows(of.query, asked);
      const found = index.search(of.query, { eligible: null, limit: 1000, compareRows });
      expect(scores.filter((score) => score !== null).length).toBe(found.rows.length);
      found.rows.forEach((row, i) => {
        expect(scores[asked.indexOf(row)]).toBe(found.scores[i]);
      });
    }),
    { numRuns: 100 },
  );
});
