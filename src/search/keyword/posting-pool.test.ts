import { expect, test } from 'vitest';
import { PostingPool } from './posting-pool.ts';

function read(pool: PostingPool<Uint32Array>, list: number): [number, number][] {
  const start = pool.start(list);
  return Array.from({ length: pool.length(list) }, (_, i) => [pool.rows[start + i]!, pool.payload[start + i]!]);
}

test('keeps each list sorted by row, for any insertion order', () => {
  const pool = new PostingPool(new Uint32Array(0));
  const [a, b] = [pool.create(), pool.create()];
  for (const row of [5, 1, 9, 3, 7]) {
    pool.insert(a, row, row * 10);
    pool.insert(b, row + 100, row);
  }
  expect(read(pool, a)).toEqual([
    [1, 10],
    [3, 30],
    [5, 50],
    [7, 70],
    [9, 90],
  ]);
  expect(read(pool, b).map(([row]) => row)).toEqual([101, 103, 105, 107, 109]);
  expect(pool.remove(a, 5)).toBe(true);
  expect(pool.remove(a, 5)).toBe(false);
  expect(read(pool, a).map(([row]) => row)).toEqual([1, 3, 7, 9]);
  expect(pool.payload[pool.find(a, 7)]).toBe(70);
  expect(pool.find(a, 8)).toBe(-1);
  expect(pool.find(b, 999)).toBe(-1);
});

test('reuses the blocks of moved and dropped lists', () => {
  const pool = new PostingPool(new Uint32Array(0));
  for (let round = 0; round < 50; round++) {
    const list = pool.create();
    for (let row = 0; row < 64; row++) pool.insert(list, row, 1);
    for (let row = 0; row < 64; row++) pool.remove(list, row);
    pool.drop(list);
  }
  expect(pool.lists).toBe(1);
  expect(pool.rows.length).toBeLessThanOrEqual(256);
});

test('a compact copy has the lists in the given order, and a pool made from it accepts writes', () => {
  const pool = new PostingPool(new Uint8Array(0));
  const [a, b] = [pool.create(), pool.create()];
  pool.insert(a, 1, 7);
  pool.insert(b, 2, 8);
  pool.insert(b, 3, 9);
  const flat = pool.compact([b, a]);
  expect([...flat.lengths]).toEqual([2, 1]);
  expect([...flat.rows]).toEqual([2, 3, 1]);
  expect([...flat.payload]).toEqual([8, 9, 7]);
  const copy = PostingPool.from(flat);
  copy.insert(0, 1, 6);
  expect(copy.payload[copy.find(0, 1)]).toBe(6);
  expect(copy.payload[copy.find(1, 1)]).toBe(7);
});
