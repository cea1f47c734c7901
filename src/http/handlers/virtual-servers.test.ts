import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type ServedRegistry, serveRegistry } from '../../../test/support/served-registry.ts';

let served: ServedRegistry;
beforeEach(async () => {
  served = await serveRegistry();
  await served.send('POST', '/api/servers/register', {
    name: 'GitHub',
    description: 'Code hosting',
    path: '/github',
    proxy_pass_url: 'https://github.test',
    version: 'v2',
    tools: [
      { name: 'search', description: 'Search repositories', inputSchema: { properties: { owner: {} } } },
      { name: 'fork', description: 'Copy a repository' },
    ],
  });
});
afterEach(() => served.close());

const MAPPING = { tool_name: 'search', alias: 'github_search', backend_server_path: '/github' };
const DEV = {
  server_name: 'Dev Tools',
  description: 'Development',
  tags: ['development'],
  tool_mappings: [MAPPING, { ...MAPPING, tool_name: 'fork', alias: 'copy', description_override: 'Own words' }],
};
const create = (more: object = {}) => served.send('POST', '/api/virtual-servers', { ...DEV, ...more });
const AT = '/api/virtual-servers/dev-tools';

describe('a virtual server', () => {
  it('is created at /virtual/<slug>, findable at once by what its backends say', async () => {
    const { status, json } = await create();
    expect([status, json]).toMatchObject([
      201,
      {
        path: '/virtual/dev-tools',
        server_name: 'Dev Tools',
        num_tools: 2,
        tool_count: 2,
        backend_count: 1,
        backend_paths: ['/github'],
        is_enabled: true,
        tool_mappings: DEV.tool_mappings,
      },
    ]);
    const query = { query: 'search repositories', entity_types: ['virtual_server'] };
    const found = await served.send('POST', '/api/search/semantic', query);
    expect(found.json.virtual_servers[0]).toMatchObject({ path: '/virtual/dev-tools', backend_paths: ['/github'] });
  });

  it('shows its tools with the words and the schema behind them', async () => {
    await create();
    const { json } = await served.ask('GET', `${AT}/tools`);
    expect(json.tools).toEqual([
      {
        name: 'github_search',
        description: 'Search repositories',
        inputSchema: { properties: { owner: {} } },
        tool_name: 'search',
        backend_server_path: '/github',
        backend_version: null,
        available: true,
      },
      expect.objectContaining({ name: 'copy', description: 'Own words', inputSchema: null, available: true }),
    ]);
    await served.form('/api/servers/remove', { path: '/github' });
    const after = (await served.ask('GET', `${AT}/tools`)).json.tools;
    expect(after.map(({ available }: { available: boolean }) => available)).toEqual([false, false]);
  });

  it('may wait for a backend that is not there yet', async () => {
    const { status, json } = await create({ tool_mappings: [{ tool_name: 'x', backend_server_path: '/later' }] });
    expect([status, json.warnings]).toEqual([201, ["Tool 'x' is mapped to '/later', which is not registered."]]);
  });

  it.each([
    ['/virtual/mine', '/virtual/mine'],
    ['virtual/mine', '/virtual/mine'],
    ['mine', '/virtual/mine'],
  ])('named %s is at %s', async (path, expected) => {
    expect((await create({ path })).json.path).toBe(expected);
  });

  it.each([
    [{ server_name: '' }, 'server_name'],
    [{ server_name: 'n'.repeat(129) }, 'server_name'],
    [{ server_name: '!!!' }, 'path'],
    [{ path: '/virtual/a/b' }, 'path'],
    [{ path: '' }, 'path'],
    [{ description: 'd'.repeat(2049) }, 'description'],
    [{ tags: Array(51).fill('t') }, 'tags'],
    [{ tags: ['t'.repeat(65)] }, 'tags.0'],
    [{ tool_mappings: Array(501).fill(MAPPING) }, 'tool_mappings'],
    [{ tool_mappings: [{ tool_name: 'x' }] }, 'tool_mappings.0.backend_server_path'],
    [
      { tool_mappings: [{ ...MAPPING, description_override: 'd'.repeat(1025) }] },
      'tool_mappings.0.description_override',
    ],
    [{ tool_mappings: [MAPPING, MAPPING] }, 'tool_mappings.1.alias'],
    [{ tool_mappings: 'all' }, 'tool_mappings'],
  ])('is refused with %j', async (change, field) => {
    const { status, error } = await create(change);
    expect([status, error?.code, error?.field]).toEqual([422, 'INVALID_REQUEST', field]);
    expect((await served.ask('GET', '/api/virtual-servers')).json.total_count).toBe(0);
  });

  it('is patched, replaced, sent back as it was read, and its place kept from others', async () => {
    await create();
    expect((await create()).error?.code).toBe('ALREADY_EXISTS');
    const patched = await served.send('PATCH', AT, { description: 'new' });
    expect(patched.json).toMatchObject({ description: 'new', num_tools: 2 });
    const { json } = await served.ask('GET', AT);
    const back = await served.send('PUT', AT, json);
    expect({ ...back.json, updated_at: json.updated_at }).toEqual(json);
    expect((await served.send('PUT', AT, { server_name: 'Less' })).json).toMatchObject({ num_tools: 0, tags: [] });
  });

  it('is switched off, rated, deleted, and then gone', async () => {
    await create();
    expect((await served.send('POST', `${AT}/toggle`, { enabled: 'false' })).json.is_enabled).toBe(false);
    expect((await served.ask('GET', '/api/virtual-servers?enabled_only=true')).json.total_count).toBe(0);
    expect((await served.send('POST', `${AT}/rate`, { rating: 3 })).json.average_rating).toBe(3);
    expect((await served.ask('GET', `${AT}/rating`)).json.num_stars).toBe(3);
    expect((await served.ask('DELETE', AT)).status).toBe(204);
    expect((await served.ask('GET', AT)).status).toBe(404);
    expect((await served.ask('GET', `${AT}/tools`)).status).toBe(404);
    expect((await served.send('PATCH', AT, {})).status).toBe(404);
  });
});

describe('the tool catalog', () => {
  it('lists what can be mapped to, a page at a time', async () => {
    const { json } = await served.ask('GET', '/api/tool-catalog?limit=1');
    expect(json).toEqual({
      tools: [
        {
          tool_name: 'search',
          server_path: '/github',
          server_name: 'GitHub',
          description: 'Search repositories',
          input_schema: { properties: { owner: {} } },
          available_versions: ['v2'],
        },
      ],
      server_count: 1,
      total_count: 2,
      limit: 1,
      offset: 0,
      has_next: true,
    });
    expect((await served.ask('GET', '/api/tool-catalog?query=COPY&server_path=github')).json.total_count).toBe(1);
    await served.form('/api/servers/toggle', { path: '/github', new_state: 'off' });
    expect((await served.ask('GET', '/api/tool-catalog')).json.total_count).toBe(0);
  });
});
