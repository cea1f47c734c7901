import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openedEmbedder } from '../../../test/support/opened-embedder.ts';
import { type ServedRegistry, serveRegistry } from '../../../test/support/served-registry.ts';
import { WordEmbedder } from '../../../test/support/word-embedder.ts';
import { DowserError } from '../../model/errors/errors.ts';

let server: ServedRegistry;
const TEA = '# Tea\nGreen tea needs 80 degrees.\n\n# Mate\nMate needs a gourd. See KX-4471.\n';
beforeAll(async () => {
  server = await serveRegistry({ embedder: openedEmbedder(new WordEmbedder()), background: false });
  await server.send('POST', '/api/collections', { name: 'handbook', note: 'The handbook.' });
  await server.send('POST', '/api/collections', { name: 'other' });
});
afterAll(() => server.close());

const upload = (path: string, body: string | Uint8Array<ArrayBuffer>, headers: Record<string, string> = {}) =>
  server.ask('POST', `/api/collections/handbook/files${path}`, { body, headers });

describe('an upload', () => {
  it('stores the bytes of a file under its path', async () => {
    const { status, json } = await upload('?path=guide/tea.md', TEA);
    expect(status).toBe(200);
    expect(json).toMatchObject({ collection: 'handbook', path: 'guide/tea.md', title: 'Tea', chunks: 2, pages: null });
  });

  it('takes the file of a form, and tells its steps to a client that wants them', async () => {
    const form = new FormData();
    form.append('file', new Blob(['# Coffee\nBlack coffee.\n']), 'coffee.md');
    const response = await fetch(`${server.url}/api/collections/handbook/files`, {
      method: 'POST',
      body: form,
      headers: { Accept: 'text/event-stream' },
    });
    const events = (await response.text()).trim().split('\n\n');
    expect(events.map((event) => /^event: (\w+)\ndata: \{"type":"\1"/.exec(event)?.[1])).toEqual([
      'received',
      'read',
      'done',
    ]);
    expect(events[2]).toContain('"path":"coffee.md"');
  });

  it('replaces a file of the same path, and refuses one that is no text or has no name', async () => {
    await upload('?path=note.md', 'First words.');
    await upload('?path=note.md', 'Second words.');
    const found = await server.send('POST', '/api/collections/handbook/search', { query: 'words' });
    expect(found.json.results.map(({ text }: { text: string }) => text)).toEqual(['Second words.']);
    const bytes = new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0xff]);
    expect(await upload('?path=a.png', bytes)).toMatchObject({ status: 422, error: { code: 'INVALID_FILE' } });
    expect(await upload('', 'x')).toMatchObject({ status: 422, error: { field: 'path' } });
    expect(await upload('?path=../../x', 'x')).toMatchObject({ status: 422 });
    const nowhere = await server.ask('POST', '/api/collections/handbok/files?path=a', { body: 'x' });
    expect(nowhere).toMatchObject({ status: 404, error: { hint: "Did you mean 'handbook'?" } });
  });
});

