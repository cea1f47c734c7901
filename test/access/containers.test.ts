import { afterEach, beforeEach, expect, it } from 'vitest';
import { FILE_NOTE } from '../../src/documents/collections/file-notes.ts';
import { type AccessServer, accessServer } from '../support/access-server.ts';
import {
  ALLOWED,
  attackAll,
  attacksOf,
  CREATE_ONLY,
  fileOf,
  fillOwned,
  type Memories,
  ownedState,
  WRITE_OPERATIONS,
} from '../support/container-attacks.ts';

let server: AccessServer;
let ada: string;
let bob: string;
let memories: Memories;

beforeEach(async () => {
  server = await accessServer({ rate_limit: 0, memory_readers: 'everyone' });
  ada = server.key({ name: 'ada', scopes: ['write'] });
  bob = server.key({ name: 'bob', scopes: ['write'] });
  memories = await fillOwned(server.ask, ada);
});
afterEach(() => server.close());

it('has an attack by every operation that writes', () => {
  expect(Object.keys(attacksOf(memories)).sort()).toEqual([...WRITE_OPERATIONS].sort());
});

it('refuses every attack, and readers see the same before and after', async () => {
  const before = await ownedState(server.ask, bob, memories);
  const attempts = await attackAll(server.ask, bob, memories);
  const through = attempts.filter(
    ({ operation, status }) => !ALLOWED.includes(operation) && (status < 400 || status >= 500),
  );
  expect(through).toEqual([]);
  expect(await ownedState(server.ask, bob, memories)).toBe(before);
  // An attack that is refused for another reason proves nothing.
  const refused = new Set(
    attempts.flatMap(({ operation, status }) =>
      status === 403 || (status === 409 && CREATE_ONLY.includes(operation)) ? [operation] : [],
    ),
  );
  const other = attempts.filter(({ operation }) => !ALLOWED.includes(operation) && !refused.has(operation));
  expect(other).toEqual([]);
});

const files = async (key: string) => {
  const { json } = await server.ask('GET', '/api/collections/plans/sources', { key });
  return json.sources.map(({ source_id, uri }: { source_id: string; uri: string }) => [source_id, uri]);
};
const put = (key: string, body: unknown) => server.ask('POST', '/api/collections/plans/files:batch', { key, body });

/** As an earlier version let everyone add it. */
async function plant(id: string, path: string): Promise<void> {
  const planted = server.registry.as({ readers: null, name: 'key:bob', scopes: ['read', 'write', 'admin'] });
  const { content, ...state } = fileOf(id, path);
  const entity = {
    type: 'document',
    path: `/files/${state.id}`,
    name: path,
    body: content.text,
    owner: 'key:bob',
  } as const;
  const note = { files: [{ collection: 'plans', path }], ...state, sent: true, chunking: '', chunks: 0, title: path };
  const at = [{ collection: 'plans', path }];
  await planted.changeMany('document', [], () => [{ ...entity, files: at }], {
    notes: new Map([[entity.path, { [FILE_NOTE]: { ...note, format: 'text' } }]]),
  });
}

it('lets the owner of a collection remove what others added to it, and replace it', async () => {
  await plant('b1', 'b.md');
  await plant('b2', 'a.md');
  await plant('b3', 'c.md');
  expect((await put(ada, { remove: [fileOf('b1', 'b.md').id] })).status).toBe(200);
  expect((await put(ada, { put: [fileOf('a1', 'a.md'), fileOf('b3', 'c.md')] })).status).toBe(200);
  expect(await files(ada)).toEqual([
    [fileOf('a1', '').id, 'a.md'],
    [fileOf('b3', '').id, 'c.md'],
  ]);
  expect((await server.ask('GET', '/api/collections/plans/documents/a.md', { key: bob })).status).toBe(200);
});

it('lets the owner remove a collection with files of others in it', async () => {
  await plant('b1', 'b.md');
  expect((await server.ask('DELETE', '/api/collections/plans', { key: bob })).status).toBe(403);
  const { status, json } = await server.ask('DELETE', '/api/collections/plans', { key: ada });
  expect([status, json]).toEqual([200, { name: 'plans', removed: 2, kept: 0 }]);
  expect((await server.registry.page({ types: ['document'] })).entities).toEqual([]);
});

