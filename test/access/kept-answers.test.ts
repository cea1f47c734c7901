import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type LocalRegistry, openRegistry } from '../../src/index.ts';
import { accessServer, NOW } from '../support/access-server.ts';
import { temporaryFolder } from '../support/engine-fixtures.ts';
import { clock, of, SOURCE } from '../support/observed-clock.ts';
import { openedEmbedder } from '../support/opened-embedder.ts';
import { type ServedRegistry, serveRegistry } from '../support/served-registry.ts';
import { WordEmbedder } from '../support/word-embedder.ts';

const SEARCH = '/api/search/semantic';

/** Counts the searches that were answered, and those of them that were answered from a kept answer. */
function countSearches(registry: LocalRegistry) {
  const counts = { all: 0, kept: 0 };
  registry.watchSearches(({ steps }) => {
    counts.all++;
    if (steps.every(({ stage }) => stage === 'answer')) counts.kept++;
  });
  return counts;
}

describe('an answer that is sent again', () => {
  const embedder = new WordEmbedder();
  let folder: ReturnType<typeof temporaryFolder>;
  let server: ServedRegistry;

  beforeEach(async () => {
    embedder.recover();
    folder = temporaryFolder();
    const options = { embedder: openedEmbedder(embedder), background: false };
    server = await serveRegistry(options, { engine: 'embedded', data_dir: folder.path });
    await server.registry.observe(of(clock()));
    await server.registry.put({
      type: 'mcp_server',
      path: '/watch',
      name: 'watch',
      description: 'A watch with a clock.',
    });
    await server.registry.embedPending();
  });
  afterEach(async () => {
    await server.close();
    folder.remove();
  });
  const ask = async (body: object = { query: 'clock' }, query = '') => {
    const { status, json } = await server.send('POST', `${SEARCH}${query}`, body);
    expect(status).toBe(200);
    return json;
  };

  it('is the same, and counts as a search', async () => {
    const counts = countSearches(server.registry);
    const first = await ask();
    expect(first.results.length).toBeGreaterThan(0);
    expect([await ask(), await ask()]).toEqual([first, first]);
    expect(counts).toEqual({ all: 3, kept: 2 });
    expect(await ask({ query: 'clock', max_results: 1 })).not.toEqual(first);
    expect((await ask({ query: 'clock' }, '?limit=3')).warnings).toHaveLength(1);
    expect(counts).toEqual({ all: 5, kept: 2 });
  });

  const writes: readonly (readonly [what: string, write: (registry: LocalRegistry) => Promise<unknown>])[] = [
    ['a write', (registry) => registry.put({ type: 'mcp_server', path: '/new', name: 'new', description: 'A clock.' })],
    ['a deletion', (registry) => registry.delete('mcp_server', '/watch')],
    [
      'a check',
      (registry) => registry.observe({ source: SOURCE, missing: [{ type: 'mcp_server', path: '/clock', error: 'x' }] }),
    ],
    ['a drift', (registry) => registry.observe(of(clock({ tools: [{ name: 'now', description: 'Something else' }] })))],
    ['a rating', (registry) => registry.rate('mcp_server', '/clock', { rating: 4, user: 'ada' })],
    ['a disabling', (registry) => registry.patch('mcp_server', '/watch', { is_enabled: false })],
    ['new vectors', (registry) => registry.reindex({ paths: ['/watch'] } as never)],
  ];
  it.each(writes)('is not sent after %s', async (_, write) => {
    const counts = countSearches(server.registry);
    for (let time = 0; time < 2; time++) await ask();
    expect(counts).toEqual({ all: 2, kept: 1 });
    await write(server.registry);
    const answer = await ask();
    expect(counts.kept).toBe(1);
    expect(answer).toEqual(JSON.parse(JSON.stringify(await server.registry.search({ query: 'clock' }))));
  });

  it('is not sent once the operator denies a tool of it', async () => {
    const body = { query: 'time', entity_types: ['tool'] };
    for (let time = 0; time < 2; time++) expect((await ask(body)).results).toHaveLength(1);
    writeFileSync(join(folder.path, 'calls.json'), JSON.stringify({ '/clock': { deny: ['now'] } }));
    await expect.poll(async () => (await ask(body)).results, { timeout: 20_000 }).toHaveLength(0);
  });

  it('is not kept if the model failed, or if it depends on the time or on edges', async () => {
    const counts = countSearches(server.registry);
    embedder.fail();
    for (let time = 0; time < 2; time++) expect((await ask({ query: 'a new clock' })).search_mode).toBe('lexical-only');
    embedder.recover();
    expect((await ask({ query: 'a new clock' })).search_mode).toBe('hybrid');
    for (const more of [{ with_prerequisites: true }, { why_not: 'mcp_server:/watch' }, { preset: 'recommend' }]) {
      for (let time = 0; time < 2; time++) await ask({ query: 'clock', ...more });
    }
    expect(counts.kept).toBe(0);
  });
});

it('sends no caller the answer of another one', async () => {
  const server = await accessServer();
  try {
    const server1 = { type: 'mcp_server', path: '/open', name: 'open', description: 'A lamp.' } as const;
    await server.registry.putMany([
      server1,
      { ...server1, path: '/hidden', name: 'hidden', visibility: 'group-restricted', allowed_groups: ['night'] },
    ]);
    const counts = countSearches(server.registry);
    const keys = [server.key({ name: 'day' }), server.key({ name: 'night', groups: ['night'] })];
    const asked = async (key: string | undefined) => {
      const { json } = await server.ask('POST', SEARCH, { key, body: { query: 'lamp' } });
      return json.results.map(({ path }: { readonly path: string }) => path).sort();
    };
    for (let time = 0; time < 2; time++) {
      expect(await asked(keys[0])).toEqual(['/open']);
      expect(await asked(keys[1])).toEqual(['/hidden', '/open']);
    }
    expect(counts).toEqual({ all: 4, kept: 2 });
    server.keys.revoke('night', NOW);
    expect((await server.ask('POST', SEARCH, { key: keys[1], body: { query: 'lamp' } })).status).toBe(401);
  } finally {
    await server.close();
  }
});

it('keeps no answer of an engine that cannot tell what changed', async () => {
  const registry = await openRegistry({ engine: 'memory', embeddings_provider: 'off' });
  await registry.put({ type: 'mcp_server', path: '/a', name: 'a', description: 'A lamp.' });
  expect(registry.heldSearch(await registry.search({ query: 'lamp' }))).toBeNull();
  await registry.close();
});
