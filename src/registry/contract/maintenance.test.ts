import { setImmediate } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { temporaryFolder } from '../../../test/support/engine-fixtures.ts';
import { registryOver } from '../../../test/support/registry-over.ts';
import { retrieveVector } from '../../../test/support/retrieve.ts';
import { WordEmbedder } from '../../../test/support/word-embedder.ts';
import { BreakerEmbedder } from '../../embedders/wrappers/breaker.ts';
import { openEmbedded } from '../../engines/embedded/open-embedded.ts';
import { RecordStore } from '../../engines/embedded/record/record-store.ts';
import type { Engine } from '../../engines/engine.ts';
import { MemoryEngine } from '../../engines/memory/memory-engine.ts';
import { parseEntity } from '../../model/entity.ts';
import { toIndexed } from '../write/publish.ts';
import type { LocalRegistry } from './registry.ts';

let folder: ReturnType<typeof temporaryFolder>;
let registry: LocalRegistry;
let engine: Engine;
let embedder: WordEmbedder;
let told: unknown[];

function use(opened: Engine, model: WordEmbedder | null): void {
  engine = opened;
  registry = registryOver(engine, model, { onEmbedError: (error) => told.push(error) });
}

beforeEach(async () => {
  told = [];
  folder = temporaryFolder();
  embedder = new WordEmbedder();
  use(await openEmbedded({ dir: folder.path, embedder }), embedder);
});
afterEach(async () => {
  await registry.close();
  folder.remove();
});

const CLOCK = {
  type: 'mcp_server',
  path: '/clock',
  name: 'Clock',
  description: 'Tells the time.',
  tools: [{ name: 'now', description: 'The time.' }],
};
const RAIN = { type: 'skill', path: '/skills/rain', name: 'rain', description: 'Tells when it rains.' };

