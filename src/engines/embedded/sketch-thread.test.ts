import { execFileSync } from 'node:child_process';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Bitset } from '../../search/filter/bitset.ts';
import { VectorIndex } from '../../search/vector/vector-index.ts';
import { SketchThread } from './sketch-thread.ts';
import { VectorSpace } from './vector-space.ts';

const DIMENSIONS = 32;
const ROWS = 31_000;
const compareRows = (a: number, b: number) => a - b;

let seed = 7;
function random(): number {
  seed = (Math.imul(seed, 1103515245) + 12345) | 0;
  return (seed >>> 8) / 2 ** 24 - 0.5;
}
const vector = () => Float32Array.from({ length: DIMENSIONS }, random);

/** Two of the same: one is helped. */
let helped: VectorIndex;
let alone: VectorIndex;
let thread: ReturnType<typeof SketchThread.startFor>;

beforeAll(() => {
  helped = new VectorIndex(DIMENSIONS);
  alone = new VectorIndex(DIMENSIONS);
  for (let row = 0; row < ROWS; row++) {
    const next = vector();
    helped.set(row, next);
    alone.set(row, next);
  }
  thread = SketchThread.startFor(helped, 100, () => 2);
});

afterAll(() => {
  if (thread !== null && thread !== 'never') thread.close();
});

interface Wishes {
  readonly eligible?: Bitset;
  readonly exact?: boolean;
  readonly limit?: number;
}
const askedWith = (wishes: Wishes) => ({ eligible: null, limit: 20, compareRows, ...wishes });

/** Tries until the thread is up, and free. */
async function begin(query: Float32Array, wishes: Wishes = {}): Promise<void> {
  const asked = askedWith(wishes);
  helped.endLookAhead();
  await expect.poll(() => helped.lookAhead(query, asked), { timeout: 20_000, interval: 5 }).toBe(true);
}

function expectSame(query: Float32Array, wishes: Wishes = {}): void {
  const asked = askedWith(wishes);
  expect(helped.search(query, asked)).toEqual(alone.search(query, asked));
}

describe('a search that a second thread has begun', () => {
  it('answers as it does alone, time and again', async () => {
    for (let round = 0; round < 50; round++) {
      const query = vector();
      await begin(query);
      if (round % 3 === 0) await new Promise((resolve) => setTimeout(resolve, 1));
      expectSame(query);
    }
  });

  it('answers other questions meanwhile, and the same one twice', async () => {
    const [begun, other] = [vector(), vector()];
    await begin(begun);
    expect(helped.lookAhead(other, askedWith({}))).toBe(false);
    expectSame(other);
    expectSame(begun);
    expectSame(begun);
  });

  it('sees what was written after it was begun', async () => {
    const query = vector();
    await begin(query);
    // Until the sums are there: those of rows as they were.
    await new Promise((resolve) => setTimeout(resolve, 50));
    for (const index of [helped, alone]) {
      index.set(5, query);
      index.delete(6);
      index.set(
        ROWS,
        Float32Array.from(query, (x, i) => x + (i === 0 ? 0.001 : 0)),
      );
    }
    expectSame(query);
    expect(helped.search(query, { eligible: null, limit: 2, compareRows }).rows).toEqual([5, ROWS]);
  });

  it('goes another way where that is better, and the thread is free again', async () => {
    const query = vector();
    for (const wishes of [{ eligible: Bitset.of([3, 700, 20_000]) }, { exact: true }, { limit: 400 }, {}]) {
      await begin(query);
      expectSame(query, wishes);
      helped.endLookAhead();
    }
  });

  it('finds what may be found, also when that changes', async () => {
    const odd = new Bitset();
    for (let row = 1; row < ROWS; row += 2) odd.add(row);
    const query = vector();
    for (const eligible of [odd, undefined, odd]) {
      await begin(query, eligible === undefined ? {} : { eligible });
      // Begun for some, asked for others.
      expectSame(query);
      await begin(query, eligible === undefined ? {} : { eligible });
      expectSame(query, eligible === undefined ? {} : { eligible });
    }
    await begin(query, { eligible: odd });
    const [best] = alone.search(query, askedWith({ eligible: odd })).rows;
    odd.delete(best!);
    expectSame(query, { eligible: odd });
    await begin(query, { eligible: odd });
    expectSame(query, { eligible: odd });
  });

  it('is kept while others ask about the same query', async () => {
    const odd = new Bitset();
    for (let row = 1; row < ROWS; row += 2) odd.add(row);
    const query = vector();
    await begin(query, { eligible: odd });
    expectSame(query);
    expectSame(query, { limit: 300 });
    // Still under way, so nothing else can be begun.
    expect(helped.lookAhead(vector(), askedWith({}))).toBe(false);
    expectSame(query, { eligible: odd });
    expect(helped.lookAhead(query, askedWith({}))).toBe(true);
  });

  it('is not begun where the thread could not help', async () => {
    const query = vector();
    await begin(query);
    expectSame(query);
    for (const wishes of [{ eligible: Bitset.of([3, 700]) }, { exact: true }, { limit: 0 }]) {
      expect(helped.lookAhead(query, askedWith(wishes))).toBe(false);
    }
    await begin(query);
    expectSame(query);
  });

  it('refuses a query that is none', async () => {
    const query = vector();
    await begin(query);
    expectSame(query);
    expect(helped.lookAhead(new Float32Array(DIMENSIONS), askedWith({}))).toBe(false);
    expect(helped.lookAhead(query, askedWith({}))).toBe(true);
    helped.endLookAhead();
  });
});

it('starts only among many vectors, and after some questions', () => {
  const few = new VectorIndex(DIMENSIONS);
  few.set(0, vector());
  expect(SketchThread.startFor(few, 100)).toBeNull();
  expect(SketchThread.startFor(helped, 1)).toBeNull();
  expect(SketchThread.startFor(helped, 100, () => 1)).toBe('never');
  const plain = new VectorSpace({ id: 'test/plain/32', dimensions: DIMENSIONS }, few);
  expect(plain.lookAhead(vector(), askedWith({}))).toBe(false);
  plain.close();
});

it('keeps no process alive', () => {
  const script = `
    import { VectorIndex } from ${JSON.stringify(new URL('../../search/vector/vector-index.ts', import.meta.url).href)};
    import { SketchThread } from ${JSON.stringify(new URL('./sketch-thread.ts', import.meta.url).href)};
    const index = new VectorIndex(8);
    for (let row = 0; row < 30_000; row++) index.set(row, new Float32Array(8).fill(row + 1));
    console.log(SketchThread.startFor(index, 100, () => 2) !== 'never');`;
  const output = execFileSync(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', script], {
    encoding: 'utf8',
    timeout: 30_000,
  });
  expect(output.trim()).toBe('true');
});
