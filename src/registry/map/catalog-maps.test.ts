import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { memoryRegistry } from '../../../test/support/memory-registry.ts';
import { WordEmbedder } from '../../../test/support/word-embedder.ts';
import { wordsRegistry } from '../../../test/support/words-registry.ts';
import { entityId } from '../../model/entity.ts';
import type { LocalRegistry } from '../contract/registry.ts';
import { sampleOf } from './catalog-maps.ts';

const TOPICS = ['read pages of pdf files', 'send mail to the team', 'forecast of the weather'];
const catalog = (count: number, more: object = {}) =>
  Array.from({ length: count }, (_, i) => ({
    type: 'skill',
    path: `/skills/${i}`,
    name: `skill ${i}`,
    description: `${TOPICS[i % TOPICS.length]} ${i}`,
    ...more,
  }));

let registry: LocalRegistry | undefined;
let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'dowser-map-'));
});
afterEach(async () => {
  await registry?.close();
  registry = undefined;
  await rm(folder, { recursive: true });
});

describe.each(['memory', 'embedded'] as const)('the map, with the engine %s', (engine) => {
  const filled = async (entities: readonly unknown[]) => {
    registry = await wordsRegistry(entities, new WordEmbedder(), { engine, data_dir: folder });
    return registry;
  };

  it('has a place for each entity in use, near to those that mean the same, and keeps it', async () => {
    const map = await (
      await filled([...catalog(45), { ...catalog(1)[0], path: '/skills/old', status: 'deprecated' }])
    ).map();
    expect(map).toMatchObject({ total: 45, sampled: 45, without_vector: 0 });
    expect(map.points).toHaveLength(45);
    const topicOf = (path: string) => Number(path.split('/').at(-1)) % TOPICS.length;
    const near = map.points.map((point) => {
      const [first] = map.points
        .filter((other) => other !== point)
        .sort((a, b) => Math.hypot(a.x - point.x, a.y - point.y) - Math.hypot(b.x - point.x, b.y - point.y));
      return topicOf(first!.path) === topicOf(point.path);
    });
    expect(near.filter(Boolean).length).toBeGreaterThanOrEqual(42);
    expect(await registry!.map()).toBe(map);
    await registry!.put({ type: 'skill', path: '/skills/45', name: 'more', description: TOPICS[0] });
    await registry!.embedPending();
    expect((await registry!.map()).points).toHaveLength(46);
  });

  it('is the same for a caller, whatever else there is that they may not read', async () => {
    const ana = { name: 'ana', readers: ['public', 'user:ana'], scopes: ['read'] } as const;
    const alone = await (await filled(catalog(20))).as(ana).map();
    await registry!.close();
    await rm(folder, { recursive: true });
    await mkdir(folder);
    const hidden = catalog(25, { visibility: 'private', owner: 'ben' }).map((one) => ({
      ...one,
      path: `${one.path}-hidden`,
    }));
    const among = await filled([...hidden, ...catalog(20)]);
    expect(await among.as(ana).map()).toEqual(alone);
    expect((await among.map()).points).toHaveLength(45);
  });
});

it('leaves out what has no vector yet, and is computed again when the vectors are there', async () => {
  const embedder = new WordEmbedder();
  registry = await wordsRegistry(catalog(6), embedder);
  await registry.putMany([{ type: 'skill', path: '/skills/new', name: 'new', description: TOPICS[0] }], {
    vectors: 'later',
  });
  expect(await registry.map()).toMatchObject({ total: 7, without_vector: 1 });
  await registry.embedPending();
  expect(await registry.map()).toMatchObject({ total: 7, without_vector: 0 });
});

it('samples the same entities of a large catalog, whatever else comes', () => {
  const ids = Array.from({ length: 2000 }, (_, i) => entityId('skill', `/skills/${i}`));
  const sample = sampleOf(ids, 200);
  expect(sampleOf([...ids].reverse(), 200)).toEqual(sample);
  const later = new Set(sampleOf([...ids, ...ids.map((id) => entityId('package', id))], 200));
  expect(sample.filter((id) => later.has(id)).length).toBeGreaterThan(70);
  expect(sample.filter((id) => Number(id.split('/').at(-1)) < 1000).length).toBeGreaterThan(70);
});

it('says that there is no model, and has no place for anything', async () => {
  registry = await memoryRegistry();
  await registry.putMany(catalog(3));
  expect(await registry.map()).toEqual({ points: [], total: 3, sampled: 3, without_vector: 3, embedder: null });
});
