import { afterAll, beforeAll, expect, it } from 'vitest';
import { contentHash } from '../../src/registry/write/memory-hash.ts';
import { ownFolder } from '../../src/registry/write/memory-path.ts';
import { type AccessServer, accessServer } from '../support/access-server.ts';

/** By default, what a key stores is its own. One of two servers has a memory of ada with the content. */
const CONTENT = 'The staging box is called otter';
const HASH = contentHash(CONTENT);
let withHidden: AccessServer;
let without: AccessServer;
let ada: string;
const eves = new Map<AccessServer, string>();

const store = (key: string, body: object, on = withHidden) => on.ask('POST', '/api/memory:store', { key, body });
const get = (key: string, content_hash: string) =>
  withHidden.ask('POST', '/api/memory:get', { key, body: { content_hash } });

beforeAll(async () => {
  withHidden = await accessServer();
  without = await accessServer();
  ada = withHidden.key({ name: 'ada', groups: ['team'], scopes: ['write'] });
  for (const server of [withHidden, without]) eves.set(server, server.key({ name: 'eve', scopes: ['write'] }));
  await store(ada, { content: CONTENT, tags: ['boxes'] });
});
afterAll(async () => {
  await withHidden.close();
  await without.close();
});

const told = (text: string) =>
  text
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME')
    .replaceAll(/"(created|updated)_at":[\d.]+|"etag":"[^"]+"|"\w+_ms":[\d.]+/g, '');

const foreign = `/api/entities/memory//${ownFolder('key:ada')}/${HASH}`;
it.each<[string, string, string, object | undefined]>([
  ['a search', 'POST', '/api/memory:search', { query: 'staging otter' }],
  ['a list', 'POST', '/api/memory:list', { tags: ['boxes'] }],
  ['its hash', 'POST', '/api/memory:get', { content_hash: HASH }],
  ['its path', 'GET', foreign, undefined],
  ['a write to its path', 'PUT', foreign, { type: 'memory', name: 'm', content: CONTENT, visibility: 'private' }],
  ['a public write to its path', 'PUT', foreign, { type: 'memory', name: 'm', content: CONTENT }],
  ['an update', 'POST', '/api/memory:update', { content_hash: HASH, changes: { tags: ['mine'] } }],
  ['forgetting it', 'POST', '/api/memory:forget', { content_hash: HASH }],
  ['superseding it', 'POST', '/api/memory:store', { content: 'It is called heron', supersedes: HASH }],
  ['storing the same', 'POST', '/api/memory:store', { content: CONTENT, tags: ['boxes'] }],
  ['storing the same twice', 'POST', '/api/memory:store', { content: CONTENT }],
  ['storing the same in a batch', 'POST', '/api/memory:batch', { memories: [{ content: CONTENT }] }],
])('another caller does not learn of it by %s', async (_, method, path, body) => {
  const answers: string[] = [];
  for (const [server, key] of eves) {
    const { status, text } = await server.ask(method, path, { key, ...(body === undefined ? {} : { body }) });
    answers.push(`${status} ${told(text)}`);
  }
  expect(answers[0]).toBe(answers[1]);
  expect(answers[0]).toMatch(/^(200|403|404|422) /);
});

it('is its own: its owner finds it, also where others have stored the same', async () => {
  const { json } = await get(ada, HASH);
  expect([json.path, json.tags]).toEqual([`/${ownFolder('key:ada')}/${HASH}`, ['boxes']]);
  expect((await store(ada, { content: CONTENT })).json.duplicate).toBe(true);
});

it('stays its own in every way to change it', async () => {
  const stored = await store(ada, { content: 'The printer is on floor 1' });
  const { path } = stored.json.memory;
  const moved = await store(ada, { content: 'The printer is on floor 2', supersedes: stored.json.content_hash });
  expect(moved.json.memory.path).toContain(ownFolder('key:ada'));
  const rewritten = await withHidden.ask('POST', '/api/memory:update', {
    key: ada,
    body: { content_hash: moved.json.content_hash, changes: { content: 'The printer is on floor 3' } },
  });
  expect(rewritten.json.memory.path).toContain(ownFolder('key:ada'));
  const opened = await withHidden.ask('PATCH', `/api/entities/memory/${path}`, {
    key: ada,
    body: { visibility: 'public' },
  });
  expect([opened.status, opened.error?.field]).toEqual([422, 'visibility']);
});

it('does not take the place of a memory that others read', async () => {
  const shared = await store(ada, { content: 'Lunch is at noon', namespace: 'team' });
  expect(shared.json.memory.namespace).toBe('team');
  const own = await store(ada, { content: 'Lunch is at one' });
  const body = { content_hash: shared.json.memory.path, by: own.json.content_hash };
  const { status, error } = await withHidden.ask('POST', '/api/memory:supersede', { key: ada, body });
  expect([status, error?.message]).toEqual([422, expect.stringContaining('no namespace, and private')]);
  expect(JSON.stringify((await get(ada, shared.json.memory.path)).json)).not.toContain(own.json.content_hash);
});

