import { expect, it, onTestFinished } from 'vitest';
import { indexed, server, temporaryFolder } from '../../../test/support/engine-fixtures.ts';
import { entityId, idOf } from '../../model/entity.ts';
import type { Engine } from '../engine.ts';
import { AnnotationReader } from './annotation-reader.ts';
import { openEmbedded } from './open-embedded.ts';

const [one, two] = ['/one', '/two'].map((path) => indexed(server(path, `about ${path}`), { vectors: false }));
const [first, second] = [idOf(one!.entity), idOf(two!.entity)];

async function opened(): Promise<Engine> {
  const folder = temporaryFolder();
  const engine = await openEmbedded({ dir: folder.path, embedder: null });
  onTestFinished(async () => {
    await engine.close();
    folder.remove();
  });
  await engine.store.put([one!, two!]);
  return engine;
}

it('gives what every kind of write leaves', async () => {
  const { store } = await opened();
  const notes = async () => [...(await store.annotationsOf([second, first]))];
  expect(await notes()).toEqual([]);
  await store.annotate([{ id: first, key: 'stars', value: [1] }]);
  expect(await notes()).toEqual([[first, { stars: [1] }]]);
  await store.put([{ ...two!, annotations: { source: 'x' } }]);
  expect(await notes()).toEqual([
    [second, { source: 'x' }],
    [first, { stars: [1] }],
  ]);
  await store.put([one!], { annotations: [{ id: second, key: 'source', value: null }] });
  expect(await notes()).toEqual([[first, { stars: [1] }]]);
  await store.delete([first]);
  expect(await notes()).toEqual([]);
  await store.put([one!]);
  expect(await notes()).toEqual([]);
});

it('gives the same frozen object until it changes', async () => {
  const { store } = await opened();
  await store.annotate([{ id: first, key: 'stars', value: [{ rating: 1 }] }]);
  const read = async () => (await store.annotationsOf([first])).get(first)! as { readonly stars: readonly object[] };
  const before = await read();
  expect(await read()).toBe(before);
  expect([before, before.stars, before.stars[0]!].every((part) => Object.isFrozen(part))).toBe(true);
  await store.annotate([{ id: second, key: 'stars', value: [] }]);
  expect(await read()).toBe(before);
  await store.annotate([{ id: first, key: 'stars', value: [{ rating: 2 }] }]);
  expect(await read()).not.toBe(before);
});

it('reads only what it does not have, and knows which have none', () => {
  const asked: (readonly number[])[] = [];
  const reader = new AnnotationReader(
    {
      ofMany(numbers) {
        asked.push(numbers);
        return new Map(numbers.includes(1) ? [[1, { stars: 5 }]] : []);
      },
    },
    { entity: (id) => (id === first ? { no: 1 } : id === second ? { no: 2 } : undefined) },
  );
  const wanted = [[first, { stars: 5 }]];
  expect([...reader.getMany([first])]).toEqual(wanted);
  expect([...reader.getMany([first, second, entityId('tool', '/none')])]).toEqual(wanted);
  expect([...reader.getMany([second, first])]).toEqual(wanted);
  expect(asked).toEqual([[1], [2]]);
  reader.forget(first);
  expect([...reader.getMany([first, second])]).toEqual(wanted);
  expect(asked).toEqual([[1], [2], [1]]);
});
