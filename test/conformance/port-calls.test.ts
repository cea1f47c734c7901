import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openEmbedded } from '../../src/engines/embedded/open-embedded.ts';
import { MemoryEngine } from '../../src/engines/memory/memory-engine.ts';
import { readMoved } from '../../src/http/discovery/tool-discovery.ts';
import type { SearchRequestInput } from '../../src/model/query/query.ts';
import type { LocalRegistry } from '../../src/registry/contract/registry.ts';
import { PRESETS } from '../../src/search/plan/presets.ts';
import { countedEngine } from '../support/counted-engine.ts';
import { temporaryFolder } from '../support/engine-fixtures.ts';
import { registryOver } from '../support/registry-over.ts';
import { appWith } from '../support/test-app.ts';
import { WordEmbedder } from '../support/word-embedder.ts';

const ENTITIES = [
  {
    type: 'mcp_server',
    path: '/post',
    name: 'Post',
    description: 'Reads mail.',
    tags: ['office'],
    tools: [
      { name: 'read_mail', description: 'Reads mail.' },
      { name: 'valve', description: 'Fits D40.' },
    ],
  },
  ...Array.from({ length: 20 }, (_, n) => ({ type: 'skill', path: `/s${n}`, name: `Letter ${n}`, body: '# A\nmail' })),
];

describe.each(['memory', 'embedded'])('a write over HTTP to the %s engine', (name) => {
  it('reads what it replaces once, and what it stored once', async () => {
    const folder = temporaryFolder();
    const opened =
      name === 'memory'
        ? new MemoryEngine({ embedder: null })
        : await openEmbedded({ dir: folder.path, embedder: null });
    const { engine, calls } = countedEngine(opened);
    const registry = registryOver(engine);
    const read: string[] = [];
    registry.watchWrites(readMoved({ registered: (path) => void read.push(path) }));
    const { send } = await appWith(registry, { remoteWrites: true });
    const server = { name: 'Post', description: 'Reads mail.', url: 'https://post.test/mcp', deployment: 'remote' };
    const callsOf = async (method: string, path: string, body?: unknown) => {
      calls.clear();
      const { status } = await send(method, path, body);
      calls.delete('store.changes');
      calls.delete('index.names');
      const stored = [...calls].filter(([call]) => call.startsWith('store.'));
      return { status, calls: Object.fromEntries(stored) };
    };
    const replaced = {
      'store.inTurn': 1,
      'store.getMany': 2,
      'store.annotationsOf': 2,
      'store.put': 1,
    };
    // The warnings about texts that read like instructions are followed from the first answer on.
    await send('PUT', '/api/entities/mcp_server/first', server);
    expect(await callsOf('PUT', '/api/entities/mcp_server/post', server)).toEqual({
      status: 201,
      // The spellings of a path that is not there as it is sent are asked for together.
      calls: { ...replaced, 'store.getMany': 3, 'store.annotationsOf': 1 },
    });
    expect(await callsOf('PUT', '/api/entities/mcp_server//post', server)).toEqual({ status: 200, calls: replaced });
    const body = { description: 'Sends mail.' };
    expect(await callsOf('PATCH', '/api/entities/mcp_server//post', body)).toEqual({ status: 200, calls: replaced });
    // A server is read where it is new or has moved, without another look at the store.
    expect(read).toEqual(['/first', '/post']);
    const moved = { url: 'https://post.test/other' };
    expect((await callsOf('PATCH', '/api/entities/mcp_server//post', moved)).calls).toEqual(replaced);
    expect(read).toEqual(['/first', '/post', '/post']);
    await registry.close();
    folder.remove();
  });
});

describe.each(['memory', 'embedded'])('a search over the %s engine', (name) => {
  let registry: LocalRegistry;
  let calls: Map<string, number>;
  let folder: ReturnType<typeof temporaryFolder>;
  const embedder = new WordEmbedder([['mail', 'letter']]);

  beforeEach(async () => {
    folder = temporaryFolder();
    const opened =
      name === 'memory' ? new MemoryEngine({ embedder }) : await openEmbedded({ dir: folder.path, embedder });
    const counted = countedEngine(opened);
    calls = counted.calls;
    registry = registryOver(counted.engine, embedder);
    await registry.putMany(ENTITIES);
    await registry.embedPending();
    // Which servers do not answer, and the graph, are read once after a write.
    await registry.search({ query: 'mail', preset: 'recommend' });
  });
  afterEach(async () => {
    await registry.close();
    folder.remove();
  });

  /** The calls of one search. Asking whether anything was written since, or how a name is spelled, reads nothing. */
  async function callsOf(request: SearchRequestInput) {
    calls.clear();
    const answer = await registry.search(request);
    expect(answer.warnings.filter((warning) => !warning.includes('was taken for text'))).toEqual([]);
    calls.delete('store.changes');
    calls.delete('index.names');
    return { answer, calls: Object.fromEntries(calls) };
  }
  const ONCE = { 'index.retrieve': 1, 'store.getMany': 1 };
  const TWICE = { 'index.retrieve': 2, 'store.getMany': 1 };

  it.each(Object.keys(PRESETS))('asks index and store once: %s', async (preset) => {
    const { answer, calls } = await callsOf({ query: 'mail', preset, floor: 0 });
    expect(answer.results.length).toBeGreaterThan(0);
    expect(calls).toEqual(ONCE);
  });

  it.each<[string, SearchRequestInput]>([
    ['with reasons and facets', { query: 'mail', explain: true, facets: ['tags', 'entity_type', 'status'] }],
    ['on a later page', { query: 'mail', offset: 10, max_results: 10 }],
    ['of tools', { query: 'mail', entity_types: ['tool'] }],
    ['by tag alone', { query: '', tags: ['office'] }],
    ['with a hashtag that something has', { query: 'mail #office' }],
    ['of a code that the index knows', { query: 'D40' }],
    ['of a name', { query: 'read_mail' }],
    ['of a quoted phrase and more', { query: '"reads mail" letter' }],
    ['without a match', { query: 'zzzz qqqq', min_confidence: 1 }],
  ])('asks them once for a query %s', async (_, request) => {
    expect((await callsOf(request)).calls).toEqual(ONCE);
  });

  it('asks the index again with an unknown hashtag as text', async () => {
    const { answer, calls } = await callsOf({ query: 'mail #nobody' });
    expect(answer.warnings.join()).toContain("'#nobody' was taken for text");
    expect(calls).toEqual(TWICE);
  });

  it('does not embed a query of codes before it knows which of its words are tags', async () => {
    const { calls: made } = await callsOf({ query: 'D40 #nobody' });
    expect(made).toEqual(TWICE);
  });

  it('asks the index again with a vector where it does not know a code', async () => {
    const { calls } = await callsOf({ query: 'D41' });
    expect(calls).toEqual(TWICE);
    expect(embedder.embedded.at(-1)).toBe('D41');
  });

  it('reads the notes of written entities after a write, and only then', async () => {
    await registry.put({ type: 'skill', path: '/new', name: 'New' });
    expect((await callsOf({ query: 'mail' })).calls).toEqual({ ...ONCE, 'store.annotationsOf': 3 });
    expect((await callsOf({ query: 'mail' })).calls).toEqual(ONCE);
  });
});
