import { expect, it } from 'vitest';
import { Arena } from './arena.ts';
import { plainKernel } from './plain-kernel.ts';
import { selectBest, selectFrom, TOO_MANY } from './select-rows.ts';
import { openWasmMemory } from './wasm-kernel.ts';

const ROWS = 100_000;

/** Rows with these sums. Only eligible rows may be selected. */
function setUp(sumOf: (row: number) => number, isEligible: (row: number) => boolean = () => true) {
  const arena = new Arena(openWasmMemory()!);
  const at = {
    sums: arena.allocate(ROWS + 32),
    words: arena.allocate(ROWS / 8 + 4),
    rows: arena.allocate(ROWS * 4),
  };
  for (let row = 0; row < ROWS; row++) {
    arena.u8[at.sums + row] = sumOf(row);
    if (isEligible(row)) arena.u32[at.words / 4 + (row >>> 5)]! |= 1 << (row & 31);
  }
  const kernel = plainKernel(arena);
  const listed = (count: number) => [...arena.u32.subarray(at.rows / 4, at.rows / 4 + count)];
  return {
    best(wanted: number) {
      const { minSum, count } = selectBest(kernel, at, ROWS, wanted);
      return { minSum, rows: listed(count) };
    },
    /** Behind `before` rows that are listed. */
    from(minSum: number, maxRows: number, before: readonly number[] = []) {
      arena.u32.set(before, at.rows / 4);
      const count = selectFrom(kernel, at, ROWS, minSum, before.length, maxRows);
      return count === TOO_MANY ? null : listed(before.length + count);
    },
  };
}

const scattered = (row: number) => (Math.imul(row, 0x9e3779b1) >>> 24) % 251;

it('lists about the wanted number of rows with the highest sums, ascending', () => {
  const { minSum, rows } = setUp(scattered).best(2000);
  expect(rows).toEqual(Array.from({ length: ROWS }, (_, row) => row).filter((row) => scattered(row) >= minSum));
  expect(rows.length).toBeGreaterThan(1500);
  expect(rows.length).toBeLessThan(2700);
});

it.each([
  ['has no eligible row', 1],
  ['has all eligible rows', 0],
])('is accurate if the sample of every sixth group %s', (_, group) => {
  const isEligible = (row: number) => (row >>> 5) % 6 === group;
  const { minSum, rows } = setUp(scattered, isEligible).best(2000);
  expect(rows.length).toBeGreaterThanOrEqual(2000);
  expect(rows.length).toBeLessThan(2200);
  expect(rows.every((row) => isEligible(row) && scattered(row) >= minSum)).toBe(true);
});

it('lists all rows if there are fewer', () => {
  expect(setUp(scattered, (row) => row % 1000 === 7).best(400).rows).toHaveLength(100);
  expect(setUp(() => 0).best(400).rows).toHaveLength(ROWS);
  expect(setUp(scattered, () => false).best(400).rows).toEqual([]);
});

it('lists the rows from a sum on, unless there are too many', () => {
  const isEligible = (row: number) => row % 3 === 0;
  const { from } = setUp(scattered, isEligible);
  const rows = Array.from({ length: ROWS }, (_, row) => row).filter((row) => isEligible(row) && scattered(row) >= 240);
  expect(from(240, rows.length)).toEqual(rows);
  expect(from(240, rows.length - 1)).toBeNull();
  expect(from(251, 0)).toEqual([]);
  expect(from(240, rows.length + 2, [7, 5])).toEqual([7, 5, ...rows]);
  expect(from(240, rows.length + 1, [7, 5])).toBeNull();
});
