import { expect, it, vi } from 'vitest';
import { MemoryEngine } from '../../engines/memory/memory-engine.ts';
import type { EntityId } from '../../model/entity.ts';
import { parseEntity } from '../../model/entity.ts';
import { toIndexed } from '../write/publish.ts';
import { FollowedAnnotation } from './followed-annotation.ts';

const KEY = 'size';
const idOf = (n: number) => `document:/d${n}` as EntityId;

async function filled() {
  const { store } = new MemoryEngine({ embedder: null });
  const documents = Array.from({ length: 5 }, (_, n) =>
    parseEntity({ type: 'document', path: `/d${n}`, name: `Document ${n}`, body: 'text' }),
  );
  await store.put(documents.map(({ entity }) => toIndexed(entity)));
  await store.annotate([0, 1, 2].map((n) => ({ id: idOf(n), key: KEY, value: { size: n } })));
  const notesOf = store.annotationsOf.bind(store);
  const all = vi.spyOn(store, 'annotated');
  const some = vi.spyOn(store, 'annotationsOf');
  const followed = new FollowedAnnotation(store, KEY, (note) => (note as { readonly size: number }).size);
  return { store, notesOf, all, some, followed };
}

it('reads all annotations once, and then those of written entities', async () => {
  const { store, all, some, followed } = await filled();
  const first = await followed.read();
  expect(Object.fromEntries(first)).toEqual({ [idOf(0)]: 0, [idOf(1)]: 1, [idOf(2)]: 2 });
  expect(await followed.read()).toBe(first);

  await store.annotate([
    { id: idOf(1), key: KEY, value: { size: 10 } },
    { id: idOf(2), key: KEY, value: null },
    { id: idOf(3), key: KEY, value: { size: 3 } },
  ]);
  await store.delete([idOf(0)]);
  expect(Object.fromEntries(await followed.read())).toEqual({ [idOf(1)]: 10, [idOf(3)]: 3 });
  // A map that was given does not change.
  expect(first.get(idOf(1))).toBe(1);
  expect(all).toHaveBeenCalledTimes(1);
  expect(some.mock.calls.map(([ids]) => [...ids].sort())).toEqual([[0, 1, 2, 3].map(idOf)]);
});

it('gives the same map while no entity with the annotation is written', async () => {
  const { store, followed } = await filled();
  const first = await followed.read();
  await store.annotate([{ id: idOf(4), key: 'other', value: 1 }]);
  expect(await followed.read()).toBe(first);
});

it('is right when a reading that began earlier ends before one that began later', async () => {
  const { store, notesOf, some, followed } = await filled();
  await followed.read();
  const ends: (() => void)[] = [];
  some.mockImplementation(async (ids) => {
    const found = await notesOf(ids);
    await new Promise<void>((end) => ends.push(end));
    return found;
  });
  await store.annotate([{ id: idOf(4), key: KEY, value: { size: 4 } }]);
  const early = followed.read();
  await vi.waitFor(() => expect(ends).toHaveLength(1), { timeout: 60_000 });
  await store.annotate([{ id: idOf(4), key: KEY, value: null }]);
  const late = followed.read();
  await vi.waitFor(() => expect(ends).toHaveLength(2), { timeout: 60_000 });
  ends[0]!();
  await early;
  ends[1]!();
  await late;
  some.mockImplementation(notesOf);
  expect((await followed.read()).has(idOf(4))).toBe(false);
});

it('reads all again when the change log no longer has what was written', async () => {
  const { store, all, followed } = await filled();
  await followed.read();
  vi.spyOn(store, 'changes').mockReturnValue({ revision: 99, ids: null });
  await store.annotate([{ id: idOf(4), key: KEY, value: { size: 4 } }]);
  expect((await followed.read()).get(idOf(4))).toBe(4);
  expect(all).toHaveBeenCalledTimes(2);
});
