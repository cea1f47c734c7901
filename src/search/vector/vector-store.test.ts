import { expect, test } from 'vitest';
import { BLOCK_ROWS } from './kernel.ts';
import { VectorStore } from './vector-store.ts';

const MAX_BYTES = 2 ** 22;

function canReserve(store: VectorStore, blocks: number): boolean {
  try {
    store.reserve(blocks * BLOCK_ROWS);
    return true;
  } catch (error) {
    expect(error).toMatchObject({ code: 'STORE_FULL' });
    return false;
  }
}

test('a reserve that fails takes no memory from the next one', () => {
  const sizes = Array.from({ length: 30 }, (_, i) => 30 - i);
  const largest = sizes.find((blocks) => canReserve(new VectorStore(32, 'wasm', MAX_BYTES), blocks))!;
  expect(largest).toBeGreaterThan(10);
  const store = new VectorStore(32, 'wasm', MAX_BYTES);
  expect(sizes.find((blocks) => canReserve(store, blocks))).toBe(largest);
  const rows = Array.from({ length: largest * BLOCK_ROWS }, (_, row) => row);
  for (const row of rows) store.vector(row).fill(row % 2 === 0 ? -0.25 : 0);
  const derived = rows.map((row) => store.derive(row));
  expect(derived).toEqual(rows.map((row) => row % 2 === 0));
  expect(rows.every((row) => store.vector(row)[31] === (row % 2 === 0 ? -0.25 : 0))).toBe(true);
});
