import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { faultsOf } from '../../../test/support/standard-schemas.ts';
import { standardsServer, type TestServer } from '../../../test/support/standards-server.ts';

const server = (path: string, fields: Record<string, unknown> = {}) => ({
  type: 'mcp_server',
  path,
  name: path,
  description: `The server ${path}.`,
  ...fields,
});

const CATALOG = [
  server('/clock', { version: '2.1.0', mcp_endpoint: 'https://clock.example/mcp', tags: ['time'] }),
  server('/old', { status: 'deprecated' }),
  server('/new', { status: 'beta' }),
  server('/io.github.acme/weather', { local_runtime: { type: 'npx', package: '@acme/weather' }, deployment: 'local' }),
  server('weird path/ü?#%', { description: 'x'.repeat(500) }),
  server('/draft', { status: 'draft' }),
  server('/off', { is_enabled: false }),
  server('/private', { visibility: 'private', owner: 'ada' }),
  server('/group', { visibility: 'group-restricted', allowed_groups: ['staff'] }),
  { type: 'skill', path: '/clock', name: 'not a server' },
];

let site: TestServer;
beforeAll(async () => {
  site = await standardsServer(CATALOG);
});
afterAll(() => site.close());

const namesOf = (json: { servers: { server: { name: string } }[] }) => json.servers.map((item) => item.server.name);
const WEIRD = /^local\.dowser\/weird-path-u-[0-9a-f]{10}$/;

describe('GET /v0.1/servers', () => {
  it('lists public, enabled servers that are not drafts, by name, in the format of the specification', async () => {
    const { status, json } = await site.get('/v0.1/servers');
    expect(status).toBe(200);
    expect(faultsOf('serverList', json)).toEqual([]);
    expect(namesOf(json)).toEqual([
      'io.github.acme/weather',
      'local.dowser/clock',
      'local.dowser/new',
      'local.dowser/old',
      expect.stringMatching(WEIRD),
    ]);
    expect(json.metadata).toEqual({ count: 5 });
  });

  it('has the status deprecated, or active for any other', async () => {
    const { json } = await site.get('/v0.1/servers');
    const statuses = json.servers.map(
      (item: { _meta: Record<string, { status: string }> }) =>
        item._meta['io.modelcontextprotocol.registry/official']?.status,
    );
    expect(statuses).toEqual(['active', 'active', 'active', 'deprecated', 'active']);
  });

  it('goes through the pages, each server once', async () => {
    const seen: string[] = [];
    let cursor = '';
    do {
      const { json } = await site.get(`/v0.1/servers?limit=2${cursor === '' ? '' : `&cursor=${cursor}`}`);
      expect(faultsOf('serverList', json)).toEqual([]);
      seen.push(...namesOf(json));
      cursor = json.metadata.nextCursor ?? '';
    } while (cursor !== '');
    expect(seen).toEqual(namesOf((await site.get('/v0.1/servers')).json));
  });

  it('has no next page after a last page that is full', async () => {
    expect((await site.get('/v0.1/servers?limit=5')).json.metadata).toEqual({ count: 5 });
  });

  it.each([
    ['search=CLOCK', ['local.dowser/clock']],
    ['search=nothing-has-this', []],
    ['version=2.1.0', ['local.dowser/clock']],
    ['version=latest&search=clock', ['local.dowser/clock']],
    ['version=9.9.9', []],
    ['updated_since=2100-01-01T00:00:00Z', []],
    ['updated_since=2020-01-01T00:00:00%2B02:00&search=acme', ['io.github.acme/weather']],
    ['include_deleted=true&search=old', ['local.dowser/old']],
  ])('takes %s', async (query, names) => {
    const { status, json } = await site.get(`/v0.1/servers?${query}`);
    expect([status, namesOf(json)]).toEqual([200, names]);
  });

  it.each([
    ['limit=0', 'limit'],
    ['limit=1001', 'limit'],
    ['limit=ten', 'limit'],
    ['limit=', 'limit'],
    ['limit=1e2', 'limit'],
    ['cursor=nonsense', 'cursor'],
    ['updated_since=yesterday', 'updated_since'],
    ['updated_since=2026-13-45T00:00:00Z', 'updated_since'],
    ['include_deleted=maybe', 'include_deleted'],
  ])('refuses %s, naming the field, in the form of the specification', async (query, field) => {
    const { status, json } = await site.get(`/v0.1/servers?${query}`);
    expect([status, faultsOf('registryError', json)]).toEqual([400, []]);
    expect(json.error).toContain(`'${field}'`);
  });
});

