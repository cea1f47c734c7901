import { describe, expect, test } from 'vitest';
import { EncodedQuery } from './encoded-query.ts';
import { KEYS_PER_COSINE, MAX_SUM } from './kernel.ts';
import type { ColumnSet } from './query-sketch.ts';
import { VectorStore } from './vector-store.ts';

const ROWS = 320;

/** Rows with cosines from 1 to -1. */
function aroundQuery(dimensions: number) {
  let state = dimensions;
  const next = () => {
    state = (Math.imul(state, 1664525) + 1013904223) | 0;
    return state / 2 ** 31;
  };
  const query = Float32Array.from({ length: dimensions }, next);
  const store = new VectorStore(dimensions);
  const encoded = new EncodedQuery(store, dimensions);
  store.reserve(ROWS);
  const { u32 } = store.arena;
  for (let row = 0; row < ROWS; row++) {
    const pull = 1 - (2 * row) / (ROWS - 1);
    const vector = query.map((x) => pull * x + (1 - Math.abs(pull)) * next());
    const length = Math.hypot(...vector);
    store.vector(row).set(vector.map((x) => x / length));
    store.derive(row);
    u32[store.scratch.rows / 4 + row] = row;
  }
  u32.fill(0xffffffff, store.scratch.words / 4, store.scratch.words / 4 + ROWS / 32);
  encoded.write(query, squares(query));
  store.scoreRows(store.scratch.rows, ROWS, encoded.exact);
  const cosines = store.arena.f64.slice(store.scores / 8, store.scores / 8 + ROWS);
  const keys = () => store.arena.i16.subarray(store.scratch.keys / 2, store.scratch.keys / 2 + ROWS);
  const sums = () => store.arena.u8.subarray(store.scratch.sums, store.scratch.sums + ROWS);
  return { store, encoded, query, cosines, keys, sums };
}

const squares = (vector: Float32Array) => vector.reduce((sum, x) => sum + x * x, 0);

describe.each([3, 64, 100, 384, 1536])('in %d dimensions', (dimensions) => {
  const { store, encoded, cosines, keys, sums } = aroundQuery(dimensions);

  test('the rows have cosines from 1 to -1', () => {
    expect(cosines[0]).toBeCloseTo(1, 6);
    expect(cosines[ROWS - 1]).toBeCloseTo(-1, 6);
  });

  test('a bound is never below the cosine, and not far above it', () => {
    store.boundRows(store.scratch, 0, ROWS, encoded.code, encoded.boundTerms());
    for (const [row, key] of keys().entries()) {
      expect(key).toBeGreaterThanOrEqual(cosines[row]! * KEYS_PER_COSINE);
      expect(key / KEYS_PER_COSINE).toBeLessThan(cosines[row]! + 0.02);
    }
  });

  test('a sum is close to the expected sum of the cosine, over the first columns and over all', () => {
    const { sketch } = encoded;
    for (const over of ['first', 'all'] as const) {
      store.sumColumns(ROWS, over === 'first' ? sketch.first : sketch.rest, store.scratch.sums, over === 'all');
      // In standard deviations. With few dimensions, rotated numbers are not normally distributed.
      const off = Array.from(sums(), (sum, row) => {
        const mean = sketch.expectedSum(cosines[row]!, 0, over);
        return (sum - mean) / (mean - sketch.expectedSum(cosines[row]!, 1, over));
      });
      if (dimensions >= 64) {
        expect(Math.hypot(...off) / Math.sqrt(ROWS)).toBeLessThan(1.3);
        // Tables are rounded once per query, so its sums are biased a little.
        expect(Math.abs(off.reduce((sum, x) => sum + x, 0) / ROWS)).toBeLessThan(0.9);
      }
      expect(sketch.expectedSum(0.5, 0, over)).toBeGreaterThan(sketch.expectedSum(-0.5, 0, over));
      expect(sums()[0]).toBeGreaterThan(sums()[ROWS - 1]!);
    }
  });

  test('columns are distinct, and the first pass has larger values than the second', () => {
    const { first, rest } = encoded.sketch;
    const columnsOf = ({ columns, count }: ColumnSet) =>
      Array.from(store.arena.u32.subarray(columns / 4, columns / 4 + count));
    const reachOf = ({ tables, count }: ColumnSet) =>
      Array.from({ length: count }, (_, i) =>
        Math.max(...store.arena.u8.subarray(tables + i * 16, tables + i * 16 + 16)),
      );
    expect(new Set([...columnsOf(first), ...columnsOf(rest)]).size).toBe(first.count + rest.count);
    for (const set of [first, rest]) {
      expect(columnsOf(set)).toEqual(columnsOf(set).sort((a, b) => a - b));
      expect(set.count % 8).toBe(0);
    }
    const mean = (numbers: readonly number[]) => numbers.reduce((sum, x) => sum + x, 0) / numbers.length;
    expect(mean(reachOf(first))).toBeGreaterThan(mean(reachOf(rest)));
  });

  test('no sum can exceed MAX_SUM, and the largest comes near it', () => {
    const { first, rest } = encoded.sketch;
    let highest = 0;
    for (let i = 0; i < first.count + rest.count; i++) {
      const table = store.arena.u8.subarray(first.tables + i * 16, first.tables + i * 16 + 16);
      expect(Math.min(...table)).toBe(0);
      highest += Math.max(...table);
    }
    expect(highest).toBeLessThanOrEqual(MAX_SUM);
    expect(highest).toBeGreaterThan(MAX_SUM * 0.75);
  });
});

test('selects the first of equal columns, each once', () => {
  // A query with one non-zero number is rotated to numbers of equal size.
  const store = new VectorStore(32);
  store.reserve(1);
  const encoded = new EncodedQuery(store, 32);
  const query = Float32Array.from({ length: 32 }, (_, i) => (i === 3 ? 1 : 0));
  encoded.write(query, 1);
  const { first, rest } = encoded.sketch;
  const chosen = Array.from(store.arena.u32.subarray(first.columns / 4, first.columns / 4 + first.count + rest.count));
  expect(new Set(chosen).size).toBe(first.count + rest.count);
  expect(Math.max(...chosen)).toBeLessThan(store.rotation.bits / 4);
});

test('recognizes a zero query', () => {
  const { encoded, query } = aroundQuery(4);
  expect(encoded.isNonZero).toBe(true);
  encoded.write(new Float32Array(4), 0);
  expect(encoded.isNonZero).toBe(false);
  encoded.write(query, squares(query));
  expect(encoded.isNonZero).toBe(true);
});

test('matches the last written query, and writing another replaces all its encodings', () => {
  const { store, encoded, query } = aroundQuery(100);
  const first = { bound: encoded.boundTerms(), sum: encoded.sketch.expectedSum(0.3, 1, 'all') };
  const code = store.arena.i16.slice(encoded.code / 2, encoded.code / 2 + 100);
  const other = query.map((x, i) => (i === 99 ? -3 * x : x));
  expect([encoded.matches(query), encoded.matches(other)]).toEqual([true, false]);
  encoded.write(other, squares(other));
  expect([encoded.matches(query), encoded.matches(other)]).toEqual([false, true]);
  expect(encoded.boundTerms()).not.toEqual(first.bound);
  expect(encoded.sketch.expectedSum(0.3, 1, 'all')).not.toBe(first.sum);
  encoded.write(query, squares(query));
  expect({ bound: encoded.boundTerms(), sum: encoded.sketch.expectedSum(0.3, 1, 'all') }).toEqual(first);
  expect(store.arena.i16.slice(encoded.code / 2, encoded.code / 2 + 100)).toEqual(code);
});
