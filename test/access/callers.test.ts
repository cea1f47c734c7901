import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type AccessServer, accessServer } from '../support/access-server.ts';
import { skill } from '../support/skill.ts';

let server: AccessServer;
const keys: Record<'reader' | 'writer' | 'other' | 'admin', string> = { reader: '', writer: '', other: '', admin: '' };

beforeAll(async () => {
  server = await accessServer();
  keys.reader = server.key({ name: 'reader', groups: ['payments'] });
  keys.writer = server.key({ name: 'writer', groups: ['payments'], scopes: ['write'] });
  keys.other = server.key({ name: 'other', groups: ['search'], scopes: ['write'] });
  keys.admin = server.key({ name: 'admin', scopes: ['admin'] });
  await server.registry.putMany([
    skill('/open'),
    skill('/shared', { visibility: 'group-restricted', allowed_groups: ['payments'], owner: 'someone' }),
    skill('/secret', { visibility: 'private', owner: 'someone' }),
  ]);
});
afterAll(() => server.close());

const paths = async (key: string) =>
  (await server.ask('GET', '/api/entities', { key })).json.entities.map(
    ({ entity }: { entity: { path: string } }) => entity.path,
  );
const put = (key: string, body: object, path: string) =>
  server.ask('PUT', `/api/entities/skill/${path.slice(1)}`, { key, body });

describe('a request', () => {
  it('without credentials is told how to send them', async () => {
    const { status, error, headers } = await server.ask('GET', '/api/entities');
    expect([status, error?.code, headers.get('www-authenticate')]).toEqual([
      401,
      'UNAUTHENTICATED',
      'Bearer realm="dowser", scope="read"',
    ]);
  });

  it.each([
    ['no key', 'dwsr_x'],
    ['a key of another server', `dwsr_${'0'.repeat(49)}`],
    ['no token', 'hello'],
    ['an empty token', '.'],
  ])('with %s is refused', async (_, key) => {
    const { status, headers } = await server.ask('GET', '/api/entities', { key });
    expect([status, headers.get('www-authenticate')]).toEqual([401, expect.stringContaining('error="invalid_token"')]);
  });

  it('of another scheme is refused, and so is a second credential beside it', async () => {
    const headers = { Authorization: `Basic ${keys.admin}`, 'X-API-Key': keys.admin };
    expect((await server.ask('GET', '/api/entities', { headers })).status).toBe(401);
  });

  it('may send its key as X-API-Key, as clients of the memory service do', async () => {
    const headers = { 'X-API-Key': keys.reader };
    expect((await server.ask('GET', '/api/memories', { headers })).status).toBe(200);
  });

  it.each(['?access_token=x', '?api_key=x', '?token=x', `?q=dwsr_${'a'.repeat(49)}`])(
    'with a token in its URL is refused, whatever else it has: %s',
    async (query) => {
      const { status, error } = await server.ask('GET', `/api/entities${query}`, { key: keys.admin });
      expect([status, error?.code]).toEqual([422, 'INVALID_REQUEST']);
    },
  );

  it('sees only what it may read, in lists, counts and searches', async () => {
    expect(await paths(keys.reader)).toEqual(['/open', '/shared']);
    expect(await paths(keys.other)).toEqual(['/open']);
    expect(await paths(keys.admin)).toEqual(['/open', '/secret', '/shared']);
    const search = async (key: string) =>
      (await server.ask('POST', '/api/search/semantic', { key, body: { query: 'shared secret open' } })).json;
    expect((await search(keys.other)).results.map(({ path }: { path: string }) => path)).toEqual(['/open']);
    const absent = await server.ask('GET', '/api/entities/skill/none', { key: keys.other });
    const hidden = await server.ask('GET', '/api/entities/skill/secret', { key: keys.other });
    expect([absent.status, hidden.status]).toEqual([404, 404]);
    const text = (answer: typeof absent) => JSON.stringify(answer.json).replaceAll(/none|secret/g, 'X');
    expect(text(hidden)).toBe(text(absent));
  });

  it('is known by its name', async () => {
    const { json } = await server.ask('GET', '/api/auth/me', { key: keys.writer });
    expect(json).toMatchObject({
      username: 'key:writer',
      auth_method: 'key',
      groups: ['payments'],
      scopes: ['read', 'write'],
      is_admin: false,
    });
  });
});

