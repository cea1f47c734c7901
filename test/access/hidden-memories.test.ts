import { afterEach, beforeEach, expect, it } from 'vitest';
import { TOOLSET_PATHS } from '../../src/mcp/toolset-names.ts';
import { contentHash } from '../../src/registry/write/memory-hash.ts';
import { type AccessServer, type AskOptions, accessServer } from '../support/access-server.ts';

const CONTENT = 'The merger is on Friday';
const HASH = contentHash(CONTENT);
/** Memories without a namespace are for everyone here. One server has memories with the content, which the caller may not read. */
let withHidden: AccessServer;
let without: AccessServer;

beforeEach(async () => {
  withHidden = await accessServer({ memory_readers: 'everyone' });
  without = await accessServer({ memory_readers: 'everyone' });
  const root = withHidden.key({ name: 'root', groups: ['board'], scopes: ['admin'] });
  for (const namespace of ['board', 'ops']) {
    await withHidden.ask('POST', '/api/memory:store', { key: root, body: { content: CONTENT, namespace } });
  }
  const note = { type: 'memory', name: 'note', content: CONTENT, visibility: 'private' };
  await withHidden.ask('PUT', '/api/entities/memory/notes/1', { key: root, body: note });
  expect(await withHidden.registry.rows('memory')).toHaveLength(3);
});
afterEach(async () => {
  await withHidden.close();
  await without.close();
});

const MCP = { Accept: 'application/json, text/event-stream' };
const tool = (name: string, args: object): AskOptions => ({
  headers: MCP,
  body: { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } },
});
const memory = (fields: object) => ({ type: 'memory', name: 'm', content: CONTENT, ...fields });
const board = { visibility: 'group-restricted', allowed_groups: ['board'] };

/** Every way to store the content, and what a writer of no group is told. */
const WAYS: readonly (readonly [number, string, string, AskOptions])[] = [
  [200, 'POST', '/api/memory:store', { body: { content: CONTENT } }],
  [403, 'POST', '/api/memory:store', { body: { content: CONTENT, namespace: 'board' } }],
  [200, 'POST', '/api/memory:batch', { body: { memories: [{ content: CONTENT }] } }],
  [403, 'POST', '/api/memory:batch', { body: { memories: [{ content: CONTENT, namespace: 'board' }] } }],
  [200, 'POST', '/api/memories', { body: { content: CONTENT } }],
  [200, 'POST', TOOLSET_PATHS.memory, tool('memory_store', { content: CONTENT })],
  [201, 'PUT', `/api/entities/memory//${HASH}`, { body: memory({}) }],
  [403, 'PUT', `/api/entities/memory//board/${HASH}`, { body: memory(board) }],
  [403, 'PUT', `/api/entities/memory//board/${contentHash('other')}`, { body: memory({ ...board, content: 'other' }) }],
  [403, 'PUT', `/api/entities/memory/board/${HASH}`, { body: memory(board) }],
  [404, 'GET', `/api/entities/memory//board/${HASH}`, {}],
  [404, 'POST', '/api/memory:get', { body: { content_hash: HASH } }],
];

/** Without moments and tags. */
const told = ({ status, text }: { readonly status: number; readonly text: string }) => [
  status,
  text.replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME').replaceAll(/"(created|updated)_at":[\d.]+|"etag":"[^"]+"/g, ''),
];

it.each(WAYS)('tells a stranger %i for %s %s, whether or not others have stored the same', async (status, ...way) => {
  const [method, path, options] = way;
  const answers = [];
  for (const server of [withHidden, without]) {
    const key = server.key({ name: 'eve', scopes: ['write'] });
    answers.push(told(await server.ask(method, path, { ...options, key })));
  }
  expect(answers[0]).toEqual(answers[1]);
  expect(answers[0]![0]).toBe(status);
});

it('lets a member store in the namespace, and tells it of a duplicate', async () => {
  const key = withHidden.key({ name: 'ada', groups: ['board'], scopes: ['write'] });
  const body = { content: CONTENT, namespace: 'board' };
  expect((await withHidden.ask('POST', '/api/memory:store', { key, body })).json.duplicate).toBe(true);
  const other = { content: 'another', namespace: 'board' };
  expect((await withHidden.ask('POST', '/api/memory:store', { key, body: other })).json.duplicate).toBe(false);
});

it.each([
  ['of everyone', { content: CONTENT }, { visibility: 'private' }],
  ['of everyone', { content: CONTENT }, board],
  ['of a namespace', { content: CONTENT, namespace: 'ops' }, { visibility: 'private' }],
])('keeps the path of a memory %s for those who may find it taken', async (_, stored, narrower) => {
  const key = without.key({ name: 'ada', groups: ['ops', 'board'], scopes: ['write'] });
  const { json } = await without.ask('POST', '/api/memory:store', { key, body: stored });
  const path = `/api/entities/memory${json.memory.path}`;
  const { status, error } = await without.ask('PATCH', path, { key, body: narrower });
  expect([status, error?.code, error?.field]).toEqual([422, 'INVALID_REQUEST', 'visibility']);
  expect((await without.ask('PATCH', path, { key, body: { tags: ['x'] } })).status).toBe(200);
});
