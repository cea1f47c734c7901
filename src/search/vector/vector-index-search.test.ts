import { describe, expect, test } from 'vitest';
import { all, compareRows, STRATEGIES, vectors } from '../../../test/support/vector-rows.ts';
import { Bitset } from '../filter/bitset.ts';
import { VectorIndex } from './vector-index.ts';

describe('search', () => {
  test('filters before it limits', () => {
    const index = new VectorIndex(2);
    for (let row = 0; row < 50; row++) index.set(row, Float32Array.of(1, row / 10));
    const found = index.search(Float32Array.of(1, 0), { eligible: Bitset.of([40, 30, 49]), limit: 2, compareRows });
    expect(found.rows).toEqual([30, 40]);
  });

  test('sees changes of the eligible rows and of vectors since the last search', () => {
    const index = new VectorIndex(2);
    for (let row = 0; row < 50; row++) index.set(row, Float32Array.of(1, row / 50));
    const eligible = Bitset.of([10, 20, 30]);
    const rows = () => index.search(Float32Array.of(1, 0), { eligible, limit: 9, compareRows }).rows;
    expect(rows()).toEqual([10, 20, 30]);
    eligible.add(5);
    expect(rows()).toEqual([5, 10, 20, 30]);
    eligible.delete(10);
    expect(rows()).toEqual([5, 20, 30]);
    eligible.intersect(Bitset.of([20, 30, 40]));
    expect(rows()).toEqual([20, 30]);
    eligible.union(Bitset.of([40]));
    expect(rows()).toEqual([20, 30, 40]);
    index.delete(30);
    expect(rows()).toEqual([20, 40]);
    index.set(30, Float32Array.of(1, 0));
    expect(rows()).toEqual([30, 20, 40]);
    index.set(30, Float32Array.of(0, 0));
    expect(rows()).toEqual([20, 40]);
    expect(index.search(Float32Array.of(1, 0), { eligible: null, limit: 2, compareRows }).rows).toEqual([0, 1]);
    expect(rows()).toEqual([20, 40]);
  });

  test('ignores eligible rows that have no vector', () => {
    const index = new VectorIndex(2);
    index.set(3, Float32Array.of(1, 0));
    const found = index.search(Float32Array.of(1, 0), { eligible: Bitset.of([1, 3, 5000]), limit: 9, compareRows });
    expect(found).toEqual({ rows: [3], scores: [1] });
  });

  test('finds nothing in an empty index, for a limit of 0 and for a zero query', () => {
    const index = new VectorIndex(2);
    const nothing = { rows: [], scores: [] };
    expect(index.search(Float32Array.of(1, 0), { ...all, limit: 5 })).toEqual(nothing);
    index.set(0, Float32Array.of(1, 0));
    expect(index.search(Float32Array.of(1, 0), { ...all, limit: 0 })).toEqual(nothing);
    expect(index.search(new Float32Array(2), { ...all, limit: 5 })).toEqual(nothing);
    expect(index.scoreRows(new Float32Array(2), [0])).toEqual([null]);
  });

  test('gives the same scores for a query of any length, all between -1 and 1', () => {
    const [query, ...rest] = vectors(40, 33);
    const index = new VectorIndex(33);
    for (const [row, vector] of [query!, query!.map((x) => -x), ...rest].entries()) index.set(row, vector);
    const once = index.search(query!, { ...all, limit: 41 });
    expect(
      index.search(
        query!.map((x) => x * 1024),
        { ...all, limit: 41 },
      ),
    ).toEqual(once);
    expect(once.scores[0]).toBeCloseTo(1, 6);
    expect(Math.max(...once.scores.map(Math.abs))).toBeLessThanOrEqual(1);
  });

  test.each(Object.keys(STRATEGIES))('finds rows in every block, filtered or not (%s)', (strategy) => {
    const docs = vectors(5000, 24);
    const query = docs[4321]!;
    const third = Bitset.of([...docs.keys()].filter((row) => row % 3 === 0));
    const plain = new VectorIndex(24, { ...STRATEGIES.exhaustive, kernel: 'plain' });
    const index = new VectorIndex(24, STRATEGIES[strategy]);
    for (const [row, vector] of docs.entries()) {
      plain.set(row, vector);
      index.set(row, vector);
    }
    for (const eligible of [null, third]) {
      const options = { eligible, limit: 20, compareRows };
      expect(index.search(query, options)).toEqual(plain.search(query, options));
    }
  });

  test('finds a row with a tight bound among ties with loose bounds', () => {
    const index = new VectorIndex(3, { ...STRATEGIES.bounded });
    for (let row = 1; row < 6; row++) index.set(row, Float32Array.of(1, 0.6, 0.8));
    // Quantized without loss, so its bound is its score.
    index.set(0, Float32Array.of(127, 127, 0));
    expect(index.search(Float32Array.of(1, 0, 0), { ...all, limit: 1 }).rows).toEqual([0]);
  });

  test.each(['wasm', 'plain'] as const)(
    'misses nothing among rows opposite to the query, with the %s kernel',
    (kernel) => {
      const [center, ...noise] = vectors(3520, 64);
      const index = new VectorIndex(64, { kernel });
      const away = (row: number, by: number) => noise[row]!.map((x, i) => x + by * center![i]!);
      for (let row = 0; row < 3500; row++) index.set(row, away(row, -4));
      for (let query = 3500; query < 3510; query++) {
        const options = { ...all, limit: 30 };
        const found = index.search(away(query, 4), options);
        expect(found).toEqual(index.search(away(query, 4), { ...options, exact: true }));
      }
    },
  );

  test('an exact search misses nothing', () => {
    // Topics make the nearest rows stand out, so a sketch does not check the rest.
    const topics = vectors(40, 512);
    const docs = vectors(4200, 512).map((noise, i) => noise.map((x, j) => x + 0.6 * topics[i % 40]![j]!));
    const queries = docs.splice(4000);
    const sketched = new VectorIndex(512, STRATEGIES.sketched);
    const plain = new VectorIndex(512, STRATEGIES.exhaustive);
    for (const [row, vector] of docs.entries()) {
      sketched.set(row, vector);
      plain.set(row, vector);
    }
    let missed = 0;
    for (const query of queries) {
      const options = { ...all, limit: 75 };
      const expected = plain.search(query, options);
      expect(sketched.search(query, { ...options, exact: true })).toEqual(expected);
      const found = new Set(sketched.search(query, { ...options, efSearch: 1 }).rows);
      missed += expected.rows.filter((row) => !found.has(row)).length;
    }
    // Without `exact` some rows are missed, or the test would prove nothing.
    expect(missed).toBeGreaterThan(0);
  });

  test('has a high recall for models with similar vectors for all texts', () => {
    const [common] = vectors(1, 384);
    const docs = vectors(4040, 384).map((noise) => noise.map((x, j) => x + 2 * common![j]!));
    const queries = docs.splice(4000);
    const index = new VectorIndex(384, STRATEGIES.sketched);
    for (const [row, vector] of docs.entries()) index.set(row, vector);
    let found = 0;
    for (const query of queries) {
      const options = { ...all, limit: 10 };
      const rows = new Set(index.search(query, { ...options, efSearch: 40 }).rows);
      found += index.search(query, { ...options, exact: true }).rows.filter((row) => rows.has(row)).length;
    }
    expect(found / (10 * queries.length)).toBeGreaterThan(0.99);
  });

  test('a second pass selects rows with inaccurate sums', () => {
    const docs = vectors(4040, 384);
    const queries = docs.splice(4000);
    const index = new VectorIndex(384, STRATEGIES.sketched);
    for (const [row, vector] of docs.entries()) index.set(row, vector);
    let found = 0;
    for (const query of queries) {
      const options = { ...all, limit: 5 };
      const rows = new Set(index.search(query, { ...options, efSearch: 60 }).rows);
      found += index.search(query, { ...options, exact: true }).rows.filter((row) => rows.has(row)).length;
    }
    // The 60 rows with the highest sums have only about 55 % of them.
    expect(found / (5 * queries.length)).toBeGreaterThan(0.85);
  });

  test('a sketch finds enough rows if all high sums are in its sample', () => {
    const index = new VectorIndex(2, STRATEGIES.sketched);
    const rows = 6 * 512 * 32;
    for (let row = 0; row < rows; row++) {
      // Every sixth group of 32 has a row that is equal to the query.
      index.set(row, (row >>> 5) % 6 === 0 && row % 32 === 0 ? Float32Array.of(1, 0) : Float32Array.of(-1, row % 7));
    }
    const query = Float32Array.of(1, 0);
    const options = { ...all, limit: 700 };
    expect(index.search(query, options)).toEqual(index.search(query, { ...options, exact: true }));
  });

  test('does not overflow with the maximum number of dimensions', () => {
    const dimensions = 4096;
    const rows = [
      new Float32Array(dimensions).fill(1),
      new Float32Array(dimensions).fill(-1),
      Float32Array.from({ length: dimensions }, (_, i) => (i === 7 ? 1 : 0)),
      ...vectors(40, dimensions),
    ];
    for (const options of Object.values(STRATEGIES)) {
      const index = new VectorIndex(dimensions, options);
      for (const [row, vector] of rows.entries()) index.set(row, vector);
      expect(index.search(rows[0]!, { ...all, limit: 1 })).toEqual({ rows: [0], scores: [1] });
      expect(index.search(rows[1]!, { ...all, limit: 1 }).rows).toEqual([1]);
      expect(index.search(rows[2]!, { ...all, limit: 1 })).toEqual({ rows: [2], scores: [1] });
      expect(index.search(rows[9]!, { ...all, limit: 1 }).rows).toEqual([9]);
    }
  });
});

test('finds enough rows if all vectors are equal', () => {
  const index = new VectorIndex(384);
  const [base] = vectors(1, 384);
  for (let row = 0; row < 4000; row++) index.set(row, base!);
  for (const query of vectors(1000, 384)) expect(index.search(query, { ...all, limit: 75 }).rows).toHaveLength(75);
});

test('finds enough rows if the limit is close to the number of rows', () => {
  const index = new VectorIndex(8, { maxExhaustiveRows: 0, minSketchRows: 1 });
  for (const [row, vector] of vectors(70_000, 8).entries()) index.set(row, vector);
  const eligible = new Bitset();
  // The sample has every fourth group of 32, and more eligible rows than the other groups.
  for (let row = 0; row < 70_000; row += 32) if (row % 384 === 0 || row % 192 === 32) eligible.add(row);
  const limit = eligible.count() - 5;
  for (const query of vectors(20, 8)) {
    expect(index.search(query, { ...all, eligible, limit }).rows).toHaveLength(limit);
  }
});