describe('a writer', () => {
  it('owns what it adds', async () => {
    expect((await put(keys.writer, skill('/mine'), '/mine')).status).toBe(201);
    const { json } = await server.ask('GET', '/api/entities/skill/mine', { key: keys.writer });
    expect(json.entity.owner).toBe('key:writer');
  });

  it('keeps the owner of what it changes, and does not give or take ownership', async () => {
    expect((await put(keys.writer, skill('/mine', { description: 'y' }), '/mine')).status).toBe(200);
    const stolen = await put(keys.writer, skill('/mine', { owner: 'someone' }), '/mine');
    expect([stolen.status, stolen.error?.field]).toEqual([403, 'owner']);
    const forOthers = await put(keys.writer, skill('/gift', { owner: 'someone' }), '/gift');
    expect([forOthers.status, forOthers.error?.code]).toEqual([403, 'FORBIDDEN']);
    expect((await put(keys.admin, skill('/gift', { owner: 'someone' }), '/gift')).status).toBe(201);
  });

  it('changes what is shared with its group, and its owner stays', async () => {
    const shared = skill('/shared', {
      visibility: 'group-restricted',
      allowed_groups: ['payments'],
      description: 'new',
    });
    expect((await put(keys.writer, shared, '/shared')).status).toBe(200);
    const [record] = await server.registry.getMany('skill', ['/shared']);
    expect(record!.entity).toMatchObject({ owner: 'someone', description: 'new' });
  });

  it.each([
    ['PUT', '/api/entities/skill/open', skill('/open')],
    ['PATCH', '/api/entities/skill/open', { description: 'z' }],
    ['DELETE', '/api/entities/skill/open', undefined],
    ['POST', '/api/entities:batch', { entities: [skill('/new'), skill('/open')] }],
    ['POST', '/api/skills/open/toggle', { enabled: false }],
  ])('may not change what it only sees: %s %s', async (method, path, body) => {
    const { status, error } = await server.ask(method, path, { key: keys.other, body });
    expect([status, error?.code]).toEqual([403, 'FORBIDDEN']);
    const [record] = await server.registry.getMany('skill', ['/open']);
    expect(record!.entity).toMatchObject({ description: 'x', is_enabled: true });
    expect(await server.registry.getMany('skill', ['/new'])).toEqual([]);
  });

  it('is told that what it may not see is not there', async () => {
    const hidden = await server.ask('DELETE', '/api/entities/skill/secret', { key: keys.writer });
    const absent = await server.ask('DELETE', '/api/entities/skill/none', { key: keys.writer });
    expect([hidden.status, absent.status]).toEqual([404, 404]);
    expect((await server.ask('PATCH', '/api/entities/skill/secret', { key: keys.writer, body: {} })).status).toBe(404);
    expect(await server.registry.getMany('skill', ['/secret'])).toHaveLength(1);
  });

  it('rates under its own name only', async () => {
    const body = { rating: 4, user: 'someone' };
    const { json } = await server.ask('POST', '/api/entities/skill/open/rate', { key: keys.other, body });
    expect(json.rating_details).toEqual([{ user: 'key:other', rating: 4 }]);
  });

  it('cannot touch what no caller owns', async () => {
    for (const [method, path, body] of [
      ['POST', '/api/graph/edges:delete', { provenance: 'x' }],
      ['POST', '/api/admin/embeddings/reindex', { all: true }],
      ['GET', '/api/audit', undefined],
    ] as const) {
      const { status, error, headers } = await server.ask(method, path, { key: keys.writer, body });
      expect([path, status, error?.code]).toEqual([path, 403, 'INSUFFICIENT_SCOPE']);
      expect(headers.get('www-authenticate')).toContain('error="insufficient_scope", scope="admin"');
    }
  });
});

describe('a key', () => {
  it('is refused from the moment it is revoked', async () => {
    const key = server.key({ name: 'short' });
    expect((await server.ask('GET', '/api/entities', { key })).status).toBe(200);
    server.keys.revoke('short', new Date(0));
    const { status, error } = await server.ask('GET', '/api/entities', { key });
    expect([status, error?.message]).toEqual([401, 'The API key was revoked.']);
  });

  it('is refused when its time is over', async () => {
    const key = server.key({ name: 'old', expiresAt: '2020-01-01T00:00:00.000Z' });
    expect((await server.ask('GET', '/api/entities', { key })).error?.message).toBe('The API key has expired.');
  });
});

it('tells only admins where the data is', async () => {
  const store = async (key: string) => (await server.ask('GET', '/api/health', { key })).json.store;
  expect(await store(keys.reader)).toMatchObject({ path: null, bytes: null });
  expect((await store(keys.admin)).path).toBe(server.dir);
});

it('answers what needs no credentials, and nothing of the registry', async () => {
  expect((await server.ask('GET', '/health')).json).toEqual({ status: 'healthy', service: 'dowser', version: '0' });
  expect((await server.ask('GET', '/openapi.json')).status).toBe(200);
  expect((await server.ask('GET', '/')).status).toBe(200);
  expect((await server.ask('GET', '/api/health')).status).toBe(401);
  expect((await server.ask('GET', '/v0.1/servers')).status).toBe(401);
});

it('shows strangers public entities where the setting says so, and nothing else', async () => {
  const open = await accessServer({ anonymous_read: true });
  try {
    await open.registry.putMany([skill('/open'), skill('/secret', { visibility: 'private', owner: 'someone' })]);
    expect((await open.ask('GET', '/api/entities')).json.total_count).toBe(1);
    expect((await open.ask('POST', '/api/entities', { body: skill('/new') })).status).toBe(401);
    expect((await open.ask('GET', '/api/audit')).status).toBe(401);
    expect((await open.ask('GET', '/api/entities', { key: 'dwsr_wrong' })).status).toBe(401);
  } finally {
    await open.close();
  }
});
