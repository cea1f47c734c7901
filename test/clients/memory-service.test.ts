import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { MemoryEngine } from '../../src/engines/memory/memory-engine.ts';
import { OLD_NAMES } from '../../src/mcp/memory-service/old-names.ts';
import { SERVICE_TOOLS } from '../../src/mcp/memory-service/service-tools.ts';
import { openedEmbedder } from '../support/opened-embedder.ts';
import { registryOver } from '../support/registry-over.ts';
import { type ServedRegistry, serveRegistry } from '../support/served-registry.ts';
import { appWith } from '../support/test-app.ts';
import { WordEmbedder } from '../support/word-embedder.ts';
import { DAY_MS, type TestMemories, wordMemories } from '../support/word-memories.ts';

describe('the tools of the memory service', () => {
  let memories: TestMemories;
  beforeEach(async () => {
    memories = await wordMemories();
  });
  afterEach(() => memories.registry.close());

  const call = (name: string, args: Record<string, unknown>) =>
    (OLD_NAMES[name] ?? SERVICE_TOOLS.find((tool) => tool.name === name)!).run(memories, args);
  const contentsIn = (text: string) => [...text.matchAll(/^\d+\. (.*)$/gm)].map(([, content]) => content);

  it('say the items of every array, which some clients demand, and the words of an enum', () => {
    const schemas = SERVICE_TOOLS.flatMap((tool) => Object.entries(tool.arguments));
    for (const [name, schema] of schemas) {
      expect(schema.type, name).toEqual(expect.any(String));
      if (schema.type === 'array') expect(schema.items, name).toHaveProperty('type');
    }
    const search = SERVICE_TOOLS.find(({ name }) => name === 'memory_search');
    expect(search?.arguments.mode).toMatchObject({ enum: ['semantic', 'exact', 'hybrid'] });
    for (const { required = [], arguments: properties } of SERVICE_TOOLS)
      expect(Object.keys(properties)).toEqual(expect.arrayContaining([...required]));
  });

  it('search with a fallback within the filters of the request', async () => {
    await memories.store({ content: 'zebra crossing', tags: ['zebra', 'street'] });
    await memories.store({ content: 'a quiet hill', tags: ['work'] });
    await memories.store({ content: 'stripes', tags: ['zebra', 'work'] });
    const text = await call('memory_search', { query: 'zebra', tags: ['work'], fallback: true, limit: 10 });
    expect(contentsIn(text)).toContain('stripes');
    expect(contentsIn(text)).not.toContain('zebra crossing');
  });

  it('search with a fallback within the limit of the request, and with any number of words', async () => {
    for (let n = 0; n < 5; n++) await memories.store({ content: `heron ${n}`, tags: ['ferry'] });
    await memories.store({ content: 'ferry' });
    const text = await call('memory_search', { query: 'ferry', fallback: true, limit: 2 });
    expect(text).toContain('with fallback');
    expect(contentsIn(text)).toHaveLength(2);
    const words = [...Array.from({ length: 120 }, (_, n) => `word${n}`), 'w'.repeat(150)].join(' ');
    expect(await call('memory_search', { query: words, fallback: true })).toMatch(/^(?:Found|No memories)/);
  });

  it.each([false, true])('give a text that fits max_response_chars, with fallback %s', async (fallback) => {
    for (let n = 0; n < 8; n++) await memories.store({ content: `harbor ${n} ${'lamp '.repeat(n)}`, tags: ['harbor'] });
    const asked = { query: 'harbor', mode: 'hybrid', fallback };
    const whole = await call('memory_search', asked);
    const max_response_chars = Math.floor(whole.length * 0.6);
    const text = await call('memory_search', { ...asked, max_response_chars });
    expect(text.length).toBeLessThanOrEqual(max_response_chars);
    expect(text).toMatch(/\(\d more left out to fit max_response_chars\)$/);
    expect(contentsIn(whole).slice(0, contentsIn(text).length)).toEqual(contentsIn(text));
    expect(contentsIn(text).length).toBeGreaterThan(1);
    expect(contentsIn(await call('memory_search', { ...asked, max_response_chars: 1 }))).toHaveLength(1);
    await expect(call('memory_search', { ...asked, max_response_chars: 0 })).rejects.toMatchObject({
      field: 'max_response_chars',
    });
  });

  it('show the turn that was found with its neighbors, and take turns with other fields', async () => {
    const turns = ['Where is the van?', 'On level three.', 'And the ticket machine?', 'It takes coins.'];
    await call('memory_store_session', {
      turns: turns.map((content, at) => ({ role: at % 2 === 0 ? 'user' : 'assistant', content, name: 'x', id: at })),
    });
    expect(await call('memory_search', { query: 'ticket machine' })).toMatch(
      /1\. \[user\] And the ticket machine\? \(turn 3\)\n {3}Before: \[assistant\] On level three\.\n {3}After: \[assistant\] It takes coins\./,
    );
  });

  it.each([
    ['memory_update', { content_hash: '$hash' }, 'updates'],
    ['memory_update', { content_hash: '$hash', updates: 'x' }, 'updates'],
    ['search_by_tag', {}, 'tags'],
    ['search_by_tag', { tags: '' }, 'tags'],
  ])('%s %o is refused', async (name, args, field) => {
    const { content_hash } = await memories.store({ content: 'a' });
    const filled = JSON.parse(JSON.stringify(args).replace('$hash', content_hash));
    await expect(call(name, filled)).rejects.toMatchObject({ code: 'INVALID_REQUEST', field });
  });

  it('count every repeat of a mistake, also of the same moment', async () => {
    const note = {
      error_pattern: 'E1',
      context_signature: 'build',
      incorrect_action: 'retry',
      correct_action: 'clean',
    };
    await expect(call('mistake_note_add', { ...note, error_pattern: '' })).rejects.toMatchObject({
      field: 'error_pattern',
    });
    const said = await Promise.all(Array.from({ length: 5 }, () => call('mistake_note_add', note)));
    expect(said.map((text) => /failure_count: (\d)/.exec(text)?.[1])).toEqual(['1', '2', '3', '4', '5']);
  });

  it('delete before a date, and not the day itself; a range has its last day', async () => {
    const learned = async () => {
      for (const day of ['2026-03-01', '2026-03-02', '2026-03-03'])
        await memories.store({ content: `on ${day}`, created_at: `${day}T12:00:00Z` });
    };
    const left = async () => (await memories.list()).memories.map(({ content }) => content.slice(-2)).toSorted();
    await learned();
    await call('delete_before_date', { before_date: '2026-03-02' });
    expect(await left()).toEqual(['02', '03']);
    await call('memory_delete', { before: '2026-03-03' });
    expect(await left()).toEqual(['03']);
    memories.pass(DAY_MS);
    await learned();
    await call('delete_by_timeframe', { start_date: '2026-03-01', end_date: '2026-03-02' });
    expect(await left()).toEqual(['03']);
  });
});

