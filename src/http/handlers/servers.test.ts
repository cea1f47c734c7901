import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type ServedRegistry, serveRegistry } from '../../../test/support/served-registry.ts';
import { createClient } from '../../client/client.ts';

let served: ServedRegistry;
beforeEach(async () => {
  served = await serveRegistry();
});
afterEach(() => served.close());

const FORM = {
  name: 'Context7',
  description: 'Current documentation',
  path: ' context7/ ',
  proxy_pass_url: 'https://context7.test/mcp',
};
const register = (fields: Record<string, string> = {}) => served.form('/api/servers/register', { ...FORM, ...fields });

describe('the registration of a server', () => {
  it('accepts a form with every field', async () => {
    const { status, json } = await register({
      tags: 'docs, Libraries',
      license: 'MIT',
      auth_scheme: 'bearer',
      transport: 'streamable-http',
      tool_list_json: '[{"name": "query-docs", "description": "Fetch docs", "schema": {"type": "object"}}]',
      mcp_endpoint: 'https://context7.test/mcp',
      metadata: '{"team": "docs"}',
      version: 'v1.0.0',
      status: 'BETA',
      provider_organization: 'Context',
      provider_url: 'https://context.test',
      visibility: 'group-restricted',
      allowed_groups: 'eu,us',
      deployment: 'remote',
      sse_endpoint: '',
    });
    expect([status, json]).toEqual([
      201,
      { path: '/context7', name: 'Context7', message: 'Context7 is registered at /context7.', warnings: [] },
    ]);
    expect((await served.ask('GET', '/api/servers/context7')).json).toMatchObject({
      path: '/context7',
      server_name: 'Context7',
      proxy_pass_url: 'https://context7.test/mcp',
      tags: ['docs', 'Libraries'],
      license: 'MIT',
      auth_scheme: 'bearer',
      supported_transports: ['streamable-http'],
      tool_list: [{ name: 'query-docs', description: 'Fetch docs', inputSchema: { type: 'object' } }],
      num_tools: 1,
      metadata: { team: 'docs' },
      status: 'beta',
      provider: 'Context',
      visibility: 'group-restricted',
      allowed_groups: ['eu', 'us'],
      sse_endpoint: null,
      is_enabled: true,
      num_stars: 0,
    });
  });

  it('accepts a multipart form and JSON, with the same result', async () => {
    const data = new FormData();
    for (const [name, value] of Object.entries({ ...FORM, path: '/multi', tags: 'a,b' })) data.append(name, value);
    expect((await served.ask('POST', '/api/servers/register', { body: data })).status).toBe(201);
    const json = { ...FORM, path: '/json', tags: ['a', 'b'], tools: [{ name: 't' }], oops: 1 };
    const answer = await served.send('POST', '/api/servers/register', json);
    expect(answer.json.warnings).toEqual(["Unknown field 'oops' of a server was ignored."]);
    const [multi, other] = await Promise.all(
      ['multi', 'json'].map((path) => served.ask('GET', `/api/servers//${path}`)),
    );
    expect(multi?.json.tags).toEqual(other?.json.tags);
  });

  it('is found at once', async () => {
    await register();
    const { json } = await served.send('POST', '/api/search/semantic', { query: 'documentation' });
    expect(json.servers.map(({ path }: { path: string }) => path)).toEqual(['/context7']);
  });

  it('replaces by default, and answers 409 without overwrite', async () => {
    await register();
    expect((await register({ description: 'new' })).status).toBe(201);
    const refused = await register({ overwrite: 'false', description: 'newer' });
    expect([refused.status, refused.error?.code]).toEqual([409, 'ALREADY_EXISTS']);
    expect((await served.ask('GET', '/api/servers/context7')).json.description).toBe('new');
  });

  it('gives a path to one of ten concurrent registrations', async () => {
    const tries = await Promise.all(Array.from({ length: 10 }, () => register({ overwrite: 'false' })));
    expect(tries.map(({ status }) => status).sort()).toEqual([201, ...Array(9).fill(409)]);
  });

  it.each(['http://localhost:8000', 'HTTPS://a.test/mcp?x=1', 'wss://a.test', 'https://{tenant}.test:{port}/{path}'])(
    'takes the address %s',
    async (proxy_pass_url) => {
      expect((await register({ proxy_pass_url })).status).toBe(201);
      expect((await served.ask('GET', '/api/servers/context7')).json).toMatchObject({ proxy_pass_url });
    },
  );

  it('refuses a change to an invalid address, and accepts a stored one', async () => {
    const entity = { type: 'mcp_server', name: 'old', description: 'From an import', url: 'nowhere' };
    await served.send('PUT', '/api/entities/mcp_server/old', entity);
    const { json: read } = await served.ask('GET', '/api/servers/old');
    expect((await served.send('PUT', '/api/servers/old', read)).status).toBe(200);
    for (const method of ['PUT', 'PATCH'] as const) {
      const { status, error } = await served.send(method, '/api/servers/old', { ...read, proxy_pass_url: 'elsewhere' });
      expect([status, error?.field]).toEqual([422, 'proxy_pass_url']);
    }
    expect((await served.ask('GET', '/api/servers/old')).json.proxy_pass_url).toBe('nowhere');
  });

  it('needs no address for a local server', async () => {
    const { proxy_pass_url: _, ...fields } = FORM;
    const local = { ...fields, deployment: 'local', local_runtime: '{"command": "npx"}' };
    expect((await served.form('/api/servers/register', local)).status).toBe(201);
  });

  it.each([
    [{ name: '' }, 'name'],
    [{ description: '' }, 'description'],
    [{ path: '' }, 'path'],
    [{ path: '/' }, 'path'],
    [{ path: '/a\u0000b' }, 'path'],
    [{ proxy_pass_url: '' }, 'proxy_pass_url'],
    [{ proxy_pass_url: 'not a url' }, 'proxy_pass_url'],
    [{ proxy_pass_url: 'localhost:8080' }, 'proxy_pass_url'],
    [{ proxy_pass_url: 'http://' }, 'proxy_pass_url'],
    [{ proxy_pass_url: 'javascript:alert(1)' }, 'proxy_pass_url'],
    [{ proxy_pass_url: 'nowhere', deployment: 'local' }, 'proxy_pass_url'],
    [{ visibility: 'group-restricted' }, 'allowed_groups'],
    [{ visibility: 'secret' }, 'visibility'],
    [{ status: 'asleep' }, 'status'],
    [{ deployment: 'orbit' }, 'deployment'],
    [{ overwrite: 'perhaps' }, 'overwrite'],
    [{ overwrite: 'constructor' }, 'overwrite'],
    [{ metadata: '{"a":' }, 'metadata'],
    [{ metadata: '[1]' }, 'metadata'],
    [{ tool_list_json: '{"name": "x"}' }, 'tool_list_json'],
    [{ tool_list_json: '[{"name": ""}]' }, 'tools.0.name'],
    [{ tags: 'x'.repeat(600) }, 'tags.0'],
  ])('refuses %j and stores nothing', async (fields, field) => {
    const { status, error } = await register(fields as Record<string, string>);
    expect([status, error?.code, error?.field]).toEqual([422, 'INVALID_REQUEST', field]);
    expect((await served.ask('GET', '/api/servers')).json.total_count).toBe(0);
  });

  it.each([
    ['text/plain', 415, 'UNSUPPORTED_MEDIA_TYPE'],
    ['application/xml', 415, 'UNSUPPORTED_MEDIA_TYPE'],
    ['application/json', 400, 'MALFORMED_JSON'],
    ['multipart/form-data; boundary=none', 400, 'MALFORMED_JSON'],
    ['multipart/form-data', 400, 'MALFORMED_JSON'],
  ])('refuses an invalid body of %s', async (type, status, code) => {
    const answer = await served.ask('POST', '/api/servers/register', {
      headers: { 'Content-Type': type },
      body: 'name=x&path=y',
    });
    expect([answer.status, answer.error?.code]).toEqual([status, code]);
  });

  it('refuses a form where only JSON is read', async () => {
    await register();
    const answer = await served.form('/api/servers/context7/rate', { rating: '5' });
    expect(answer.status).toBe(415);
  });
});

