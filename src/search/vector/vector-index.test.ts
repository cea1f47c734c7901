import { describe, expect, test } from 'vitest';
import { all, vectors } from '../../../test/support/vector-rows.ts';
import { DowserError } from '../../model/errors/errors.ts';
import { VectorIndex } from './vector-index.ts';

function errorOf(run: () => unknown): DowserError {
  try {
    run();
  } catch (error) {
    if (error instanceof DowserError) return error;
    throw error;
  }
  throw new Error('nothing was thrown');
}

describe('rows', () => {
  test('keeps a normalized copy', () => {
    const index = new VectorIndex(2);
    const given = Float32Array.of(3, 4);
    index.set(5, given);
    given[0] = 100;
    expect(index.get(5)).toEqual(Float32Array.of(0.6, 0.8));
    index.get(5)!.fill(0);
    expect(index.get(5)).toEqual(Float32Array.of(0.6, 0.8));
  });

  test('replaces, deletes and reuses rows', () => {
    const index = new VectorIndex(2);
    index.set(0, Float32Array.of(1, 0));
    index.set(0, Float32Array.of(0, 1));
    expect([index.size, index.has(0), index.get(0)]).toEqual([1, true, Float32Array.of(0, 1)]);
    index.delete(0);
    index.delete(0);
    index.delete(77);
    expect([index.size, index.has(0), index.get(0)]).toEqual([0, false, undefined]);
    expect(index.search(Float32Array.of(0, 1), { ...all, limit: 5 }).rows).toEqual([]);
    index.set(0, Float32Array.of(-1, 0));
    expect(index.search(Float32Array.of(1, 0), { ...all, limit: 5 })).toEqual({ rows: [0], scores: [-1] });
  });

  test('stores a zero vector but never finds it, even if it replaced another', () => {
    const index = new VectorIndex(3);
    index.set(0, Float32Array.of(1, 1, 1));
    index.set(1, Float32Array.of(1, 1, 1));
    index.set(1, new Float32Array(3));
    expect([index.size, index.has(1), index.get(1)]).toEqual([2, true, new Float32Array(3)]);
    const query = Float32Array.of(-1, -1, -1);
    expect(index.search(query, { ...all, limit: 5 }).rows).toEqual([0]);
    expect(index.scoreRows(query, [1, 0, 9])).toEqual([null, expect.closeTo(-1, 6), null]);
  });

  test('normalizes the largest and the smallest numbers', () => {
    const index = new VectorIndex(2);
    index.set(0, Float32Array.of(3e38, 3e38));
    index.set(1, Float32Array.of(1e-45, 0));
    const half = Math.fround(Math.SQRT1_2);
    expect(index.get(0)).toEqual(Float32Array.of(half, half));
    expect(index.get(1)).toEqual(Float32Array.of(1, 0));
  });
});

describe('scoreRows', () => {
  test('scores rows in the given order, with repeats, and more than there are', () => {
    const index = new VectorIndex(2);
    index.set(0, Float32Array.of(1, 0));
    index.set(1, Float32Array.of(0, 1));
    const asked = Array.from({ length: 9000 }, (_, i) => i % 3);
    const scores = index.scoreRows(Float32Array.of(2, 0), asked);
    expect(scores.length).toBe(9000);
    expect(scores.slice(8997)).toEqual([1, 0, null]);
  });

  test('works on an empty index', () => {
    expect(new VectorIndex(2).scoreRows(Float32Array.of(1, 0), [0, 1])).toEqual([null, null]);
  });
});

test('has the mean of what is there after writes, gaps, zero vectors and deletions', () => {
  const index = new VectorIndex(5);
  const docs = vectors(2500, 5);
  for (const [row, vector] of docs.entries()) if (row % 7 !== 0) index.set(row, vector);
  index.set(14, new Float32Array(5));
  index.delete(15);
  index.set(16, docs[3]!);
  const again = new VectorIndex(5);
  for (let row = 2499; row >= 0; row--) {
    if (index.has(row)) again.set(row, row === 14 ? new Float32Array(5) : docs[row === 16 ? 3 : row]!);
  }
  expect([again.size, again.has(0), again.has(15)]).toEqual([index.size, false, false]);
  expect(again.mean()).toEqual(index.mean());
});

describe('rejects', () => {
  test('a vector of the wrong size, naming both sizes', () => {
    const index = new VectorIndex(4);
    for (const run of [
      () => index.set(0, new Float32Array(3)),
      () => index.search(new Float32Array(3), { ...all, limit: 1 }),
      () => index.scoreRows(new Float32Array(3), []),
    ]) {
      const error = errorOf(run);
      expect(error.code).toBe('WRONG_DIMENSIONS');
      expect(error.message).toMatch(/\b3\b.*\b4\b/);
    }
  });

  test.each([Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY])('%s in a vector or a query', (value) => {
    const index = new VectorIndex(2);
    index.set(0, Float32Array.of(1, 0));
    for (const run of [
      () => index.set(0, Float32Array.of(0, value)),
      () => index.search(Float32Array.of(0, value), { ...all, limit: 1 }),
      () => index.scoreRows(Float32Array.of(0, value), [0]),
    ]) {
      const error = errorOf(run);
      expect([error.code, error.field]).toEqual(['INVALID_REQUEST', 'vector.1']);
      expect(error.message).toContain(String(value));
    }
    expect(index.get(0)).toEqual(Float32Array.of(1, 0));
  });

  test.each([0, -1, 4097, 1.5, Number.NaN])('%s dimensions', (dimensions) => {
    expect(errorOf(() => new VectorIndex(dimensions)).code).toBe('WRONG_DIMENSIONS');
  });

  test.each([-1, 1.5, Number.NaN])('%s as a row', (row) => {
    expect(errorOf(() => new VectorIndex(1).set(row, Float32Array.of(1))).code).toBe('INTERNAL');
  });

  test('a row beyond the memory limit, and works afterwards', () => {
    const index = new VectorIndex(4096);
    expect(errorOf(() => index.set(3e6, new Float32Array(4096).fill(1))).code).toBe('STORE_FULL');
    index.set(0, new Float32Array(4096).fill(1));
    expect(index.search(new Float32Array(4096).fill(1), { ...all, limit: 3 }).rows).toEqual([0]);
  });
});