describe('looking after vectors', () => {
  it('lets others have turns while it makes the units of many entities', async () => {
    const count = 40;
    await registry.putMany(Array.from({ length: count }, (_, n) => ({ ...RAIN, path: `/skills/${n}` })));
    let turns = 0;
    let turnsUntilEmbedded = 0;
    let isDone = false;
    const embed = vi.spyOn(embedder, 'embed').mockImplementationOnce((...args) => {
      turnsUntilEmbedded = turns;
      return embedder.embed(...args);
    });
    const done = registry.reindex({ all: true }).finally(() => {
      isDone = true;
    });
    while (!isDone) {
      await setImmediate();
      turns++;
    }
    expect(await done).toMatchObject({ entities: count });
    expect(turnsUntilEmbedded).toBeGreaterThanOrEqual(count / 4);
    embed.mockRestore();
  });

  it('counts what has no vector without reading its texts', async () => {
    embedder.fail();
    const tools = Array.from({ length: 1000 }, (_, n) => ({ name: `tool_${n}`, description: `Does ${n}.` }));
    const textsRead = vi.spyOn(RecordStore.prototype, 'embedTextOf');
    const { pending_vectors } = await registry.putMany([{ ...CLOCK, tools }], { vectors: 'later' });
    expect(pending_vectors).toBe(1001);
    expect((await registry.missingVectors()).total).toBe(1001);
    // The queue has read some, to embed them.
    expect(textsRead.mock.calls.length).toBeLessThan(500);
    textsRead.mockRestore();
    embedder.recover();
  });

  it('LEX-4: lists what has no vector, by entity, and counts all of it', async () => {
    embedder.fail();
    await registry.putMany([CLOCK, RAIN], { vectors: 'later' });
    expect(await registry.missingVectors()).toEqual({
      embedder: embedder.id,
      total: 3,
      total_entities: 2,
      entities: [
        { entity_type: 'mcp_server', path: '/clock', units: ['card', 'tool:now'] },
        { entity_type: 'skill', path: '/skills/rain', units: ['card'] },
      ],
    });
    const few = await registry.missingVectors({ limit: 1 });
    expect([few.total, few.entities.length]).toEqual([3, 1]);
    embedder.recover();
    await registry.embedPending();
    expect(await registry.missingVectors()).toEqual({
      embedder: embedder.id,
      total: 0,
      total_entities: 0,
      entities: [],
    });
  });

  it.each([0, 1001, 1.5, Number.NaN])('refuses to list %d', async (limit) => {
    const refused = { code: 'INVALID_REQUEST', field: 'limit' };
    await expect(registry.missingVectors({ limit })).rejects.toMatchObject(refused);
    await expect(registry.staleVectors({ limit })).rejects.toMatchObject(refused);
  });

  it('lists vectors of other models, and deletes those of some paths or all', async () => {
    await registry.putMany([CLOCK, RAIN]);
    await engine.vectors.build({ id: 'test/other/64', dimensions: 64 });
    await engine.vectors.serveBuilding();
    expect(await registry.staleVectors()).toEqual({
      total: 3,
      total_entities: 2,
      entities: [
        { entity_type: 'mcp_server', path: '/clock', units: ['card', 'tool:now'], embedder: embedder.id },
        { entity_type: 'skill', path: '/skills/rain', units: ['card'], embedder: embedder.id },
      ],
    });
    expect(await registry.cleanUpStaleVectors({ paths: ['clock', '/gone'] })).toEqual({
      removed: 2,
      not_found: ['/gone'],
    });
    expect(await registry.cleanUpStaleVectors({ all: true })).toEqual({ removed: 1, not_found: [] });
    expect((await registry.health()).index.stale_vectors).toBe(0);
  });

  it('re-embeds by path, by id and without the slash', async () => {
    await registry.putMany([CLOCK, RAIN, { ...CLOCK, type: 'tool', tools: undefined }]);
    embedder.embedded.length = 0;
    expect(await registry.reindex({ paths: ['clock'] })).toEqual({ entities: 2, vectors: 3, not_found: [] });
    expect(await registry.reindex({ paths: ['mcp_server:/clock', 'skill:/skills/rain', 'skill:/clock'] })).toEqual({
      entities: 2,
      vectors: 3,
      not_found: ['skill:/clock'],
    });
    expect(embedder.embedded).toHaveLength(6);
  });

  it('replaces a vector and nothing else of the entity', async () => {
    await registry.put(RAIN);
    const before = await registry.get('skill', RAIN.path);
    const [unit] = toIndexed(before.entity).units;
    const wrong = new Float32Array(64).fill(1);
    await engine.vectors.put([{ unit: unit!.id, textHash: unit!.textHash, vector: wrong }]);
    await registry.reindex({ all: true });
    const vector = (await embedder.embed([unit!.embedText], { as: 'document' }))[0]!;
    expect((await retrieveVector(engine.index, { vector, limit: 1 }))[0]!.score).toBeCloseTo(1, 5);
    expect(await registry.get('skill', RAIN.path)).toEqual(before);
  });

  it('asks a model that was down at once, without waiting for the end of the pause', async () => {
    const breaker = new BreakerEmbedder(embedder, { now: () => 0 });
    const own = registryOver(new MemoryEngine({ embedder }), breaker);
    await own.put(RAIN);
    embedder.fail();
    for (let i = 0; i < 2; i++) await breaker.embed(['x'], { as: 'document' }).catch(() => undefined);
    expect(breaker.state().state).toBe('down');
    embedder.recover();
    expect(await own.reindex({ all: true })).toMatchObject({ entities: 1, not_found: [] });
    expect(breaker.state().state).toBe('ready');
    await own.close();
  });

  it('indexes an entity again whose units were derived in another way', async () => {
    const { entity } = parseEntity(CLOCK);
    const { units } = toIndexed(entity);
    const older = units.map((unit) => ({
      ...unit,
      embedText: `old ${unit.embedText}`,
      textHash: `old ${unit.textHash}`,
    }));
    await engine.store.put([{ entity, units: older }]);
    expect(await registry.reindex({ paths: ['/clock'] })).toEqual({ entities: 1, vectors: 2, not_found: [] });
    expect(await registry.missingVectors()).toMatchObject({ total: 0 });
  });

  it('re-embeds everything once for several calls at a time, and reports the progress', async () => {
    await registry.putMany(Array.from({ length: 120 }, (_, n) => ({ ...RAIN, path: `/r${n}`, name: `rain ${n}` })));
    embedder.embedded.length = 0;
    embedder.delayMs = 5;
    const seen: number[] = [];
    const first = registry.reindex({ all: true }, { onProgress: ({ done }) => seen.push(done) });
    const second = registry.reindex({ all: true });
    const progress = async () => (await registry.health()).embedder.reindexing?.total;
    await expect.poll(progress, { interval: 1 }).toBe(120);
    expect(await Promise.all([first, second])).toEqual(Array(2).fill({ entities: 120, vectors: 120, not_found: [] }));
    expect(embedder.embedded).toHaveLength(120);
    expect(seen).toEqual([50, 100, 120]);
    expect((await registry.health()).embedder.reindexing).toBeUndefined();
  });

  it('keeps what is there when the model fails in the middle, and tells of it', async () => {
    await registry.putMany([CLOCK, RAIN]);
    embedder.fail();
    await expect(registry.reindex({ paths: ['/clock'] })).rejects.toMatchObject({ code: 'EMBEDDER_UNAVAILABLE' });
    await expect(registry.reindex({ all: true })).rejects.toMatchObject({ code: 'EMBEDDER_UNAVAILABLE' });
    expect(told).toHaveLength(1);
    expect(await registry.health()).toMatchObject({ index: { vectors: 3, missing_vectors: 0 } });
  });

  it('ends a running run when it is closed', async () => {
    await registry.putMany(Array.from({ length: 200 }, (_, n) => ({ ...RAIN, path: `/r${n}`, name: `rain ${n}` })));
    embedder.delayMs = 30;
    const run = registry.reindex({ all: true });
    run.catch(() => undefined);
    await registry.close();
    await expect(run).rejects.toMatchObject({ name: 'AbortError' });
  });

  it.each([
    [[], 'at least one path'],
    [Array(101).fill('/a'), 'at most 100 paths'],
  ])('refuses too few and too many paths', async (paths, must) => {
    const refused = { code: 'INVALID_REQUEST', field: 'paths', message: expect.stringContaining(`must have ${must}`) };
    await expect(registry.reindex({ paths })).rejects.toMatchObject(refused);
    await expect(registry.cleanUpStaleVectors({ paths })).rejects.toMatchObject(refused);
  });

  it('has nothing to list and nothing to compute with without a model', async () => {
    await registry.close();
    use(new MemoryEngine({ embedder: null }), null);
    await registry.put(CLOCK);
    expect(await registry.missingVectors()).toEqual({ embedder: null, total: 0, total_entities: 0, entities: [] });
    expect(await registry.staleVectors()).toEqual({ total: 0, total_entities: 0, entities: [] });
    await expect(registry.reindex({ all: true })).rejects.toMatchObject({ code: 'EMBEDDER_UNAVAILABLE' });
  });
});