describe('GET /v0.1/servers/{name}/versions', () => {
  const clock = encodeURIComponent('local.dowser/clock');

  it('lists the one version there is', async () => {
    const { status, json } = await site.get(`/v0.1/servers/${clock}/versions`);
    expect([status, faultsOf('serverList', json), namesOf(json)]).toEqual([200, [], ['local.dowser/clock']]);
  });

  it.each(['latest', '2.1.0'])('reads version %s', async (version) => {
    const { status, json } = await site.get(`/v0.1/servers/${clock}/versions/${version}`);
    expect([status, faultsOf('serverResponse', json)]).toEqual([200, []]);
    expect(json.server).toMatchObject({
      name: 'local.dowser/clock',
      version: '2.1.0',
      remotes: [{ type: 'streamable-http', url: 'https://clock.example/mcp' }],
    });
    expect(json._meta['local.dowser/entity']).toEqual({ path: '/clock', status: 'active', tags: ['time'], tools: 0 });
  });

  it('reads every server of the list by its name', async () => {
    for (const name of namesOf((await site.get('/v0.1/servers')).json)) {
      const { json } = await site.get(`/v0.1/servers/${encodeURIComponent(name)}/versions/latest`);
      expect(json.server.name).toBe(name);
    }
  });

  it.each([
    ['local.dowser/nobody', 'latest'],
    ['local.dowser/private', 'latest'],
    ['local.dowser/draft', 'latest'],
    ['local.dowser/CLOCK', 'latest'],
    ['local.dowser/clock', '1.0.0'],
    ['local.dowser/clock', '%'],
    ['..', 'latest'],
    ['a/b/c', 'latest'],
    ['\u0000', 'latest'],
  ])('answers 404 to %j at %s', async (name, version) => {
    const { status, json } = await site.get(
      `/v0.1/servers/${encodeURIComponent(name).replaceAll('.', '%2E')}/versions/${encodeURIComponent(version)}`,
    );
    expect([status, faultsOf('registryError', json)]).toEqual([404, []]);
  });

  it.each(['/v0.1/servers/%zz/versions/latest', '/v0.1/servers/%E0%A4%A/versions', '/v0.1/nothing', '/v0.1/'])(
    'answers %s, which no client should send, in its own form',
    async (target) => {
      const { status, text } = await site.raw(target);
      expect(status).toBe(404);
      expect(faultsOf('registryError', JSON.parse(text))).toEqual([]);
    },
  );
});

describe('every answer under /v0.1', () => {
  let open: TestServer;
  beforeAll(async () => {
    open = await standardsServer([server('/clock')], { public_url: 'https://tools.example.com' });
  });
  afterAll(() => open.close());

  const CORS = {
    'access-control-allow-origin': '*',
    'access-control-allow-methods': 'GET, OPTIONS',
    'access-control-allow-headers': 'Authorization, Content-Type',
  };

  it.each([
    ['GET', '/v0.1/servers', 200],
    ['HEAD', '/v0.1/servers', 200],
    ['OPTIONS', '/v0.1/servers', 204],
    ['OPTIONS', '/v0.1/servers/com.example.tools%2Fclock/versions', 204],
    ['OPTIONS', '/v0.1/servers/com.example.tools%2Fclock/versions/latest', 204],
    ['GET', '/v0.1/servers/com.example.tools%2Fclock/versions/latest', 200],
    ['GET', '/v0.1/servers/none%2Fnone/versions/latest', 404],
    ['GET', '/v0.1/servers?limit=0', 400],
    ['DELETE', '/v0.1/servers', 405],
    ['POST', '/v0.1/publish', 501],
    ['PUT', '/v0.1/servers/com.example.tools%2Fclock/versions/1', 501],
    ['DELETE', '/v0.1/servers/com.example.tools%2Fclock/versions/1', 501],
    ['PATCH', '/v0.1/servers/com.example.tools%2Fclock/versions/1/status', 501],
  ])('%s %s has the headers that editors look for', async (method, path, expected) => {
    const { status, headers, text, json } = await open.get(path, { Origin: 'https://editor.example' }, method);
    // Nothing but reads is taken from pages of other sites.
    const refused = !['GET', 'HEAD', 'OPTIONS'].includes(method);
    expect(status).toBe(refused ? 403 : expected);
    for (const [name, value] of Object.entries(CORS)) expect([name, headers.get(name)]).toEqual([name, value]);
    if (status >= 400) expect(faultsOf('registryError', json)).toEqual([]);
    else if (method !== 'GET') expect(text).toBe('');
    if (refused) expect((await open.get(path, {}, method)).status).toBe(expected);
  });

  it('has no such headers on a loopback server', async () => {
    for (const method of ['GET', 'HEAD', 'OPTIONS']) {
      const { status, headers, json } = await site.get('/v0.1/servers', { Origin: 'https://editor.example' }, method);
      expect([method, status, headers.get('access-control-allow-origin')]).toEqual([method, 403, null]);
      expect(headers.get('cross-origin-resource-policy')).toBe('same-origin');
      if (method === 'GET') expect(faultsOf('registryError', json)).toEqual([]);
    }
    // An editor that is no browser, and a page of another program of this machine.
    for (const [sent, expected] of [
      [{}, 200],
      [{ Origin: 'http://localhost:3000' }, 403],
    ] as const) {
      const { status, headers } = await site.get('/v0.1/servers', sent);
      expect([status, headers.get('access-control-allow-origin')]).toEqual([expected, null]);
    }
  });

  it('says where to publish instead', async () => {
    expect((await site.post('/v0.1/publish', {})).json.error).toContain('PUT /api/entities/mcp_server');
  });
});

describe('a registry with a public address', () => {
  it('names servers in the namespace of its domain', async () => {
    const other = await standardsServer([server('/clock')], { public_url: 'https://tools.example.com/' });
    expect(namesOf((await other.get('/v0.1/servers')).json)).toEqual(['com.example.tools/clock']);
    await other.close();
  });
});