it('keeps one file for each path of a collection: the last one', async () => {
  expect((await put(ada, { put: [fileOf('a2', 'a.md'), fileOf('a3', 'a.md'), fileOf('a4', 'd.md')] })).status).toBe(
    200,
  );
  expect(await files(ada)).toEqual([
    [fileOf('a3', '').id, 'a.md'],
    [fileOf('a4', '').id, 'd.md'],
  ]);
});

it('lets the owner of a collection take a file out of it that is in a collection of someone else too, and no more', async () => {
  await server.ask('POST', '/api/collections', { key: bob, body: { name: 'bobs' } });
  const shared = fileOf('b5', 'b.md');
  await server.ask('POST', '/api/collections/bobs/files:batch', { key: bob, body: { put: [shared] } });
  const both = [
    { collection: 'bobs', path: 'b.md' },
    { collection: 'plans', path: 'b.md' },
  ];
  const path = `/files/${shared.id}`;
  await server.registry.changeMany('document', [path], (found) => [{ ...found.get(path)!, files: both }], {
    notes: new Map([[path, { [FILE_NOTE]: { files: both, chunks: 1, title: 'b.md', format: 'markdown' } }]]),
  });
  expect((await put(ada, { put: [fileOf('b5', 'b.md', 'forged')] })).status).toBe(403);
  expect((await put(ada, { remove: [shared.id] })).status).toBe(200);
  const [record] = await server.registry.getMany('document', [path]);
  expect(record?.entity).toMatchObject({ files: [both[0]], body: 'The merger is near.' });
});

it('lets members of the group of a collection add to it', async () => {
  const member = server.key({ name: 'member', scopes: ['write'], groups: ['board'] });
  const path = `/api/entities/document/${encodeURIComponent('/collections/plans')}`;
  expect((await server.ask('PATCH', path, { key: ada, body: { allowed_groups: ['board'] } })).status).toBe(200);
  expect((await put(member, { put: [fileOf('c1', 'c.md')] })).status).toBe(200);
  expect((await put(bob, { put: [fileOf('c2', 'c.md')] })).status).toBe(403);
});

it('says the same of a hidden collection and of none', async () => {
  const patch = `/api/entities/document/${encodeURIComponent('/collections/plans')}`;
  await server.ask('PATCH', patch, { key: ada, body: { visibility: 'private' } });
  const add = async (collection: string) => {
    const files = [{ collection, path: 'x.md' }];
    const body = { type: 'document', path: '/x', name: 'x', body: 'x', files };
    const { status, error } = await server.ask('POST', '/api/entities', { key: bob, body });
    return [status, error?.code, error?.message.replaceAll(collection, '')];
  };
  expect(await add('plans')).toEqual(await add('nowhere'));
});

it.each<[string, string, string, (record: object) => object]>([
  ['the service', 'PATCH', '/api/collections/plans', () => ({ folder: '/srv/board' })],
  ['its patterns', 'PATCH', '/api/collections/plans', () => ({ include: ['**/*.key'] })],
  [
    'a patch',
    'PATCH',
    `/api/entities/document/${encodeURIComponent('/collections/plans')}`,
    (record) => ({
      collection: { ...record, folder: '/srv/board' },
    }),
  ],
])(
  'lets a member of the group of a collection not say what is read into it, by %s',
  async (_, method, route, bodyOf) => {
    const member = server.key({ name: 'member', scopes: ['write'], groups: ['board'] });
    const path = `/api/entities/document/${encodeURIComponent('/collections/plans')}`;
    await server.ask('PATCH', path, { key: ada, body: { allowed_groups: ['board'] } });
    const { collection } = (await server.ask('GET', path, { key: ada })).json.entity;
    const change = (key: string) => server.ask(method, route, { key, body: bodyOf(collection) });
    const refused = await change(member);
    expect([refused.status, refused.error?.field]).toEqual([403, 'collection']);
    expect((await server.ask('GET', path, { key: ada })).json.entity.collection).toEqual(collection);
    expect((await server.ask('PATCH', '/api/collections/plans', { key: member, body: { notes: [] } })).status).toBe(
      200,
    );
    expect((await change(ada)).status).toBe(200);
  },
);