it('does not supersede what everyone reads, although both are of one owner', async () => {
  const content = 'Parking is free';
  const path = `/${contentHash(content)}`;
  const shared = { type: 'memory', name: 'm', content };
  expect((await withHidden.ask('PUT', `/api/entities/memory/${path}`, { key: ada, body: shared })).status).toBe(201);
  const own = await store(ada, { content: 'Parking costs 2 euros' });
  const body = { content_hash: path, by: own.json.content_hash };
  expect((await withHidden.ask('POST', '/api/memory:supersede', { key: ada, body })).status).toBe(422);
  const eve = eves.get(withHidden)!;
  expect(JSON.stringify((await get(eve, path)).json)).not.toContain(own.json.content_hash);
});

it('is forgotten by an admin by its path, where several callers have stored the same', async () => {
  const content = 'The lift is out of order';
  const root = withHidden.key({ name: 'lift-root', scopes: ['admin'] });
  const own = await Promise.all([ada, eves.get(withHidden)!].map((key) => store(key, { content })));
  const paths = own.map(({ json }) => json.memory.path as string);
  const forget = (content_hash: string) =>
    withHidden.ask('POST', '/api/memory:forget', { key: root, body: { content_hash } });
  const { status, error } = await forget(contentHash(content));
  expect([status, error?.message]).toEqual([422, expect.stringContaining('2 memories have this content')]);
  for (const path of paths) expect(error?.hint).toContain(path);
  expect((await forget(paths[0]!)).status).toBe(200);
  expect((await get(ada, contentHash(content))).status).toBe(404);
  expect((await get(eves.get(withHidden)!, contentHash(content))).status).toBe(200);
});

it('is preferred to a memory of everyone with the same content, which stays what it is', async () => {
  const content = 'The office closes at eight';
  const root = withHidden.key({ name: 'root', scopes: ['admin'] });
  const path = `/${contentHash(content)}`;
  await withHidden.registry.put({ type: 'memory', path, name: 'm', content });
  await store(ada, { content, tags: ['own'] });
  expect((await get(ada, contentHash(content))).json.tags).toEqual(['own']);
  expect((await get(root, contentHash(content))).json.path).toBe(path);
  // What supersedes a memory has its readers.
  const next = await store(root, { content: 'The office closes at nine', supersedes: path });
  expect(next.json.memory.path).toBe(`/${contentHash('The office closes at nine')}`);
});

it('is shared by a setting: with `memory_readers=everyone`, everyone reads what has no namespace', async () => {
  const open = await accessServer({ memory_readers: 'everyone' });
  const key = open.key({ name: 'ada', scopes: ['write'] });
  const { json } = await store(key, { content: CONTENT }, open);
  expect(json.memory.path).toBe(`/${HASH}`);
  const reader = open.key({ name: 'reader' });
  const body = { content_hash: HASH };
  expect((await open.ask('POST', '/api/memory:get', { key: reader, body })).status).toBe(200);
  await open.close();
});

/** Each way a client of memories stores: none of them may know of namespaces. */
const MCP = { Accept: 'application/json, text/event-stream' };
const tool = (name: string, args: object) => ({
  headers: MCP,
  body: { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } },
});
const WORDS = 'The heron nests behind the mill';
it.each<[string, string, string, { readonly headers?: Record<string, string>; readonly body: object }]>([
  ['REST', 'POST', '/api/memory:store', { body: { content: WORDS } }],
  ['a batch', 'POST', '/api/memory:batch', { body: { memories: [{ content: WORDS }] } }],
  ['a conversation', 'POST', '/api/memory:session', { body: { turns: [{ role: 'user', content: WORDS }] } }],
  ['the memory service', 'POST', '/api/memories', { body: { content: WORDS } }],
  ['a session of the memory service', 'POST', '/api/sessions', { body: { turns: [{ role: 'user', content: WORDS }] } }],
  ['MCP', 'POST', '/mcp', tool('store_memory', { content: WORDS })],
  ['MCP of the memory service', 'POST', '/mcp/memory', tool('memory_store', { content: WORDS })],
])('is its own by default if it comes by %s', async (_, method, path, options) => {
  const server = await accessServer({ anonymous_read: true });
  const [ada, bob] = ['ada', 'bob'].map((name) => server.key({ name, scopes: ['write'] }));
  const stored = await server.ask(method, path, { ...options, key: ada });
  expect(stored.status).toBeLessThan(300);
  const found = async (key: string | undefined) =>
    (await server.ask('POST', '/api/memory:list', { key, body: {} })).json.memories.length;
  expect([await found(ada), await found(bob), await found(undefined)]).toEqual([1, 0, 0]);
  await server.close();
});
