import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { registryOver } from '../../../test/support/registry-over.ts';
import { WordEmbedder } from '../../../test/support/word-embedder.ts';
import { type Client, createClient } from '../../client/client.ts';
import { remoteRegistry } from '../../client/remote-registry.ts';
import { parseSettings } from '../../config.ts';
import { MemoryEngine } from '../../engines/memory/memory-engine.ts';
import { createApp } from '../app.ts';
import { serverLoad } from '../load/server-load.ts';

let embedder: WordEmbedder;
let engine: MemoryEngine;
let client: Client;
let close: () => Promise<void>;

function serve(model: WordEmbedder | null): void {
  engine = new MemoryEngine({ embedder: model });
  const registry = registryOver(engine, model);
  const logger = { info() {}, warn() {}, error() {} };
  const app = createApp({
    registry,
    version: '0',
    logger,
    load: serverLoad({ ...parseSettings({}), body_limit_bytes: 100_000 }),
    logQueryText: false,
    loopbackOnly: true,
  });
  const send = async (input: string | URL | Request, init?: RequestInit) => app.request(input, init);
  client = createClient({ baseUrl: 'http://localhost', fetch: send as typeof fetch, headers: { Host: 'localhost' } });
  close = () => registry.close();
}

beforeEach(() => {
  embedder = new WordEmbedder();
  serve(embedder);
});
afterEach(() => close());

const fill = () =>
  client.putEntities({
    body: { entities: ['a', 'b'].map((name) => ({ type: 'tool', path: `/${name}`, name }) as const) },
  });

describe('embeddings over HTTP', () => {
  it('LEX-4: lists what is missing, and computes it by path', async () => {
    embedder.fail();
    await fill();
    expect(await client.missingVectors({ query: { limit: 1 } })).toMatchObject({
      embedder: embedder.id,
      total: 2,
      total_entities: 2,
      entities: [{ entity_type: 'tool', path: '/a', units: ['card'] }],
      missing: [{ path: '/a' }, { path: '/b', name: 'b', entity_type: 'tool' }],
      total_missing: 2,
      total_indexed: 0,
      total_source: 2,
    });
    await expect(client.reindex({ body: { paths: ['/a'] } })).rejects.toMatchObject({ code: 'EMBEDDER_UNAVAILABLE' });
    embedder.recover();
    expect(await client.reindex({ body: { paths: ['/a', '/none'] } })).toMatchObject({
      entities: 1,
      vectors: 1,
      not_found: ['/none'],
      success: 1,
      failed: 1,
    });
    expect((await client.missingVectors()).total).toBe(1);
  });

  it('starts with everything at once and continues in the background', async () => {
    await fill();
    embedder.embedded.length = 0;
    embedder.delayMs = 20;
    expect(await client.reindex({ body: { all: true } })).toEqual({ started: true });
    expect((await client.health()).embedder.reindexing).toMatchObject({ done: 0 });
    await expect.poll(async () => (await client.health()).embedder.reindexing).toBeUndefined();
    expect(embedder.embedded).toHaveLength(2);
  });

  it('reports a failed run until the next one, and fails for a remote registry', async () => {
    await fill();
    embedder.delayMs = 20;
    const remote = remoteRegistry(client);
    embedder.refused = 'b';
    const failed = { code: 'EMBEDDER_REJECTED', message: 'The test refuses a text.' };
    await expect(remote.reindex({ all: true })).rejects.toMatchObject(failed);
    expect((await client.health()).embedder.reindexing).toEqual({ done: 0, total: 0, failed });
    embedder.refused = null;
    expect(await remote.reindex({ all: true })).toMatchObject({ entities: 2, vectors: 2 });
    expect((await client.health()).embedder.reindexing).toBeUndefined();
  });

  it('counts the entities with stale vectors, not their units and not those of one page', async () => {
    await fill();
    const tools = ['one', 'two'].map((name) => ({ name }));
    await client.putEntities({ body: { entities: [{ type: 'mcp_server', path: '/server', name: 'server', tools }] } });
    await engine.vectors.build({ id: 'test/other/64', dimensions: 64 });
    await engine.vectors.serveBuilding();
    const { total, entities, stale, total_stale, total_source } = await client.staleVectors({ query: { limit: 1 } });
    expect([total, entities.length]).toEqual([5, 1]);
    expect(stale!.map(({ path }) => path).sort()).toEqual(['/a', '/b', '/server']);
    expect([total_stale, total_source]).toEqual([3, 3]);
  });

  it('lists stale vectors and deletes them', async () => {
    await fill();
    await engine.vectors.build({ id: 'test/other/64', dimensions: 64 });
    await engine.vectors.serveBuilding();
    expect((await client.health()).index.stale_vectors).toBe(2);
    expect(await client.staleVectors()).toMatchObject({
      total: 2,
      entities: [{ path: '/a', embedder: embedder.id }, {}],
      stale: [{ path: '/a', name: 'a', entity_type: 'tool' }, { path: '/b' }],
      total_stale: 2,
    });
    const cleaned = await client.cleanUpStaleVectors({ body: { paths: ['/a'] } });
    expect(cleaned).toMatchObject({ removed: 1, not_found: [], failed: 0, total: 1 });
    expect(await client.staleVectors()).toMatchObject({ stale: [{ path: '/b' }], total_stale: 1 });
    const rest = { removed: 1, not_found: [], failed: 0, total: 1 };
    expect(await client.cleanUpStaleVectors({ body: { all: true } })).toMatchObject(rest);
  });

  it.each([
    [{}, 'must have either paths or all'],
    [{ paths: ['/a'], all: true }, 'must have either paths or all'],
    [{ paths: [] }, 'must have at least one path'],
    [{ paths: Array(101).fill('/a') }, 'must have at most 100 paths'],
    [{ paths: ['/a', 7] }, "'paths.1'"],
    [{ paths: '/a' }, 'must be a list of paths'],
    [{ all: false }, 'must be true or absent'],
    [{ path: '/a' }, 'path'],
  ])('refuses %j', async (body, message) => {
    const refused = { code: 'INVALID_REQUEST', message: expect.stringContaining(message) };
    await expect(client.reindex({ body: body as { all: true } })).rejects.toMatchObject(refused);
    await expect(client.cleanUpStaleVectors({ body: body as { all: true } })).rejects.toMatchObject(refused);
  });

  it('says at once that there is no model', async () => {
    await close();
    serve(null);
    await expect(client.reindex({ body: { all: true } })).rejects.toMatchObject({ code: 'EMBEDDER_UNAVAILABLE' });
    await expect(client.missingVectors({ query: { limit: 5000 } })).rejects.toMatchObject({
      code: 'INVALID_REQUEST',
      field: 'limit',
    });
  });
});
