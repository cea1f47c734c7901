import { afterEach, beforeEach, expect, it } from 'vitest';
import {
  type FakeRerankServer,
  preferring,
  Refusal,
  startFakeRerankServer,
} from '../../../test/support/fake-rerank-server.ts';
import { wordsRegistry } from '../../../test/support/words-registry.ts';
import type { LocalRegistry } from '../contract/registry.ts';

let server: FakeRerankServer;
let registry: LocalRegistry | undefined;
beforeEach(async () => {
  server = await startFakeRerankServer();
});
afterEach(async () => {
  await registry?.close();
  await server.close();
});

const ENTITIES = [
  {
    type: 'mcp_server',
    path: '/desk',
    name: 'Desk',
    description: 'Watches hosts',
    tools: [
      { name: 'host_alarms', description: 'Lists quiet host alarms' },
      { name: 'host_pause', description: 'Keeps a quiet host' },
    ],
  },
  { type: 'tool', path: '/silence', name: 'silence', description: 'Makes a host quiet' },
  { type: 'skill', path: '/walls', name: 'Walls', description: 'Paints walls' },
];

async function search(settings: Record<string, unknown> = {}, request: object = {}) {
  await registry?.close();
  registry = await wordsRegistry(ENTITIES, undefined, {
    rerank: 'always',
    rerank_api_base: server.base,
    rerank_timeout_ms: 20_000,
    ...settings,
  });
  const { results, warnings } = await registry.search({ query: 'quiet host', ...request });
  return { shown: results.map(({ path, matched_unit }) => [path, matched_unit?.title]), warnings };
}

it('reads the query with each of the first tools and its server, and orders them again', async () => {
  const before = await search({ rerank: 'off' });
  expect(server.requests).toEqual([]);
  for (const word of ['host_alarms', 'host_pause', 'silence']) {
    server.answer = preferring(word);
    expect((await search()).shown[0]![1], word).toBe(word);
  }
  const { query, documents } = server.requests[0]!.body;
  expect(query).toBe('quiet host');
  expect(documents).toContain('Desk: host_pause\nKeeps a quiet host\nDesk: Watches hosts');
  expect(documents.some((text) => text.includes('Walls'))).toBe(false);
  server.answer = preferring('host_pause');
  expect((await search({}, { entity_types: ['tool'] })).shown[0]![1]).toBe('host_pause');
  expect((await search({ rerank: 'off' })).shown).toEqual(before.shown);
});

it.each([
  ['refuses', new Refusal(401, '{"message":"bad key secret"}'), 'it answers 401'],
  ['gives something else', { ok: true }, 'it gives an answer that cannot be used'],
  ['does not answer', null, 'it did not answer within 20 ms'],
])('keeps the order and says why if the endpoint %s, without its address and its words', async (_, answer, reason) => {
  const before = await search({ rerank: 'off' });
  server.answer = () => answer;
  const rerank_timeout_ms = answer === null ? 20 : 20_000;
  const { shown, warnings } = await search({ rerank_timeout_ms, rerank_api_key: 'secret' });
  expect(shown).toEqual(before.shown);
  expect(warnings).toEqual([...before.warnings, `The first results are ordered without the reranker: ${reason}.`]);
});

it('says the same while it waits to ask again, and says once that it failed', async () => {
  server.answer = () => new Refusal(503, 'down');
  const changes: (string | undefined)[] = [];
  registry = await wordsRegistry(
    ENTITIES,
    undefined,
    { rerank: 'always', rerank_api_base: server.base, rerank_timeout_ms: 20_000 },
    { onRerankChange: (error) => changes.push(error?.details?.reason) },
  );
  const warnings = new Set<string>();
  for (let n = 0; n < 20; n++) {
    const answer = await registry.search({ query: 'quiet host' });
    warnings.add(answer.warnings.at(-1)!);
  }
  expect([...warnings]).toEqual(['The first results are ordered without the reranker: it answers 503.']);
  expect(changes).toEqual(['it answers 503']);
});

it('reads nothing where the first tool is clear, for a page of other types, and without a query', async () => {
  await search({}, { entity_types: ['skill'] });
  await search({}, { query: '', tags: ['none'] });
  await search({ rerank: 'auto' }, { query: 'silence' });
  expect(server.requests).toEqual([]);
});
