import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { memoryRegistry } from '../../../test/support/memory-registry.ts';
import { registryOver } from '../../../test/support/registry-over.ts';
import { WordEmbedder } from '../../../test/support/word-embedder.ts';
import { wordsRegistry } from '../../../test/support/words-registry.ts';
import type { EmbedOptions } from '../../embedders/embedder.ts';
import { MemoryEngine } from '../../engines/memory/memory-engine.ts';
import { UNRESTRICTED } from '../../model/caller/caller.ts';
import { entityId } from '../../model/entity.ts';
import type { CatalogMap } from '../contract/map-schemas.ts';
import type { LocalRegistry } from '../contract/registry.ts';
import { readableRows, readableStore } from '../readable.ts';
import { EntityView } from '../view/entity-view.ts';
import { CatalogMaps, type CatalogMapsOptions } from './catalog-maps.ts';
import { sampleOf } from './make-map.ts';

const TOPICS = ['read pages of pdf files', 'send mail to the team', 'forecast of the weather'];
const catalog = (count: number, more: object = {}) =>
  Array.from({ length: count }, (_, i) => ({
    type: 'skill',
    path: `/skills/${i}`,
    name: `skill ${i}`,
    description: `${TOPICS[i % TOPICS.length]} ${i}`,
    ...more,
  }));

/** What is under way without a model goes on. */
const turns = async () => {
  for (let i = 0; i < 100; i++) await setImmediate();
};

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
    expect(await registry!.map()).toEqual(map);
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

it('is not computed again for a rating, or an entity that the caller may not read', async () => {
  const embedder = new WordEmbedder();
  registry = await wordsRegistry(catalog(20), embedder, { engine: 'embedded', data_dir: folder });
  const ana = registry.as({ name: 'ana', readers: ['public', 'user:ana'], scopes: ['read'] });
  const map = await ana.map();
  const hidden = { ...catalog(1)[0], path: '/skills/hidden', visibility: 'private', owner: 'ben' };
  await registry.put(hidden);
  await registry.embedPending();
  await registry.rate('skill', '/skills/1', { rating: 4 });
  await registry.patch('skill', '/skills/hidden', { description: 'other' });
  await registry.embedPending();
  const before = embedder.embedded.length;
  expect(await ana.map()).toEqual(map);
  expect(embedder.embedded).toHaveLength(before);
  await registry.patch('skill', '/skills/1', { description: 'other' });
  await registry.embedPending();
  expect(await ana.map()).not.toEqual(map);
});