describe('the routes of a collection', () => {
  it('search in the shape of the servers that IndexFoundry exports', async () => {
    const body = { query: 'KX-4471', top_k: 500, mode: 'hybrid', query_vector: [1] };
    const { status, json } = await server.send('POST', '/api/collections/handbook/search', body);
    expect(status).toBe(200);
    const [hit] = json.results;
    expect(json).toMatchObject({ total: 1, query: 'KX-4471', mode: 'hybrid' });
    // A code alone asks no model, and needs no vector.
    expect(json.warnings).toEqual([]);
    expect(hit).toMatchObject({
      text: 'Mate needs a gourd. See KX-4471.',
      source_name: 'Tea',
      source_type: 'markdown',
      position: { index: 1, start_char: 42, end_char: 74 },
    });
    const keys = ['chunk_id', 'text', 'score', 'source_id', 'source_url', 'source_name', 'source_type', 'position'];
    expect(Object.keys(hit)).toEqual(expect.arrayContaining([...keys, 'metadata']));
    const chunk = await server.ask('GET', `/api/collections/handbook/chunks/${hit.chunk_id}`);
    expect(chunk.json).toMatchObject({ text: hit.text, score: 1 });
    const elsewhere = await server.ask('GET', `/api/collections/other/chunks/${hit.chunk_id}`);
    expect(elsewhere.status).toBe(404);
  });

  it('search by the vector of the client where its dimension fits, without the model', async () => {
    const embedder = new WordEmbedder();
    const own = await serveRegistry({ embedder: openedEmbedder(embedder), background: false });
    await own.send('POST', '/api/collections', { name: 'handbook' });
    await own.ask('POST', '/api/collections/handbook/files?path=tea.md', { body: TEA });
    await own.registry.embedPending();
    const [vector] = await embedder.embed(['gourd'], { as: 'query' });
    embedder.failure = new DowserError('EMBEDDER_UNAVAILABLE', 'down');
    const search = async (more: object) => {
      const body = { query: 'a vessel', mode: 'semantic', ...more };
      const { status, json } = await own.send('POST', '/api/collections/handbook/search', body);
      return {
        status,
        warnings: json.warnings as string[],
        texts: json.results?.map(({ text }: { text: string }) => text),
      };
    };
    const query_vector = [...vector!].map((value) => 3 * value);
    const found = await search({ query_vector });
    expect(found).toMatchObject({
      status: 200,
      warnings: [],
      texts: [expect.stringContaining('gourd'), expect.anything()],
    });
    // The model is asked where the vector does not fit, and it is down.
    for (const [wrong, why] of [
      [[1], 'has 1 numbers'],
      [query_vector.map(() => 0), 'only zeros'],
    ] as const) {
      const { warnings } = await search({ query_vector: wrong });
      expect(warnings.join()).toContain(why);
      expect(warnings.join()).toContain('EMBEDDER_UNAVAILABLE');
    }
    expect((await search({ query_vector: ['a'] })).status).toBe(422);
    expect((await search({ query_vector: Array.from({ length: 20_000 }, () => 1) })).status).toBe(422);
    expect((await search({ query_vector: [1], mode: 'keyword' })).warnings).toEqual([]);
    const whole = await own.send('POST', '/api/search/semantic', { query: 'a vessel', preset: 'vector', query_vector });
    expect(whole.json.results[0]).toMatchObject({ match_context: expect.stringContaining('gourd') });
    await own.close();
  });

  it('search by keyword without the model', async () => {
    const { json } = await server.send('POST', '/api/collections/handbook/search', { query: 'gourd', mode: 'keyword' });
    expect(json).toMatchObject({ preset: 'keyword', mode: 'keyword', total: 1 });
    const plain = await server.send('POST', '/api/collections/handbook/search', { query: 'gourd', preset: 'keyword' });
    expect(plain.json.mode).toBe('lexical-only');
  });

  it('list sources, count, and read lines', async () => {
    const { json: sources } = await server.ask('GET', '/api/collections/handbook/sources');
    expect(sources.sources.map(({ uri }: { uri: string }) => uri)).toEqual(['coffee.md', 'guide/tea.md', 'note.md']);
    const { json: stats } = await server.ask('GET', '/api/collections/handbook/stats');
    expect(stats).toMatchObject({ project: 'handbook', description: 'The handbook.', sources: 3, chunks: 4 });
    const read = await server.ask('GET', '/api/collections/handbook/documents/guide/tea.md?from_line=2&to_line=2');
    expect(read.json).toMatchObject({ text: 'Green tea needs 80 degrees.', from_line: 2, to_line: 2 });
    const wrong = await server.ask('GET', '/api/collections/handbook/documents/guide/tea.md?from_line=x');
    expect(wrong.status).toBe(422);
    expect((await server.ask('GET', '/api/collections/nowhere/sources')).status).toBe(404);
  });
});

