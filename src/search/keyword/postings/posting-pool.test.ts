import fc from 'fast-check';
import { expect, test } from 'vitest';
import { smallPages } from '../../../../test/support/small-pages.ts';
import { Bitset } from '../../filter/bitset.ts';
import { ListChanges } from './list-changes.ts';
import { PostingPool } from './posting-pool.ts';

function read(pool: PostingPool<Uint32Array>, list: number): [number, number][] {
  const start = pool.start(list);
  const { rows, payload } = pool.page(list);
  return Array.from({ length: pool.length(list) }, (_, i) => [rows[start + i]!, payload[start + i]!]);
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
  expect(pool.page(a).payload[pool.find(a, 7)]).toBe(70);
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
  expect(pool.used).toBeLessThanOrEqual(256);
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
  expect(copy.page(0).payload[copy.find(0, 1)]).toBe(6);
  expect(copy.page(1).payload[copy.find(1, 1)]).toBe(7);
});

test('a few postings of lists that are longer than a page share one page', () => {
  const pool = smallPages(new Uint32Array(0));
  const lists = Array.from({ length: 5 }, () => pool.create());
  for (const list of lists) for (let row = 0; row < 40; row++) pool.insert(list, row, 1);
  const copy = smallPages(new Uint32Array(0));
  const copies = lists.map((list) => copy.copy(pool, list, Bitset.of([3, 30])));
  expect(new Set(copies.map((list) => copy.page(list))).size).toBe(1);
});

const LISTS = 6;
const change = fc.record({ list: fc.nat(LISTS - 1), row: fc.nat(60) });

test('lists in many pages are those that were written: one at a time, many at once, read again and copied', () => {
  fc.assert(
    fc.property(
      fc.array(fc.record({ changes: fc.array(change, { maxLength: 30, size: 'max' }), atOnce: fc.boolean() })),
      (writes) => {
        let pool = smallPages(new Uint32Array(0));
        const model = Array.from({ length: LISTS }, () => new Map<number, number>());
        for (let list = 0; list < LISTS; list++) pool.create();
        let value = 0;
        for (const { changes, atOnce } of writes) {
          const fresh = new Map(
            changes.filter(({ list, row }) => !model[list]!.has(row)).map((one) => [key(one), one]),
          );
          const inOrder = [...fresh.values()].sort((a, b) => a.row - b.row);
          const prepared = new ListChanges(pool);
          for (const { list, row } of inOrder) {
            model[list]!.set(row, ++value);
            if (atOnce) prepared.add(list, row, value);
            else pool.insert(list, row, value);
          }
          expect([...prepared.prepare()]).toEqual([]);
          prepared.apply();
          const gone = changes.find(({ list, row }) => !fresh.has(key({ list, row })));
          if (gone !== undefined) expect(pool.remove(gone.list, gone.row)).toBe(model[gone.list]!.delete(gone.row));
          for (const [list, rows] of model.entries()) expect(read(pool, list)).toEqual(sorted(rows));
        }
        pool = PostingPool.from(pool.compact(model.map((_, list) => list)));
        const even = Bitset.of(Array.from({ length: 31 }, (_, n) => 2 * n));
        const copy = smallPages(new Uint32Array(0));
        for (const [list, rows] of model.entries()) {
          expect(read(pool, list)).toEqual(sorted(rows));
          expect(read(copy, copy.copy(pool, list, even))).toEqual(sorted(rows).filter(([row]) => row % 2 === 0));
        }
      },
    ),
  );
});

const key = ({ list, row }: { readonly list: number; readonly row: number }) => `${list}/${row}`;
const sorted = (rows: ReadonlyMap<number, number>) => [...rows].sort(([a], [b]) => a - b);
