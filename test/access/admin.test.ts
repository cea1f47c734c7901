import { afterEach, expect, it } from 'vitest';
import { loadSettings } from '../../src/config.ts';
import { startServer } from '../../src/http/server.ts';
import { type AccessServer, accessServer } from '../support/access-server.ts';
import { memoryRegistry } from '../support/memory-registry.ts';

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const one of open.splice(0).reverse()) await one.close();
});

async function served(): Promise<{ readonly server: AccessServer; readonly admin: string }> {
  const server = await accessServer();
  open.push(server);
  return { server, admin: server.key({ name: 'root', scopes: ['admin'] }) };
}

const KEYS = '/api/admin/keys';

it('creates a key that is shown once, lists it, and refuses it as soon as it is revoked', async () => {
  const { server, admin } = await served();
  const body = { name: 'ci', scopes: ['write'], groups: ['payments'], expires_in_days: 7 };
  const { status, json } = await server.ask('POST', KEYS, { key: admin, body });
  expect(status).toBe(201);
  const { key, created_at, expires_at, ...rest } = json;
  expect(rest).toMatchObject({ name: 'ci', scopes: ['write'], groups: ['payments'], servers: null, revoked_at: null });
  expect(Date.parse(expires_at) - Date.parse(created_at)).toBe(7 * 86_400_000);
  expect((await server.ask('GET', '/api/auth/me', { key })).json).toMatchObject({
    username: 'key:ci',
    groups: ['payments'],
    scopes: ['read', 'write'],
  });
  const listed = await server.ask('GET', KEYS, { key: admin });
  expect(listed.json.keys.map(({ name }: { name: string }) => name)).toEqual(['ci', 'root']);
  expect(listed.text).not.toContain(key);
  expect((await server.ask('POST', KEYS, { key: admin, body })).error?.code).toBe('ALREADY_EXISTS');

  const revoked = await server.ask('DELETE', `${KEYS}/${rest.id}`, { key: admin });
  expect(revoked.json).toMatchObject({ name: 'ci', revoked_at: expect.any(String) });
  expect((await server.ask('GET', '/api/auth/me', { key })).status).toBe(401);
  expect((await server.ask('DELETE', `${KEYS}/ci`, { key: admin })).error?.code).toBe('NOT_FOUND');
  const { records } = (await server.ask('GET', '/api/audit', { key: admin })).json;
  const lines = records.map(({ who, action, ids, result }: Record<string, unknown>) => [who, action, ids, result]);
  // Newest first. The error of the second key with the name is a result too.
  expect(lines).toEqual([
    ['anonymous', 'getUser', [], 'UNAUTHENTICATED'],
    ['key:root', 'revokeKey', ['key:ci'], 'done'],
    ['key:root', 'createKey', ['key:ci'], 'ALREADY_EXISTS'],
    ['key:root', 'createKey', ['key:ci'], 'done'],
  ]);
});

it('refuses keys that are written wrongly, and creates none', async () => {
  const { server, admin } = await served();
  for (const [field, body] of [
    ['name', {}],
    ['name', { name: 'a b' }],
    ['name', { name: 'x'.repeat(100_000) }],
    ['scopes.0', { name: 'a', scopes: ['root'] }],
    ['scopes', { name: 'a', scopes: [] }],
    ['expires_in_days', { name: 'a', expires_in_days: 0.5 }],
    ['groups', { name: 'a', groups: Array.from({ length: 201 }, (_, at) => `g${at}`) }],
    ['admin', { name: 'a', admin: true }],
  ] as const) {
    const { status, error } = await server.ask('POST', KEYS, { key: admin, body });
    expect([field, status, error?.field]).toEqual([field, 422, field]);
  }
  expect((await server.ask('GET', KEYS, { key: admin })).json.keys).toHaveLength(1);
});

it('lets a caller that may call some servers hand on no more', async () => {
  const { server } = await served();
  const limited = server.key({ name: 'limited', scopes: ['admin'], servers: ['/a', '/b'] });
  const create = async (name: string, servers?: readonly string[] | null) =>
    (await server.ask('POST', KEYS, { key: limited, body: { name, servers } })).json;
  expect((await create('one', ['/a'])).servers).toEqual(['/a']);
  expect((await create('all', null)).servers).toEqual(['/a', '/b']);
  expect((await create('more', ['/a', '/c'])).error).toMatchObject({ code: 'FORBIDDEN', field: 'servers' });
});

it('keeps the path of a server with its slash, also where it was left out', async () => {
  const { server, admin } = await served();
  const create = async (key: string, name: string) =>
    (await server.ask('POST', KEYS, { key, body: { name, servers: ['a', '/a', 'b'] } })).json;
  expect((await create(admin, 'one')).servers).toEqual(['/a', '/b']);
  const limited = server.key({ name: 'limited', scopes: ['admin'], servers: ['a', 'b'] });
  expect((await create(limited, 'two')).servers).toEqual(['/a', '/b']);
});

it('shows admins the last hour, and no text of a query', async () => {
  const { server, admin } = await served();
  await server.ask('POST', '/api/search/semantic', { key: admin, body: { query: 'nothing has this' } });
  const { json, text } = await server.ask('GET', '/api/admin/activity', { key: admin });
  expect(json.unanswered).toBeNull();
  expect(json.minutes.at(-1)).toMatchObject({ searches: 1, questions: 1, no_match: 1, embedder: 'off' });
  expect(json.minutes.at(-1).memory_bytes).toBeGreaterThan(1_000_000);
  expect(text).not.toContain('nothing has this');
});

it('shows settings with where each came from, and no secret', async () => {
  const flags = {
    engine: 'memory',
    port: 0,
    embeddings_provider: 'off',
    embeddings_api_key: 'sk-very-secret',
    chat_url: 'https://me:hidden@models.example/v1?api-version=2&api-key=hidden-too',
    embeddings_api_base: 'https://hidden-token@models.example/v1',
    chat_model: 'm',
  };
  const { settings, origins } = loadSettings({ env: { DOWSER_HOST: '127.0.0.1' }, flags });
  const logger = { info() {}, warn() {}, error() {} };
  const server = await startServer({ registry: await memoryRegistry(), version: '0', logger, settings, origins });
  open.push(server);
  const response = await fetch(`${server.url}/api/admin/settings`);
  const text = await response.text();
  const rows = JSON.parse(text).settings as readonly Record<string, unknown>[];
  const row = (name: string) => rows.find((one) => one.name === name);
  expect(row('embeddings_provider')).toMatchObject({ value: 'off', origin: 'the caller' });
  expect(row('host')).toMatchObject({ value: '127.0.0.1', origin: 'the environment (DOWSER_HOST)' });
  expect(row('embeddings_api_key')).toMatchObject({ value: null, is_set: true, secret: true });
  expect(row('chat_url')!.value).toBe('https://me:***@models.example/v1?api-version=2&api-key=***');
  expect(row('embeddings_api_base')!.value).toBe('https://***@models.example/v1');
  expect(row('web')).toMatchObject({ value: true, origin: 'the default' });
  expect(text).not.toMatch(/sk-very-secret|hidden/);
  // Nobody needs credentials here, so there are no keys to manage.
  const refused = await fetch(`${server.url}${KEYS}`);
  expect([refused.status, ((await refused.json()) as { error: { code: string } }).error.code]).toEqual([
    501,
    'NOT_IMPLEMENTED',
  ]);
});
