import { describe, expect, test } from 'vitest';
import { Bitset } from '../../src/search/filter/bitset.ts';
import { VectorIndex } from '../../src/search/vector/vector-index.ts';

const compareRows = (a: number, b: number) => a - b;

/** A seeded random generator, so that every run measures the same data. */
function numbers(seed: number) {
  let state = seed;
  const uniform = () => {
    state = (Math.imul(state, 1664525) + 1013904223) | 0;
    return (state >>> 8) / 2 ** 24;
  };
  const normal = () => Math.sqrt(-2 * Math.log(1 - uniform())) * Math.cos(2 * Math.PI * uniform());
  return { uniform, normal };
}

/** Vectors around many centers, like texts around topics. */
function clustered(count: number, dimensions: number, centers: number) {
  const { uniform, normal } = numbers(7);
  const middles = Array.from({ length: centers }, () => Float32Array.from({ length: dimensions }, normal));
  return Array.from({ length: count }, () => {
    const middle = middles[Math.floor(uniform() * centers)]!;
    return middle.map((x) => x + 0.7 * normal());
  });
}

/** Mostly zeros, like hashed words. */
function sparse(count: number, dimensions: number) {
  const { uniform } = numbers(11);
  return Array.from({ length: count }, () => {
    const vector = new Float32Array(dimensions);
    for (let i = 0; i < 12; i++) {
      const at = Math.floor(uniform() ** 2 * dimensions);
      vector[at] = vector[at]! + 1;
    }
    return vector;
  });
}

/** The share of the true best rows that a sketched search finds, over all queries. */
function recall(docs: Float32Array[], queries: Float32Array[], eligible: Bitset | null, limit: number): number {
  const index = new VectorIndex(docs[0]!.length, { maxExhaustiveRows: 0, minSketchRows: 0 });
  for (const [row, vector] of docs.entries()) index.set(row, vector);
  let found = 0;
  let wanted = 0;
  for (const query of queries) {
    const truth = index.search(query, { eligible, limit, compareRows, exact: true });
    const sketched = index.search(query, { eligible, limit, compareRows });
    const rows = new Set(sketched.rows);
    expect(rows.size).toBe(limit);
    // By score, not by row: among ties, any row is correct.
    found += truth.scores.filter((score, i) => rows.has(truth.rows[i]!) || score <= sketched.scores.at(-1)!).length;
    wanted += truth.rows.length;
  }
  return found / wanted;
}

describe('a sketched search finds nearly all of the best 30', () => {
  const docs = clustered(40_100, 64, 800);
  const queries = docs.splice(40_000);

  test('among 40 000 clustered vectors', () => {
    expect(recall(docs, queries, null, 30)).toBeGreaterThanOrEqual(0.998);
  });

  test('among a filtered half of them', () => {
    const half = Bitset.of([...docs.keys()].filter((row) => row % 4 < 2));
    expect(recall(docs, queries.slice(0, 40), half, 30)).toBeGreaterThanOrEqual(0.998);
  });

  test('among vectors that are mostly zeros', () => {
    const mostlyZero = sparse(12_060, 200);
    const queries = mostlyZero.splice(12_000);
    expect(recall(mostlyZero, queries, null, 30)).toBeGreaterThanOrEqual(0.998);
  });
});

test('a sketched search gives the same result every time, and in any order of writes', () => {
  const docs = clustered(5000, 48, 50);
  const options = { eligible: null, limit: 50, compareRows };
  const index = new VectorIndex(48, { maxExhaustiveRows: 0, minSketchRows: 0 });
  for (const [row, vector] of docs.entries()) index.set(row, vector);
  const backwards = new VectorIndex(48, { maxExhaustiveRows: 0, minSketchRows: 0, kernel: 'plain' });
  for (const [row, vector] of [...docs.entries()].reverse()) backwards.set(row, vector);
  for (const query of docs.slice(0, 5)) {
    const first = index.search(query, options);
    expect(index.search(query, options)).toEqual(first);
    expect(backwards.search(query, options)).toEqual(first);
  }
});