describe('the routes of the memory service', () => {
  let server: ServedRegistry;
  beforeEach(async () => {
    server = await serveRegistry({
      embedder: openedEmbedder(new WordEmbedder([['harbor', 'port']])),
      background: false,
    });
  });
  afterEach(() => server.close());

  it.each([
    [{ metadata: { tags: 'red, blue' } }, { 'X-Agent-ID': 'bot' }, ['red', 'blue', 'agent:bot']],
    [{ tags: 'red,blue' }, { 'X-Agent-ID': 'bot' }, ['red', 'blue', 'agent:bot']],
    [{ tags: ['red'], metadata: { tags: 'blue,red' } }, {}, ['red', 'blue']],
  ])('take the tags of %j, with %j', async (tags, headers, expected) => {
    const { json } = await server.ask('POST', '/api/memories', {
      headers: { 'Content-Type': 'application/json', ...(headers as Record<string, string>) },
      body: JSON.stringify({ content: 'a', ...tags }),
    });
    expect(json.memory.tags).toEqual(expected);
  });

  it('find up to 100 similar memories, and refuse more or none', async () => {
    const { json } = await server.send('POST', '/api/memories', { content: 'harbor lamp' });
    await server.send('POST', '/api/memories', { content: 'harbor lamp again' });
    const similar = (count: string) => server.ask('GET', `/api/search/similar/${json.content_hash}?n_results=${count}`);
    expect((await similar('100')).json.total_found).toBe(1);
    for (const count of ['0', '101', 'x']) expect((await similar(count)).status, count).toBe(422);
  });

  it('apply a threshold before the limit', async () => {
    for (const content of ['the harbor has a gate and a lamp', 'port'])
      await server.send('POST', '/api/memories', { content });
    const search = (more: object) => server.send('POST', '/api/search', { query: 'harbor', n_results: 1, ...more });
    const found = async (more: object) =>
      (await search(more)).json.results.map(({ memory }: { memory: { content: string } }) => memory.content);
    expect(await found({})).toEqual(['the harbor has a gate and a lamp']);
    expect(await found({ similarity_threshold: 0.999 })).toEqual(['port']);
    expect((await search({ n_results: 101, similarity_threshold: 0.5 })).error?.field).toBe('limit');
  });

  it('need tags where tags are what is asked for', async () => {
    const { status, error } = await server.send('POST', '/api/search/by-tag', {});
    expect([status, error?.field]).toEqual([422, 'tags']);
  });
});

it('POST /api/graph/associations keeps every relation of those that are added at once', async () => {
  const engine = new MemoryEngine({ embedder: null });
  const { send } = await appWith({}, { registry: registryOver(engine) });
  const stored = async (content: string) =>
    (await send('POST', '/api/memories', { content })).json.content_hash as string;
  const hub = await stored('the harbor lamp');
  const others = await Promise.all(Array.from({ length: 8 }, (_, at) => stored(`keeper number ${at} of the coast`)));
  const relate = (target_hash: string, headers: Record<string, string> = {}) => {
    const body = { source_hash: hub, target_hash, relationship_type: 'requires' };
    return send('POST', '/api/graph/associations', body, headers);
  };
  const first = (await send('GET', `/api/memories/${hub}`)).response.headers.get('etag')!;
  let release = () => {};
  const held = engine.store.inTurn(
    () =>
      new Promise<void>((resolve) => {
        release = resolve;
      }),
  );
  const answers = others.map((hash) => relate(hash));
  // Each has read what is there, and waits for its turn to write.
  await new Promise((resolve) => setTimeout(resolve, 20));
  release();
  await held;
  expect((await Promise.all(answers)).map(({ status }) => status)).toEqual(others.map(() => 200));
  const related = async () =>
    (await send('GET', `/api/graph/associations/${hub}`)).json.associations.map(({ hash }: { hash: string }) => hash);
  expect((await related()).toSorted()).toEqual(others.toSorted());
  await relate(others[0]!);
  expect(await related()).toHaveLength(others.length);
  expect((await relate(hub, { 'If-Match': first })).error?.code).toBe('PRECONDITION_FAILED');
});
