import fc from 'fast-check';
import { expect, it } from 'vitest';
import { Bitset } from '../filter/bitset.ts';
import { RowsTotal, VectorTotal } from './vector-total.ts';

const ROWS = 80;
const vectors = Array.from({ length: ROWS }, (_, row) => Float32Array.of(Math.sin(row), Math.cos(row), 1 / (row + 1)));
const vectorOf = (row: number) => vectors[row]!;
const bitset = (rows: Iterable<number>) => {
  const bits = new Bitset();
  for (const row of rows) bits.add(row);
  return bits;
};
const present = bitset(vectors.keys());
const all = new VectorTotal(3);
for (const vector of vectors) all.add(vector);

function meanOf(total: RowsTotal, rows: Bitset): Float32Array | null {
  total.follow(rows, present, all, vectorOf);
  return total.mean();
}
const some = fc.uniqueArray(fc.nat(ROWS - 1)).map((rows) => bitset(rows));

it('a sum that starts from another one is the sum of its rows alone', () => {
  fc.assert(
    fc.property(fc.array(some, { maxLength: 4 }), some, fc.nat(ROWS - 1), (before, rows, changed) => {
      const kept = before.map((others) => {
        const total = new RowsTotal(3);
        meanOf(total, others);
        total.remove(changed, vectorOf(changed));
        return total;
      });
      const near = RowsTotal.near(rows, kept, 3);
      expect(meanOf(near, rows)).toEqual(meanOf(new RowsTotal(3), rows));
    }),
  );
});

it('reads the vectors of the few rows that differ', () => {
  const kept = new RowsTotal(3);
  meanOf(kept, bitset(Array.from({ length: 40 }, (_, row) => row)));
  const read: number[] = [];
  const rows = bitset(Array.from({ length: 40 }, (_, row) => row + 1));
  RowsTotal.near(rows, [new RowsTotal(3), kept], 3).follow(rows, present, all, (row) => {
    read.push(row);
    return vectorOf(row);
  });
  expect(read.sort((a, b) => a - b)).toEqual([0, 40]);
});
