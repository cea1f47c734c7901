import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type ServedRegistry, serveRegistry } from '../../../test/support/served-registry.ts';

let served: ServedRegistry;
beforeEach(async () => {
  served = await serveRegistry();
});
afterEach(() => served.close());

const register = (fields: Record<string, string>) =>
  served.form('/api/servers/register', {
    name: 'Context7',
    description: 'Current documentation',
    path: '/context7',
    proxy_pass_url: 'https://context7.test',
    ...fields,
  });

describe('the list of servers', () => {
  beforeEach(async () => {
    await register({ path: '/b', name: 'Beta', tags: 'AWS', metadata: '{"team": {"x": 1, "y": 2}}' });
    await register({ path: '/a', name: 'alpha', status: 'draft', tool_list_json: '[{"name": "t"}]' });
  });
  const list = async (query: string) => (await served.ask('GET', `/api/servers${query}`)).json;

  it('has pages, filters and the total', async () => {
    expect(await list('?limit=1')).toMatchObject({ total_count: 2, limit: 1, offset: 0, has_next: true });
    expect((await list('?query=AWS')).servers.map(({ path }: { path: string }) => path)).toEqual(['/b']);
    expect((await list('?query=aws&offset=1')).servers).toEqual([]);
    expect((await list('?status=draft')).servers[0].path).toBe('/a');
  });

  it('leaves out tools and metadata on request', async () => {
    expect((await list('')).servers[0].tool_list).toEqual([{ name: 't', description: '' }]);
    expect((await list('?include_tools=false')).servers[0]).not.toHaveProperty('tool_list');
    expect((await list('?metadata_fields=team.x&query=beta')).servers[0].metadata).toEqual({ team: { x: 1 } });
  });

  it.each([
    ['limit=0', 'limit'],
    ['limit=2001', 'limit'],
    ['limit=many', 'limit'],
    ['offset=-1', 'offset'],
    ['status=asleep', 'status'],
    ['include_tools=perhaps', 'include_tools'],
    ['metadata_fields=a..b', 'metadata_fields'],
    [`query=${'x'.repeat(513)}`, 'query'],
  ])('refuses ?%s', async (query, field) => {
    const { status, error } = await served.ask('GET', `/api/servers?${query}`);
    expect([status, error?.code, error?.field]).toEqual([422, 'INVALID_REQUEST', field]);
  });
});

describe('tags', () => {
  it('are listed', async () => {
    await register({ tags: 'b,A' });
    expect((await served.ask('GET', '/api/search/tags')).json).toEqual({
      tags: ['A', 'b'],
      counts: [
        { tag: 'A', count: 1 },
        { tag: 'b', count: 1 },
      ],
      total_count: 2,
    });
    expect((await served.ask('GET', '/api/search/tags?limit=1')).json).toMatchObject({ tags: ['A'], total_count: 2 });
  });
});
