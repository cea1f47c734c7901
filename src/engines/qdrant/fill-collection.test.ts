import { expect, it } from 'vitest';
import type { UnitId } from '../../model/entity-parts/unit.ts';
import { Bitset } from '../../search/filter/bitset.ts';
import type { Collection } from './collection.ts';
import { BULK_POINTS, compareAll, writePending } from './fill-collection.ts';
import { PendingPoints } from './pending-points.ts';
import type { QdrantSpace } from './qdrant-space.ts';

const unitOf = (row: number) => `tool:/${row}#card` as UnitId;

/** A space of rows that all have a unit. `vectors`: those with a vector in the record. */
function spaceOf(vectors: Map<number, Float32Array>) {
  const pending = new PendingPoints();
  const lost: number[] = [];
  const space = {
    pending,
    present: new Bitset(),
    rows: { table: { unitAt: (row: number) => ({ id: unitOf(row) }), unit: () => undefined } },
    payload: (row: number) => ({ digest: row + 1 }),
    vectorOf: (row: number) => vectors.get(row),
    lose(row: number) {
      lost.push(row);
      pending.remove(row, unitOf(row));
    },
    changed() {},
  };
  return { space: space as unknown as QdrantSpace, pending, lost };
}

/** Notes what is asked; `onAsk` is called before each answer. */
function collectionOf(onAsk: (what: string) => void, stored: readonly string[] = []) {
  const asked: string[] = [];
  const answer = async (what: string) => {
    asked.push(what);
    await Promise.resolve();
    onAsk(what);
  };
  let isPaused = false;
  const setPaused = async (isNext: boolean, what: string) => {
    if (isPaused === isNext) return;
    isPaused = isNext;
    await answer(what);
  };
  const collection = {
    checkIndexing: async () => {},
    count: async () => stored.length,
    pauseIndexing: () => setPaused(true, 'pause'),
    resumeIndexing: () => setPaused(false, 'resume'),
    write: (points: readonly unknown[]) => answer(`write ${points.length}`),
    delete: (ids: readonly string[]) => answer(`delete ${ids.length}`),
    page: async () => {
      await answer('page');
      return { points: stored.map((id) => ({ id, unit: id, digest: 1 })), next: null };
    },
  };
  return { collection: collection as unknown as Collection, asked };
}

it('keeps a row that gets its vector while others are written, and loses one that has none', async () => {
  const vectors = new Map([[1, new Float32Array(2)]]);
  const { space, pending, lost } = spaceOf(vectors);
  for (const row of [1, 2, 3]) pending.add(row, unitOf(row));
  const { collection, asked } = collectionOf((what) => {
    if (what !== 'write 1' || vectors.has(2)) return;
    vectors.set(2, new Float32Array(2));
    pending.add(2, unitOf(2));
  });
  await writePending(space, collection, { isStopped: () => false, onWritten() {} });
  expect(lost).toEqual([2, 3]);
  // The new vector of row 2 is written, its point is not deleted.
  expect(asked).toEqual(['write 1', 'delete 1', 'write 1']);
  expect(pending.isEmpty).toBe(true);
});

it('writes nothing after the lease was lost with a deletion on its way', async () => {
  const { space, pending } = spaceOf(new Map([[1, new Float32Array(2)]]));
  pending.add(1, unitOf(1));
  pending.remove(2, unitOf(2));
  let isStopped = false;
  const { collection, asked } = collectionOf(() => {
    isStopped = true;
  });
  await writePending(space, collection, { isStopped: () => isStopped, onWritten() {} });
  expect(asked).toEqual(['delete 1']);
  expect(pending.count).toBe(1);
});

it('deletes no unknown point after the lease was lost with a page on its way', async () => {
  const { space } = spaceOf(new Map());
  let isStopped = false;
  const { collection, asked } = collectionOf(() => {
    isStopped = true;
  }, ['written by another node']);
  await compareAll(space, collection, () => isStopped);
  expect(asked).toEqual(['page']);
});

const bulk = () => {
  const rows = Array.from({ length: BULK_POINTS }, (_, row) => row);
  const space = spaceOf(new Map(rows.map((row) => [row, new Float32Array(2)])));
  for (const row of rows) space.pending.add(row, unitOf(row));
  return space;
};

it('pauses the indexing until a bulk is written, and not for less', async () => {
  const { space, pending } = bulk();
  const { collection, asked } = collectionOf(() => {});
  await writePending(space, collection, { isStopped: () => false, onWritten() {} });
  expect([asked[0], asked.at(-1)]).toEqual(['pause', 'resume']);
  expect(asked.filter((what) => !what.startsWith('write'))).toHaveLength(2);
  for (let row = 1; row < BULK_POINTS; row++) pending.add(row, unitOf(row));
  asked.length = 0;
  await writePending(space, collection, { isStopped: () => false, onWritten() {} });
  expect(asked.every((what) => what.startsWith('write'))).toBe(true);
});

it('resumes no indexing after the lease was lost: another process may be in the midst of a bulk', async () => {
  const { space } = bulk();
  let isStopped = false;
  const { collection, asked } = collectionOf((what) => {
    isStopped = what !== 'pause';
  });
  await writePending(space, collection, { isStopped: () => isStopped, onWritten() {} });
  expect(asked).toEqual(['pause', 'write 100']);
});
