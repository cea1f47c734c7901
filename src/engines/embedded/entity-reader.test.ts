import fc from 'fast-check';
import { expect, it, onTestFinished } from 'vitest';
import { indexed, server, temporaryFolder } from '../../../test/support/engine-fixtures.ts';
import { type EntityId, entityId, idOf } from '../../model/entity.ts';
import type { Engine } from '../engine.ts';
import { openEmbedded } from './open-embedded.ts';

const COUNT = 600;
const entities = Array.from({ length: COUNT }, (_, n) => indexed(server(`/${n}`, `about ${n}`), { vectors: false }));
const unknown = entityId('tool', '/nowhere');

async function opened(): Promise<Engine> {
  const folder = temporaryFolder();
  const engine = await openEmbedded({ dir: folder.path, embedder: null });
  onTestFinished(async () => {
    await engine.close();
    folder.remove();
  });
  await engine.store.put(entities);
  return engine;
}

const ids: fc.Arbitrary<EntityId> = fc
  .integer({ min: 0, max: COUNT })
  .map((n) => (n === COUNT ? unknown : idOf(entities[n]!.entity)));

it('reads entities in the order asked, whichever of them are cached', async () => {
  const engine = await opened();
  const known = new Map(entities.map(({ entity }) => [idOf(entity), entity]));
  await fc.assert(
    fc.asyncProperty(fc.array(ids, { maxLength: 30 }), async (asked) => {
      const found = await engine.store.getMany(asked);
      expect(found.map(({ id }) => id)).toEqual(asked.filter((id) => id !== unknown));
      for (const { id, entity } of found) expect(entity).toEqual(known.get(id));
    }),
  );
});

it('reads a list that is longer than one statement takes', async () => {
  const engine = await opened();
  const all = entities.map(({ entity }) => idOf(entity));
  const found = await engine.store.getMany(all);
  expect(found.map(({ id }) => id)).toEqual(all);
});

it('gives all callers the same frozen entity', async () => {
  const engine = await opened();
  const id = idOf(entities[0]!.entity);
  const [[first], [second]] = [await engine.store.getMany([id]), await engine.store.getMany([id])];
  expect(second).toBe(first);
  expect(() => first!.entity.tags.push('other')).toThrow(TypeError);
});

it.each([
  ['little', 1],
  ['so much that its neighbors are cached', COUNT],
])('reads again what was written since, after it has read %s', async (_, count) => {
  const engine = await opened();
  const id = idOf(entities[0]!.entity);
  for (const { entity } of entities.slice(1, count)) await engine.store.getMany([idOf(entity)]);
  await engine.store.getMany([id]);
  await engine.store.put([indexed(server('/0', 'something else'), { vectors: false })]);
  expect((await engine.store.getMany([id]))[0]?.entity.description).toBe('something else');
  await engine.store.delete([id]);
  expect(await engine.store.getMany([id])).toEqual([]);
});