describe('the MCP endpoint of a collection', () => {
  const connect = async (name: string) => {
    const client = new Client({ name: 'test', version: '1' });
    await client.connect(new StreamableHTTPClientTransport(new URL(`${server.url}/mcp/docs/${name}`)));
    return client;
  };

  it('has the tools of ChatGPT and of IndexFoundry, each answer as one text of JSON', async () => {
    const client = await connect('Handbook');
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(['search', 'fetch', 'get_chunk', 'list_sources', 'stats']);
    const call = async (name: string, args: Record<string, unknown>) => {
      const { content } = await client.callTool({ name, arguments: args });
      const items = content as { readonly type: string; readonly text: string }[];
      expect(items).toHaveLength(1);
      return JSON.parse(items[0]!.text);
    };
    const [hit] = (await call('search', { query: 'gourd' })).results;
    expect(hit).toMatchObject({ title: 'Tea: Mate', url: 'dowser://docs/handbook/guide/tea.md' });
    expect(hit.id).toBe(hit.chunk_id);
    const fetched = await call('fetch', { id: hit.id });
    expect(Object.keys(fetched)).toEqual(['id', 'title', 'text', 'url', 'metadata']);
    expect(fetched).toMatchObject({ id: hit.id, title: 'Tea', text: TEA.trimEnd() });
    expect((await call('get_chunk', { chunk_id: hit.id })).text).toBe(hit.text);
    expect((await call('list_sources', {})).total).toBe(3);
    expect((await call('stats', {})).chunks).toBe(4);
    const other = await connect('other');
    const refused = await other.callTool({ name: 'fetch', arguments: { id: hit.id } });
    expect(refused).toMatchObject({ isError: true });
    await client.close();
    await other.close();
  });

  it('is not found for an unknown collection', async () => {
    const response = await server.send('POST', '/mcp/docs/handbok', { jsonrpc: '2.0', id: 1, method: 'ping' });
    expect(response).toMatchObject({ status: 404, error: { hint: "Did you mean 'handbook'?" } });
  });
});

describe('a question to a collection', () => {
  const ask = (body: object) => server.send('POST', '/api/collections/handbook/chat', body);

  it('is answered with sources where no chat model is set, and says so', async () => {
    const { json } = await ask({ question: 'What does mate need?', stream: false });
    expect(json.sources[0]).toMatchObject({ number: 1, text: 'Mate needs a gourd. See KX-4471.' });
    expect(json).toMatchObject({ model: null, answer: expect.stringContaining('No chat model is set up') });
  });

  it('comes as events with their type in both places, sources first', async () => {
    const response = await fetch(`${server.url}/api/collections/handbook/chat`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ question: 'mate' }),
    });
    expect(response.headers.get('content-type')).toContain('text/event-stream');
    const events = (await response.text()).trim().split('\n\n');
    expect(events.map((event) => /^event: (\w+)\ndata: \{"type":"\1"/.exec(event)?.[1])).toEqual([
      'sources',
      'delta',
      'done',
    ]);
  });

  it('asks no model where nothing fits', async () => {
    const { json } = await ask({ question: 'zebra xylophone quartz', stream: false });
    expect(json).toMatchObject({ sources: [], answer: expect.stringContaining('Nothing in this collection') });
  });

  it('is refused if it is empty or the collection is unknown', async () => {
    expect(await ask({ question: ' ' })).toMatchObject({ status: 422, error: { field: 'question' } });
    const nowhere = await server.send('POST', '/api/collections/handbok/chat', { question: 'x' });
    expect(nowhere).toMatchObject({ status: 404, error: { hint: "Did you mean 'handbook'?" } });
  });
});

it('search_documents is a tool of /mcp, with what to cite', async () => {
  const client = new Client({ name: 'test', version: '1' });
  await client.connect(new StreamableHTTPClientTransport(new URL(`${server.url}/mcp`)));
  const { content, structuredContent } = await client.callTool({
    name: 'search_documents',
    arguments: { query: 'what does mate need', searches: [{ type: 'keyword', query: 'gourd' }], k: 1 },
  });
  const [{ text }] = content as unknown as [{ text: string }];
  expect(text).toMatch(
    /^\[handbook\/guide\/tea\.md, line 5\] \([0-9a-f]{16}-[0-9a-f]+, confidence 0\.\d+\)\nThe handbook\.\nMate\nMate needs/,
  );
  expect(structuredContent).toMatchObject({ results: [{ source: 'handbook/guide/tea.md', place: 'line 5' }] });
  await client.close();
});
