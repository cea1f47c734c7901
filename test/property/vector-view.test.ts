import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Bitset } from '../../src/search/filter/bitset.ts';
import { VectorIndex } from '../../src/search/vector/vector-index.ts';
import { RowsTotal } from '../../src/search/vector/vector-total.ts';

const DIMENSIONS = 64;

/** A seeded random generator, so that every run searches the same data. */
function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return (state >>> 8) / 2 ** 24;
  };
}

const normalFrom = (random: () => number) => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
const vectorFrom = (random: () => number) => Float32Array.from({ length: DIMENSIONS }, () => normalFrom(random));

/** Makes vectors around some centers, like texts around topics. */
function clustered(random: () => number, centers: number): () => Float32Array {
  const middles = Array.from({ length: centers }, () => vectorFrom(random));
  return () => middles[Math.floor(random() * centers)]!.map((x) => x + 0.7 * normalFrom(random));
}

/** The vectors at every `step`th row. */
function layOut(vectors: readonly Float32Array[], step: number) {
  const index = new VectorIndex(DIMENSIONS, { maxExhaustiveRows: 0 });
  const eligible = new Bitset();
  for (const [n, vector] of vectors.entries()) {
    index.set(n * step, vector);
    eligible.add(n * step);
  }
  const compareRows = (a: number, b: number) => a - b;
  return (query: Float32Array, isolated: boolean) => {
    // So few candidates that the sketch misses some rows: it must miss the same ones.
    const { rows, scores } = index.search(query, { eligible, limit: 30, compareRows, isolated, efSearch: 10 });
    return JSON.stringify({ found: rows.map((row) => row / step), scores });
  };
}

test('where rows lie changes nothing of an isolated search, not even what a sketch misses', () => {
  const make = clustered(randomFrom(5), 400);
  // Among fewer rows, the sums are too accurate to miss any.
  const vectors = Array.from({ length: 31_000 }, make);
  const close = layOut(vectors, 1);
  const apart = layOut(vectors, 5);
  let differences = 0;
  for (let n = 0; n < 300; n++) {
    const query = make();
    const expected = close(query, true);
    expect(apart(query, true)).toBe(expected);
    if (apart(query, false) !== expected) differences++;
  }
  // Else this data would not show whether the option has an effect.
  expect(differences).toBeGreaterThan(0);
});

const write = fc.record({ row: fc.nat(90), seed: fc.option(fc.nat(1000), { nil: null, freq: 4 }) });

test('the mean of some rows follows every write, and depends on their vectors alone', () => {
  fc.assert(
    fc.property(
      fc.array(fc.record({ writes: fc.array(write, { maxLength: 30 }), seen: fc.uniqueArray(fc.nat(90)) }), {
        minLength: 1,
        maxLength: 6,
      }),
      (rounds) => {
        const index = new VectorIndex(DIMENSIONS);
        const total = new RowsTotal(DIMENSIONS);
        const vectors = new Map<number, Float32Array>();
        for (const { writes, seen } of rounds) {
          for (const { row, seed } of writes) {
            index.removeFrom(total, row);
            if (seed === null) {
              index.delete(row);
              vectors.delete(row);
            } else {
              const vector = vectorFrom(randomFrom(seed));
              index.set(row, vector);
              vectors.set(row, vector);
            }
          }
          const own = new VectorIndex(DIMENSIONS);
          for (const row of [...seen].reverse()) if (vectors.has(row)) own.set(row, vectors.get(row)!);
          expect(index.meanOf(Bitset.of(seen), total)).toEqual(own.mean());
        }
      },
    ),
  );
});