describe('a server', () => {
  beforeEach(async () => {
    await register({ tags: 'AWS', tool_list_json: '[{"name": "t", "description": "d"}]', metadata: '{"team": "x"}' });
  });

  it('is disabled and enabled, by form and by JSON', async () => {
    const off = await served.form('/api/servers/toggle', { path: '/context7', new_state: 'false' });
    expect(off.json).toMatchObject({ service_path: '/context7', new_enabled_state: false, is_enabled: false });
    const search = () => served.send('POST', '/api/search/semantic', { query: 'documentation' });
    expect((await search()).json.total_servers).toBe(0);
    await served.send('POST', '/api/servers/toggle', { path: 'context7', new_state: true });
    expect((await search()).json.total_servers).toBe(1);
    expect((await served.form('/api/servers/toggle', { path: '/no', new_state: 'true' })).status).toBe(404);
    expect((await served.form('/api/servers/toggle', { path: '/context7' })).error?.field).toBe('new_state');
  });

  it('is removed, and then gone', async () => {
    expect((await served.form('/api/servers/remove', { path: 'context7' })).status).toBe(200);
    expect((await served.form('/api/servers/remove', { path: 'context7' })).status).toBe(404);
    await register();
    expect((await served.ask('DELETE', '/api/servers//context7')).status).toBe(204);
    expect((await served.ask('GET', '/api/servers//context7')).status).toBe(404);
  });

  it('is patched and replaced where it is, and answers with what it is then', async () => {
    const patched = await served.send('PATCH', '/api/servers/context7', { description: 'new', metadata: null });
    expect(patched.json).toMatchObject({ description: 'new', metadata: {}, tags: ['AWS'] });
    const replaced = await served.send('PUT', '/api/servers/context7', { server_name: 'Other' });
    expect(replaced.json).toMatchObject({ server_name: 'Other', description: '', tags: [], num_tools: 0 });
  });

  it('can be sent back as it was read', async () => {
    const { json } = await served.ask('GET', '/api/servers/context7');
    const back = await served.send('PUT', '/api/servers/context7', json);
    expect({ ...back.json, updated_at: json.updated_at }).toEqual(json);
  });

  it.each([
    ['PATCH', '/api/servers/nope', { description: 'x' }, 404],
    ['PUT', '/api/servers/nope', { name: 'x' }, 404],
    ['GET', '/api/servers/nope', undefined, 404],
    ['GET', '/api/servers/nope/tools', undefined, 404],
    ['DELETE', '/api/servers/nope', undefined, 404],
    ['POST', '/api/servers/nope/rate', { rating: 3 }, 404],
    ['GET', '/api/servers/nope/rating', undefined, 404],
    ['PUT', '/api/servers/context7', {}, 422],
    ['PATCH', '/api/servers/context7', { name: 7 }, 422],
    ['PATCH', '/api/servers/context7', { path: '/other' }, 422],
    ['PATCH', '/api/servers/context7', { path: 'context7' }, 200],
    ['PATCH', '/api/servers/context7', [], 422],
    ['POST', '/api/servers/context7', {}, 405],
    ['POST', '/api/servers/context7/rate', { rating: 0 }, 422],
    ['POST', '/api/servers/context7/rate', { rating: '5' }, 422],
  ])('answers %s %s with %j by %d', async (method, path, body, status) => {
    expect((await served.send(method, path, body)).status).toBe(status);
  });

  it('lists its tools, also if its path looks like a route', async () => {
    expect((await served.ask('GET', '/api/servers//context7/tools')).json).toMatchObject({
      path: '/context7',
      num_tools: 1,
      tools: [{ name: 't', description: 'd' }],
    });
    await register({ path: '/team/tools' });
    expect((await served.ask('GET', '/api/servers/%2Fteam%2Ftools')).json.path).toBe('/team/tools');
    expect((await served.ask('GET', '/api/servers//team/tools/tools')).json.path).toBe('/team/tools');
  });

  it('is rated', async () => {
    await served.send('POST', '/api/servers/context7/rate', { rating: 5, user: 'ada' });
    const rated = await served.send('POST', '/api/servers/context7/rate', { rating: 2 });
    expect(rated.json).toEqual({ message: 'Rating saved.', average_rating: 3.5 });
    expect((await served.ask('GET', '/api/servers/context7/rating')).json).toEqual({
      num_stars: 3.5,
      rating_details: [
        { user: 'ada', rating: 5 },
        { user: 'anonymous', rating: 2 },
      ],
    });
    expect((await served.ask('GET', '/api/servers')).json.servers[0].num_stars).toBe(3.5);
  });

  it('is found as a duplicate', async () => {
    const asked = { name: 'context7', url: 'https://context7.test/mcp/', description: null };
    const { json } = await served.send('POST', '/api/servers/check-duplicates', asked);
    expect(json).toMatchObject({ has_collision: true, threshold: 0.7, similarity_search_available: false });
    expect(json.collision_with[0]).toMatchObject({ path: '/context7', reasons: ['url', 'name'] });
    const long = await served.send('POST', '/api/servers/check-duplicates', { name: 'x'.repeat(201) });
    expect(long.error?.field).toBe('name');
  });
});

