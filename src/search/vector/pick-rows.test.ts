import { expect, it } from 'vitest';
import { Arena } from './arena.ts';
import { pickBest, pickFrom, TOO_MANY } from './pick-rows.ts';
import { PlainKernel } from './plain-kernel.ts';
import { openWasmMemory } from './wasm-kernel.ts';

const ROWS = 100_000;

/** Rows with these sums, of which these may be found. */
function setUp(sumOf: (row: number) => number, mayBeFound: (row: number) => boolean = () => true) {
  const arena = new Arena(openWasmMemory()!);
  const at = {
    sums: arena.allocate(ROWS + 32),
    words: arena.allocate(ROWS / 8 + 4),
    rows: arena.allocate(ROWS * 4),
  };
  for (let row = 0; row < ROWS; row++) {
    arena.u8[at.sums + row] = sumOf(row);
    if (mayBeFound(row)) arena.u32[at.words / 4 + (row >>> 5)]! |= 1 << (row & 31);
  }
  const kernel = new PlainKernel(arena);
  const listed = (count: number) => [...arena.u32.subarray(at.rows / 4, at.rows / 4 + count)];
  return {
    best(wanted: number) {
      const { first, count } = pickBest(kernel, at, ROWS, wanted);
      return { first, rows: listed(count) };
    },
    from(first: number, most: number) {
      const count = pickFrom(kernel, at, ROWS, first, most);
      return count === TOO_MANY ? null : listed(count);
    },
  };
}

const scattered = (row: number) => (Math.imul(row, 0x9e3779b1) >>> 24) % 251;

it('lists about as many as are wanted, the best ones, in their order', () => {
  const { first, rows } = setUp(scattered).best(2000);
  expect(rows).toEqual(Array.from({ length: ROWS }, (_, row) => row).filter((row) => scattered(row) >= first));
  expect(rows.length).toBeGreaterThan(1500);
  expect(rows.length).toBeLessThan(2700);
});

it.each([
  ['looks at none of them', 1],
  ['looks at nothing else', 0],
])('is as right where a sample of every sixth group %s', (_, group) => {
  const mayBeFound = (row: number) => (row >>> 5) % 6 === group;
  const { first, rows } = setUp(scattered, mayBeFound).best(2000);
  expect(rows.length).toBeGreaterThanOrEqual(2000);
  expect(rows.length).toBeLessThan(2200);
  expect(rows.every((row) => mayBeFound(row) && scattered(row) >= first)).toBe(true);
});

it('lists all where there are fewer', () => {
  expect(setUp(scattered, (row) => row % 1000 === 7).best(400).rows).toHaveLength(100);
  expect(setUp(() => 0).best(400).rows).toHaveLength(ROWS);
  expect(setUp(scattered, () => false).best(400).rows).toEqual([]);
});

it('lists the rows from a sum on, unless they are too many', () => {
  const mayBeFound = (row: number) => row % 3 === 0;
  const { from } = setUp(scattered, mayBeFound);
  const rows = Array.from({ length: ROWS }, (_, row) => row).filter((row) => mayBeFound(row) && scattered(row) >= 240);
  expect(from(240, rows.length)).toEqual(rows);
  expect(from(240, rows.length - 1)).toBeNull();
  expect(from(251, 0)).toEqual([]);
});
