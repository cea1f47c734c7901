import { expect, test } from 'vitest';
import { Arena, CopyingMemory } from './arena.ts';
import { SketchColumns } from './sketch-columns.ts';

test.each([
  ['all at once', [100_000]],
  ['block by block', Array.from({ length: 60 }, (_, i) => (i + 1) * 1024)],
  ['in odd steps', [1, 2, 1500, 1500, 9000, 30_000]],
])('has exactly one area for every row (%s)', (_, steps) => {
  const columns = new SketchColumns(new Arena(new CopyingMemory()), 256);
  for (const rows of steps) columns.reserve(rows);
  const rows = steps.at(-1)!;
  for (let row = 0; row < rows; row += 511) {
    const area = columns.areaOf(row);
    expect(row).toBeGreaterThanOrEqual(area.first);
    expect(row).toBeLessThan(area.first + area.rows);
    expect(area.stride).toBeGreaterThanOrEqual(area.rows / 2);
  }
  let next = 0;
  let address = 0;
  for (const area of columns.areas) {
    expect(area.first).toBe(next);
    expect(area.rows % 1024).toBe(0);
    expect(area.address).toBeGreaterThanOrEqual(address);
    next += area.rows;
    address = area.address + 64 * area.stride;
  }
  expect(next).toBeGreaterThanOrEqual(rows);
  expect(next).toBeLessThanOrEqual(Math.max(2 * rows, rows + 8192));
});