describe('computations', () => {
  /** Embeds when it is let. */
  class HeldEmbedder extends WordEmbedder {
    readonly calls: { readonly signal: AbortSignal | undefined; readonly end: () => void }[] = [];
    isHeld = false;
    override async embed(texts: readonly string[], options: EmbedOptions) {
      const { promise, end } = held();
      this.calls.push({ signal: options.signal, end });
      if (this.isHeld) await promise;
      return super.embed(texts, options);
    }
  }

  const held = () => {
    let end = () => {};
    const promise = new Promise<void>((resolve) => {
      end = resolve;
    });
    return { promise, end };
  };

  const opened = async (options: CatalogMapsOptions = {}) => {
    const engine = new MemoryEngine({ embedder: new WordEmbedder() });
    registry = registryOver(engine, new WordEmbedder());
    const own = catalog(1, { path: '/skills/own', visibility: 'private', owner: 'cleo' });
    await registry.putMany([...catalog(12), ...own]);
    await registry.embedPending();
    const maps = new CatalogMaps(engine, options);
    const embedder = new HeldEmbedder();
    const rows = new EntityView(engine.store);
    const mapOf = (name: string | null, signal?: AbortSignal) => {
      const caller = name === null ? UNRESTRICTED : { name, readers: ['public', `user:${name}`] };
      const view = readableRows(rows, caller);
      return maps.of(
        { store: readableStore(engine.store, caller), view, readers: caller.readers ?? undefined },
        embedder,
        signal,
      );
    };
    return { maps, embedder, mapOf, put: (more: object) => registry!.put({ ...catalog(1)[0], ...more }) };
  };
  const pathsOf = ({ points }: CatalogMap) => points.map(({ path }) => path);

  it('are one at a time, and requests for the same view or the same entities share one', async () => {
    const { embedder, mapOf } = await opened();
    embedder.isHeld = true;
    const maps = [mapOf('ana'), mapOf('ana'), mapOf('ben'), mapOf(null), mapOf('ana')];
    await expect.poll(() => embedder.calls.length).toBe(1);
    maps.push(mapOf('ana'));
    await turns();
    expect(embedder.calls).toHaveLength(1);
    embedder.calls[0]!.end();
    await expect.poll(() => embedder.calls.length).toBe(2);
    embedder.calls[1]!.end();
    expect((await Promise.all(maps)).map(({ points }) => points.length)).toEqual([12, 12, 12, 13, 12, 12]);
    expect(embedder.calls).toHaveLength(2);
    expect((await mapOf('ben')).points).toBe((await mapOf('ana')).points);
  });

  it('end when no request waits for them', async () => {
    const { embedder, mapOf } = await opened();
    embedder.isHeld = true;
    const [first, second, third] = [new AbortController(), new AbortController(), new AbortController()];
    const left = [mapOf('ana', first.signal), mapOf('ana', second.signal), mapOf(null, third.signal)];
    const ends = Promise.allSettled(left);
    await expect.poll(() => embedder.calls.length).toBe(1);
    third.abort();
    first.abort();
    await turns();
    expect(embedder.calls[0]!.signal!.aborted).toBe(false);
    second.abort();
    expect((await ends).map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
    expect(embedder.calls[0]!.signal!.aborted).toBe(true);
    embedder.isHeld = false;
    embedder.calls[0]!.end();
    expect((await mapOf('cleo')).points).toHaveLength(13);
    // The one that was stopped, and this one: the one in between never began.
    expect(embedder.calls).toHaveLength(2);
  });

  it('send the last map of a large view meanwhile, without what is gone', async () => {
    const { embedder, mapOf, put } = await opened({ pauseMs: 0, awaited: 5 });
    expect(await mapOf('ana')).toMatchObject({ is_current: true, total: 12 });
    await put({ path: '/skills/new' });
    await put({ path: '/skills/3', visibility: 'private', owner: 'ben' });
    embedder.isHeld = true;
    const before = await mapOf('ana');
    expect(before).toMatchObject({ is_current: false, total: 12, sampled: 12, without_vector: 1 });
    expect(pathsOf(before)).toHaveLength(11);
    expect(pathsOf(before)).not.toContain('/skills/3');
    await expect.poll(() => embedder.calls.length).toBe(2);
    expect(await mapOf('ana')).toEqual(before);
    embedder.calls[1]!.end();
    await expect.poll(async () => (await mapOf('ana')).is_current).toBe(true);
    expect(pathsOf(await mapOf('ana'))).toContain('/skills/new');
    expect(embedder.calls).toHaveLength(2);
  });

  it('of a large view pause', async () => {
    const { embedder, mapOf, put } = await opened({ pauseMs: 3_600_000, awaited: 5 });
    await mapOf('ana');
    await put({ path: '/skills/new' });
    expect(await mapOf('ana')).toMatchObject({ is_current: false });
    // One would come before this one.
    expect(await mapOf(null)).toMatchObject({ is_current: true, total: 14 });
    expect(embedder.calls).toHaveLength(2);
  });

  it('of a small view are waited for, also if one has begun before the last write', async () => {
    const { embedder, mapOf, put } = await opened();
    await mapOf('ana');
    await put({ path: '/skills/new' });
    embedder.isHeld = true;
    const early = mapOf('ana');
    await expect.poll(() => embedder.calls.length).toBe(2);
    await put({ path: '/skills/newer' });
    const late = mapOf('ana');
    await turns();
    embedder.isHeld = false;
    embedder.calls[1]!.end();
    expect(pathsOf(await early)).not.toContain('/skills/newer');
    expect(await late).toMatchObject({ is_current: true, total: 14 });
    expect(pathsOf(await late)).toContain('/skills/newer');
  });

  it('end with the registry, and their requests fail', async () => {
    const { maps, embedder, mapOf } = await opened();
    embedder.isHeld = true;
    const failed = mapOf('ana').catch((error: Error) => error.name);
    await expect.poll(() => embedder.calls.length).toBe(1);
    const closed = maps.close();
    embedder.calls[0]!.end();
    await closed;
    expect(await failed).toBe('AbortError');
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

it('samples the same entities of a large catalog, whatever else comes', async () => {
  const ids = Array.from({ length: 2000 }, (_, i) => entityId('skill', `/skills/${i}`));
  const sample = await sampleOf(ids, 200);
  expect(await sampleOf([...ids].reverse(), 200)).toEqual(sample);
  expect(await sampleOf(sample, 200)).toEqual(sample);
  expect(await sampleOf([])).toEqual([]);
  const later = new Set(await sampleOf([...ids, ...ids.map((id) => entityId('package', id))], 200));
  expect(sample.filter((id) => later.has(id)).length).toBeGreaterThan(70);
  expect(sample.filter((id) => Number(id.split('/').at(-1)) < 1000).length).toBeGreaterThan(70);
});

it('says that there is no model, and has no place for anything', async () => {
  registry = await memoryRegistry();
  await registry.putMany(catalog(3));
  expect(await registry.map()).toEqual({
    points: [],
    total: 3,
    sampled: 3,
    without_vector: 3,
    embedder: null,
    is_current: true,
  });
});
