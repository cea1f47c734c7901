import { describe, expect, test } from 'vitest';
import { BOUND_KEYS, SKETCH_KEYS, TABLE_LEVELS } from './kernel.ts';
import { QueryForms } from './query-forms.ts';
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
  const forms = new QueryForms(store);
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
  forms.write(query);
  store.score(store.scratch.rows, ROWS, forms.exact);
  const cosines = store.arena.f64.slice(store.scratch.scores / 8, store.scratch.scores / 8 + ROWS);
  const keys = () => store.arena.i16.subarray(store.scratch.keys / 2, store.scratch.keys / 2 + ROWS);
  return { store, forms, cosines, keys };
}

describe.each([3, 64, 100, 384, 1536])('in %d dimensions', (dimensions) => {
  const { store, forms, cosines, keys } = aroundQuery(dimensions);

  test('the rows go from 1 to -1', () => {
    expect(cosines[0]).toBeCloseTo(1, 6);
    expect(cosines[ROWS - 1]).toBeCloseTo(-1, 6);
  });

  test('a bound is never below the cosine, and not far above', () => {
    const { unit, spread, slack } = forms.writeCode();
    store.bound(ROWS, forms.code, unit, spread, slack);
    for (const [row, key] of keys().entries()) {
      expect(key).toBeGreaterThanOrEqual(cosines[row]! * BOUND_KEYS);
      expect(key / BOUND_KEYS).toBeLessThan(cosines[row]! + 0.02);
    }
  });

  test('an estimate is near the cosine', () => {
    const { unit, base } = forms.writeTable();
    store.estimate(ROWS, forms.table, unit, base);
    const errors = Array.from(keys(), (key, row) => key / SKETCH_KEYS - cosines[row]!);
    const bits = store.rotation.bits;
    // A sign tells of its number what a coin with a lean does: the error falls with the root of their count.
    expect(Math.hypot(...errors) / Math.sqrt(ROWS)).toBeLessThan(0.8 / Math.sqrt(bits));
    expect(Math.abs(errors.reduce((sum, error) => sum + error, 0) / ROWS)).toBeLessThan(0.1 / Math.sqrt(bits));
  });
});

test('four values of a table add up in a byte, and a table uses all of its levels', () => {
  expect(4 * TABLE_LEVELS).toBeLessThanOrEqual(255);
  const { store, forms } = aroundQuery(384);
  forms.writeTable();
  const table = store.arena.u8.subarray(forms.table, forms.table + store.rotation.bits * 4);
  expect([Math.min(...table), Math.max(...table)]).toEqual([0, TABLE_LEVELS]);
});

test('a query without direction is refused', () => {
  expect(aroundQuery(4).forms.write(new Float32Array(4))).toBe(false);
});