describe('the typed client', () => {
  it('calls these routes as it calls any other', async () => {
    const client = createClient({ baseUrl: served.url });
    const tool_list_json = [{ name: 't' }];
    await client.registerServer({ body: { ...FORM, path: '/team/x', tags: ['a'], tool_list_json } });
    const { servers, total_count } = await client.listMcpServers({ query: { query: 'context', limit: 5 } });
    expect([total_count, servers[0]?.num_tools]).toEqual([1, 1]);
    expect((await client.listServerTools({ params: { path: '/team/x' } })).tools[0]?.name).toBe('t');
    const changed = await client.patchServer({ params: { path: '/team/x' }, body: { tags: null } });
    expect(changed.tags).toEqual([]);
    await client.registerAgent({ body: { name: 'A', url: 'https://a.test' } });
    expect(await client.toggleAgent({ params: { path: '/a' }, query: { enabled: false } })).toMatchObject({
      is_enabled: false,
    });
    expect(await client.deleteServer({ params: { path: '/team/x' } })).toBeUndefined();
  });
});

describe('a server that was read and sent back', () => {
  it('is as it was, with the examples of its tools', async () => {
    const tool_list_json = '[{"name": "a", "examples": ["what is new"], "schema": {"type": "object"}}, {"name": "b"}]';
    await register({ tool_list_json });
    const { entity } = await served.registry.get('mcp_server', '/context7');
    const { json } = await served.ask('GET', '/api/servers/context7');
    expect(json.tool_list[0].examples).toEqual(['what is new']);
    expect((await served.send('PUT', '/api/servers/context7', json)).status).toBe(200);
    expect((await served.registry.get('mcp_server', '/context7')).entity).toEqual(entity);
  });
});

describe('a server whose path ends like a route', () => {
  it.each(['tools', 'rating'])('is read at .../%s while nothing is registered above it', async (tail) => {
    await register({ path: `/kit/${tail}` });
    expect((await served.ask('GET', `/api/servers/kit/${tail}`)).json).toMatchObject({ path: `/kit/${tail}` });
    expect((await served.ask('GET', `/api/servers/kit/${tail}/${tail}`)).status).toBe(200);
    await register({ path: '/kit' });
    expect((await served.ask('GET', `/api/servers/kit/${tail}`)).json).not.toMatchObject({ path: `/kit/${tail}` });
  });
});
