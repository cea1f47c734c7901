import { describe, expect, test } from 'vitest';
import { BOUND_KEYS, HIGHEST_SUM } from './kernel.ts';
import { QueryForms } from './query-forms.ts';
import type { ColumnSet } from './query-sketch.ts';
import { VectorStore } from './vector-store.ts';

const ROWS = 320;

/** Rows that point from exactly along the query to exactly against it. */
function aroundQuery(dimensions: number) {
  let state = dimensions;
  const next = () => {
    state = (Math.imul(state, 1664525) + 1013904223) | 0;
    return state / 2 ** 31;
  };
  const query = Float32Array.from({ length: dimensions }, next);
  const store = new VectorStore(dimensions);
  const forms = new QueryForms(store, dimensions);
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
  forms.write(query, squares(query));
  store.score(store.scratch.rows, ROWS, forms.exact);
  const cosines = store.arena.f64.slice(store.scores / 8, store.scores / 8 + ROWS);
  const keys = () => store.arena.i16.subarray(store.scratch.keys / 2, store.scratch.keys / 2 + ROWS);
  const sums = () => store.arena.u8.subarray(store.scratch.sums, store.scratch.sums + ROWS);
  return { store, forms, query, cosines, keys, sums };
}

const squares = (vector: Float32Array) => vector.reduce((sum, x) => sum + x * x, 0);

describe.each([3, 64, 100, 384, 1536])('in %d dimensions', (dimensions) => {
  const { store, forms, cosines, keys, sums } = aroundQuery(dimensions);

  test('the rows go from 1 to -1', () => {
    expect(cosines[0]).toBeCloseTo(1, 6);
    expect(cosines[ROWS - 1]).toBeCloseTo(-1, 6);
  });

  test('a bound is never below the cosine, and not far above', () => {
    store.bound(store.scratch, 0, 100, forms.code, forms.boundTerms());
    store.bound(store.scratch, 100, ROWS, forms.code, forms.boundTerms());
    for (const [row, key] of keys().entries()) {
      expect(key).toBeGreaterThanOrEqual(cosines[row]! * BOUND_KEYS);
      expect(key / BOUND_KEYS).toBeLessThan(cosines[row]! + 0.02);
    }
  });

  test('a sum is as it should be for the cosine, and off by no more than it may, over some columns and over all', () => {
    const { sketch } = forms;
    for (const over of ['first', 'all'] as const) {
      store.sum(ROWS, over === 'first' ? sketch.first : sketch.rest, store.scratch.sums, over === 'all');
      // In errors; a few dimensions do not turn into numbers that are normal.
      const off = Array.from(sums(), (sum, row) => {
        const mean = sketch.sumOf(cosines[row]!, 0, over);
        return (sum - mean) / (mean - sketch.sumOf(cosines[row]!, 1, over));
      });
      if (dimensions >= 64) {
        expect(Math.hypot(...off) / Math.sqrt(ROWS)).toBeLessThan(1.3);
        // Values in tables are rounded once for a query, so its sums are off to one side by some of that.
        expect(Math.abs(off.reduce((sum, x) => sum + x, 0) / ROWS)).toBeLessThan(0.9);
      }
      expect(sketch.sumOf(0.5, 0, over)).toBeGreaterThan(sketch.sumOf(-0.5, 0, over));
      expect(sums()[0]).toBeGreaterThan(sums()[ROWS - 1]!);
    }
  });

  test('the columns to sum are each there once, and the first have more of the query than the rest', () => {
    const { first, rest } = forms.sketch;
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

  test('no sum can pass the highest, and some come near it', () => {
    const { first, rest } = forms.sketch;
    let highest = 0;
    for (let i = 0; i < first.count + rest.count; i++) {
      const table = store.arena.u8.subarray(first.tables + i * 16, first.tables + i * 16 + 16);
      expect(Math.min(...table)).toBe(0);
      highest += Math.max(...table);
    }
    expect(highest).toBeLessThanOrEqual(HIGHEST_SUM);
    expect(highest).toBeGreaterThan(HIGHEST_SUM * 0.75);
  });
});

test('of columns with as much of the query the first are chosen, each once', () => {
  // One number of 32 turns into numbers of one size.
  const store = new VectorStore(32);
  store.reserve(1);
  const forms = new QueryForms(store, 32);
  const query = Float32Array.from({ length: 32 }, (_, i) => (i === 3 ? 1 : 0));
  forms.write(query, 1);
  const { first, rest } = forms.sketch;
  const chosen = Array.from(store.arena.u32.subarray(first.columns / 4, first.columns / 4 + first.count + rest.count));
  expect(new Set(chosen).size).toBe(first.count + rest.count);
  expect(Math.max(...chosen)).toBeLessThan(store.rotation.bits / 4);
});

test('a query without direction says so', () => {
  const { forms, query } = aroundQuery(4);
  expect(forms.hasDirection).toBe(true);
  forms.write(new Float32Array(4), 0);
  expect(forms.hasDirection).toBe(false);
  forms.write(query, squares(query));
  expect(forms.hasDirection).toBe(true);
});

test('a query is held until another is written, and then none of its forms is left', () => {
  const { store, forms, query } = aroundQuery(100);
  const first = { bound: forms.boundTerms(), sum: forms.sketch.sumOf(0.3, 1, 'all') };
  const code = store.arena.i16.slice(forms.code / 2, forms.code / 2 + 100);
  const other = query.map((x, i) => (i === 99 ? -3 * x : x));
  expect([forms.holds(query), forms.holds(other)]).toEqual([true, false]);
  forms.write(other, squares(other));
  expect([forms.holds(query), forms.holds(other)]).toEqual([false, true]);
  expect(forms.boundTerms()).not.toEqual(first.bound);
  expect(forms.sketch.sumOf(0.3, 1, 'all')).not.toBe(first.sum);
  forms.write(query, squares(query));
  expect({ bound: forms.boundTerms(), sum: forms.sketch.sumOf(0.3, 1, 'all') }).toEqual(first);
  expect(store.arena.i16.slice(forms.code / 2, forms.code / 2 + 100)).toEqual(code);
});
