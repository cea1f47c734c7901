import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { indexed, TOY_EMBEDDER, temporaryFolder, toyVector } from '../../../test/support/engine-fixtures.ts';
import { registryOver } from '../../../test/support/registry-over.ts';
import type { EntityId } from '../../model/entity.ts';
import type { Engine } from '../engine.ts';
import { openEmbedded, SNAPSHOT_FILE } from './open-embedded.ts';

const folder = temporaryFolder();
afterEach(() => folder.remove());

const PAGE_BYTES = 65536;
const BATCH = 500;
const tools = (prefix: string, count: number, vectors = true) =>
  Array.from({ length: count }, (_, i) =>
    indexed(
      { type: 'tool', path: `/${prefix}-${i}`, name: `${prefix} ${i}`, description: 'Counts birds.' },
      { vectors },
    ),
  );
const open = (pages?: number): Promise<Engine> =>
  openEmbedded({
    dir: folder.path,
    embedder: TOY_EMBEDDER,
    ...(pages === undefined ? {} : { maxVectorBytes: pages * PAGE_BYTES }),
  });
const idsOf = async ({ store }: Engine) => (await store.scan({ limit: 100_000 })).entities.map(({ id }) => id);

/** Puts batches until one is refused; returns the ids of those that were taken. */
async function fill(engine: Engine): Promise<string[]> {
  const taken: string[] = [];
  for (let n = 0; n < 100; n++) {
    const batch = tools(`batch-${n}`, BATCH);
    try {
      await engine.store.put(batch);
    } catch (error) {
      expect(error).toMatchObject({ code: 'STORE_FULL' });
      return taken;
    }
    taken.push(...batch.map(({ entity }) => `tool:${entity.path}`));
  }
  throw new Error('nothing was refused');
}

it('refuses a batch whole that adds units beyond the maximum, and takes what makes it no larger', async () => {
  const engine = await openEmbedded({ dir: folder.path, embedder: TOY_EMBEDDER, maxUnits: 1000 });
  await engine.store.put(tools('a', 990, false));
  await expect(engine.store.put(tools('b', 20, false))).rejects.toMatchObject({
    code: 'STORE_FULL',
    message: 'The index would have 1010 units: it holds 1000 at most.',
    hint: expect.stringContaining('several registries'),
  });
  expect(await idsOf(engine)).toHaveLength(990);
  await engine.store.put(tools('b', 10, false));
  await engine.store.put(tools('a', 20, false));
  const [last] = tools('b', 10, false).slice(-1);
  await engine.store.put(tools('c', 1, false), { gone: [`tool:${last!.entity.path}` as EntityId] });
  expect(await idsOf(engine)).toHaveLength(1000);
  await engine.close();
});

it('refuses a batch whole when its vectors do not fit, and goes on without harm', async () => {
  const engine = await open(12);
  const taken = await fill(engine);
  expect((await idsOf(engine)).sort()).toEqual([...taken].sort());

  const late = tools('late', 20, false);
  await engine.store.put(late);
  const expected = [...taken, ...late.map(({ entity }) => `tool:${entity.path}`)].sort();
  expect((await idsOf(engine)).sort()).toEqual(expected);
  await engine.close();

  const again = await open();
  expect((await idsOf(again)).sort()).toEqual(expected);
  await again.close();
});

it('refuses vectors whole that come later and do not fit', async () => {
  const engine = await open(6);
  await engine.store.put(tools('late', 3000, false));
  const pending = await engine.vectors.missing(3000);
  const vectors = pending.map(({ unit, text, textHash }) => ({ unit, textHash, vector: toyVector(text) }));
  await expect(engine.vectors.put(vectors)).rejects.toMatchObject({ code: 'STORE_FULL' });
  expect(await engine.index.stats()).toMatchObject({ vectors: 0, missingVectors: 3000 });
  await engine.close();
  const again = await open();
  expect(await again.index.stats()).toMatchObject({ vectors: 0, missingVectors: 3000 });
  await again.close();
});

it.each([['with its snapshot'], ['without its snapshot']])(
  'opens %s when its vectors no longer fit, and finds the rest by keyword',
  async (how) => {
    const engine = await open();
    await engine.store.put(tools('bird', 5000));
    await engine.close();
    if (how.startsWith('without')) rmSync(join(folder.path, SNAPSHOT_FILE), { force: true });

    const smaller = await open(8);
    const { entities, vectors, unloadedVectors, missingVectors } = await smaller.index.stats();
    expect(entities).toBe(5000);
    expect(unloadedVectors).toBeGreaterThan(0);
    expect(vectors + unloadedVectors).toBe(5000);
    // Nothing is embedded again: the record has these vectors.
    expect(missingVectors).toBe(0);
    expect(await smaller.vectors.missing(10)).toEqual([]);
    const registry = registryOver(smaller);
    expect((await registry.health()).index.unloaded_vectors).toBe(unloadedVectors);
    await registry.close();

    const larger = await open();
    expect(await larger.index.stats()).toMatchObject({ vectors: 5000, unloadedVectors: 0 });
    await larger.close();
  },
);
