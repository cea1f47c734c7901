import { afterAll, beforeAll, expect, it } from 'vitest';
import { type AccessServer, accessServer } from '../support/access-server.ts';

let server: AccessServer;
const keys: Record<'ada' | 'member' | 'stranger' | 'admin', string> = { ada: '', member: '', stranger: '', admin: '' };

beforeAll(async () => {
  server = await accessServer();
  keys.ada = server.key({ name: 'ada', scopes: ['write'], groups: ['board'] });
  keys.member = server.key({ name: 'member', scopes: ['write'], groups: ['board'] });
  keys.stranger = server.key({ name: 'stranger', scopes: ['write'] });
  keys.admin = server.key({ name: 'admin', scopes: ['admin'] });
});
afterAll(() => server.close());

async function addCollection(name: string, readers: object): Promise<void> {
  await server.ask('POST', '/api/collections', { key: keys.ada, body: { name } });
  const path = `/api/entities/document/${encodeURIComponent(`/collections/${name}`)}`;
  expect((await server.ask('PATCH', path, { key: keys.ada, body: readers })).status).toBe(200);
}

const fileId = (collection: string, n: number) => `${collection === 'plans' ? 'a' : 'b'}${n}`.padEnd(16, '0');

async function putFile(key: string, collection: string, n: number): Promise<number> {
  const text = `The merger of ${collection} is near.`;
  const id = fileId(collection, n);
  const place = { start_char: 0, end_char: text.length, from_line: 1, to_line: 1 };
  const content = { title: `File ${n}`, format: 'markdown', text, chunks: [{ id: 'c1', ...place }] };
  const file = { id, path: `${n}.md`, size: text.length, mtime_ms: 0, hash: String(n), content };
  const { status } = await server.ask('POST', `/api/collections/${collection}/files:batch`, {
    key,
    body: { put: [file] },
  });
  return status;
}

const found = async (key: string): Promise<number> => {
  const search = { query: 'merger', entity_types: ['document'] };
  const { json } = await server.ask('POST', '/api/search/semantic', { key, body: search });
  return json.results.length;
};

it('a file of a private collection belongs to the owner of the collection, also if another caller stores it', async () => {
  await addCollection('plans', { visibility: 'private' });
  expect(await putFile(keys.ada, 'plans', 1)).toBe(200);
  expect(await putFile(keys.admin, 'plans', 2)).toBe(200);
  expect(await putFile(keys.stranger, 'plans', 3)).toBe(404);
  expect([await found(keys.ada), await found(keys.stranger)]).toEqual([2, 0]);
  const { json } = await server.ask('GET', '/api/collections', { key: keys.stranger });
  expect(json.collections).toEqual([]);
});

it('a file of a collection of a group is for that group, and stays so when it changes', async () => {
  await addCollection('minutes', { visibility: 'group-restricted', allowed_groups: ['board'] });
  expect(await putFile(keys.member, 'minutes', 1)).toBe(200);
  expect(await putFile(keys.ada, 'minutes', 1)).toBe(200);
  expect([await found(keys.member), await found(keys.stranger)]).toEqual([1, 0]);
  const [record] = await server.registry.getMany('document', [`/files/${fileId('minutes', 1)}`]);
  expect(record?.entity).toMatchObject({
    visibility: 'group-restricted',
    allowed_groups: ['board'],
    owner: 'key:member',
  });
});
