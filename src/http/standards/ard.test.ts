import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { faultsOf } from '../../../test/support/standard-schemas.ts';
import { standardsServer, type TestServer } from '../../../test/support/standards-server.ts';

const CARD = 'application/mcp-server-card+json';
const AGENT = 'application/a2a-agent-card+json';
const SKILL = 'application/ai-skill+md';

const clocks = Array.from({ length: 12 }, (_, i) => ({
  type: 'mcp_server',
  path: `/clock-${String(i).padStart(2, '0')}`,
  name: `Clock ${i}`,
  description: `Tells the time in zone ${i}.`,
  tags: i % 2 === 0 ? ['time', 'even'] : ['time', 'odd'],
  version: '1.0.0',
  tools: [{ name: 'now', description: 'The time now.', examples: ['what time is it', 'time in Oslo'] }],
}));
const CATALOG = [
  ...clocks,
  {
    type: 'a2a_agent',
    path: '/travel',
    name: 'Travel',
    description: 'Books a flight in time.',
    tags: ['Time'],
    url: 'https://t.example',
  },
  { type: 'skill', path: '/punctual', name: 'punctual', description: 'Be on time.', body: '# Be on time' },
  {
    type: 'virtual_server',
    path: '/virtual/time',
    name: 'All time',
    description: 'Every time tool.',
    tool_mappings: [],
  },
  {
    type: 'mcp_server',
    path: '/hidden',
    name: 'Hidden time',
    description: 'time time time',
    visibility: 'private',
    owner: 'ada',
  },
  { type: 'package', path: 'npm:time', name: 'time', description: 'time' },
];

let site: TestServer;
beforeAll(async () => {
  site = await standardsServer(CATALOG);
});
afterAll(() => site.close());

const urn = (key: string) => `urn:air:${site.host}:${key}`;
const search = (body: Record<string, unknown>) => site.post('/ard/search', body);
const identifiers = (items: readonly { identifier: string }[]) => items.map(({ identifier }) => identifier);

describe('POST /ard/search', () => {
  it('finds public entities of the types of ARD, in its format', async () => {
    const { status, json } = await search({ query: { text: 'time' }, pageSize: 100 });
    expect([status, faultsOf('ardSearch', json)]).toEqual([200, []]);
    expect(json.results).toHaveLength(15);
    expect(identifiers(json.results)).not.toContain(urn('server:hidden'));
    expect(new Set(json.results.map((item: { type: string }) => item.type))).toEqual(new Set([CARD, AGENT, SKILL]));
    expect(json).not.toHaveProperty('pageToken');
    expect(json.results[0].source).toBe(`${site.url}/ard`);
  });

  it('ranks by score, then identifier, and pages through each entry once', async () => {
    const whole = (await search({ query: { text: 'time' }, pageSize: 100 })).json.results;
    const order = whole.map(({ score, identifier }: { score: number; identifier: string }) => [-score, identifier]);
    expect(order).toEqual([...order].sort(([a, x], [b, y]) => a - b || (x < y ? -1 : 1)));
    const seen: string[] = [];
    let pageToken: string | undefined;
    do {
      const { json } = await search({
        query: { text: 'time' },
        pageSize: 4,
        ...(pageToken === undefined ? {} : { pageToken }),
      });
      seen.push(...identifiers(json.results));
      pageToken = json.pageToken;
    } while (pageToken !== undefined);
    expect(seen).toEqual(identifiers(whole));
  });

  it.each([
    [{ type: AGENT }, 1],
    [{ type: [AGENT, SKILL] }, 2],
    [{ type: 'application/ai-registry+json' }, 0],
    [{ tags: ['even'] }, 6],
    [{ tags: ['EVEN', 'odd'] }, 12],
    [{ tags: ['even'], type: AGENT }, 0],
    [{ capabilities: 'now', tags: 'odd' }, 6],
    [{ publisher: 'elsewhere.example' }, 0],
    [{ 'metadata.entity_type': 'virtual_server' }, 1],
  ])('with the filter %j finds %i', async (filter, count) => {
    const { json } = await search({ query: { text: 'time', filter }, pageSize: 100 });
    expect(json.results).toHaveLength(count);
  });

  it('has 10 results by default, and referrals when they are asked for', async () => {
    const { json } = await search({ query: { text: 'time' }, federation: 'referrals' });
    expect([json.results.length, json.referrals]).toEqual([10, []]);
  });

  it.each([
    [{}, 'query'],
    [{ query: {} }, 'query.text'],
    [{ query: { text: '  ' } }, 'query.text'],
    [{ query: { text: 'x'.repeat(8193) } }, 'query.text'],
    [{ query: { text: 'x', filter: { color: 'red' } } }, 'query.filter.color'],
    [{ query: { text: 'x', filter: { tags: 7 } } }, 'query.filter.tags'],
    [{ query: { text: 'x' }, pageSize: 0 }, 'pageSize'],
    [{ query: { text: 'x' }, pageSize: 101 }, 'pageSize'],
    [{ query: { text: 'x' }, federation: 'everywhere' }, 'federation'],
    [{ query: { text: 'x' }, pageToken: 'nonsense' }, 'pageToken'],
    [[], 'request'],
    ['{"query": ', 'JSON'],
    ['', 'JSON'],
  ])('refuses %j by the code of ARD', async (body, named) => {
    const { status, json } = await site.post('/ard/search', body);
    expect([status, faultsOf('ardError', json), json.errorCode]).toEqual([400, [], 'INVALID_ARGUMENT']);
    expect(json.message).toContain(named);
  });

  it('finds nothing without an error', async () => {
    expect((await search({ query: { text: 'zymurgy' } })).json).toEqual({ results: [] });
  });
});

describe('POST /ard/explore', () => {
  const explore = (query: unknown, ...facets: unknown[]) =>
    site.post('/ard/explore', { query, resultType: { facets } });

  it('counts the whole registry when nothing is asked for', async () => {
    const { status, json } = await explore(undefined, { field: 'type' }, { field: 'publisher' });
    expect([status, faultsOf('ardExplore', json)]).toEqual([200, []]);
    expect(json.facets.type.buckets).toEqual([
      { value: CARD, count: 13 },
      { value: AGENT, count: 1 },
      { value: SKILL, count: 1 },
    ]);
    expect(json.facets.publisher.buckets).toEqual([{ value: site.host, count: 15 }]);
  });

  it('counts exactly what a search finds', async () => {
    const query = { text: 'time', filter: { type: CARD } };
    const found = (await search({ query, pageSize: 100 })).json.results;
    const { json } = await explore(query, { field: 'identifier', limit: 1000 });
    const counted = json.facets.identifier.buckets.map(({ value }: { value: string }) => value);
    expect(counted.sort()).toEqual(identifiers(found).sort());
    expect(counted.length).toBeGreaterThan(0);
  });

  it('cuts at the limit and counts the rest', async () => {
    const { json } = await explore({ filter: { type: CARD } }, { field: 'displayName', limit: 3 });
    expect([json.facets.displayName.buckets.length, json.facets.displayName.otherCount]).toEqual([3, 10]);
  });

  it.each([
    [{ resultType: { facets: [] } }, 'resultType.facets'],
    [{ resultType: { facets: [{ field: 'color' }] } }, 'resultType.facets.0.field'],
    [{ resultType: { facets: [{ field: 'type', limit: 0 }] } }, 'resultType.facets.0.limit'],
    [{}, 'resultType'],
  ])('refuses %j', async (body, field) => {
    const { status, json } = await site.post('/ard/explore', body);
    expect([status, json.errorCode]).toEqual([400, 'INVALID_ARGUMENT']);
    expect(json.message).toContain(field);
  });
});

describe('GET /ard/agents', () => {
  it('lists entries by identifier, 20 a page', async () => {
    const { status, json } = await site.get('/ard/agents');
    expect([status, faultsOf('ardList', json), json.total]).toEqual([200, [], 15]);
    expect(identifiers(json.items)).toEqual([...identifiers(json.items)].sort());
  });

  it.each(['', 'displayName', 'displayName DESC', 'updatedAt DESC', 'createdAt'])(
    'pages through each entry once, ordered by %j',
    async (orderBy) => {
      const query = `orderBy=${encodeURIComponent(orderBy)}&pageSize=4`;
      const seen: string[] = [];
      let token = '';
      do {
        const { json } = await site.get(`/ard/agents?${query}${token === '' ? '' : `&pageToken=${token}`}`);
        expect(faultsOf('ardList', json)).toEqual([]);
        seen.push(...identifiers(json.items));
        token = json.pageToken ?? '';
      } while (token !== '');
      expect([seen.length, new Set(seen).size]).toEqual([15, 15]);
    },
  );

  it('accepts a filter, and refuses an invalid one', async () => {
    const filter = encodeURIComponent(`type = '${AGENT}, ${SKILL}' AND createdAfter > '2020-01-01'`);
    expect((await site.get(`/ard/agents?filter=${filter}`)).json.total).toBe(2);
    for (const [query, field] of [
      ['filter=type', 'filter'],
      ['orderBy=relevance', 'orderBy'],
      ['pageSize=0', 'pageSize'],
      ['pageSize=101', 'pageSize'],
      ['pageToken=x', 'pageToken'],
    ]) {
      const { status, json } = await site.get(`/ard/agents?${query}`);
      expect([status, json.errorCode]).toEqual([400, 'INVALID_ARGUMENT']);
      expect(json.message).toContain(`'${field}'`);
    }
  });
});

describe('GET /ard/agents/{identifier}', () => {
  const at = (identifier: string) => `/ard/agents/${encodeURIComponent(identifier)}`;

  it('reads a whole entry, without what only a search adds', async () => {
    const { status, json, headers } = await site.get(at(urn('server:clock-00')));
    expect([status, faultsOf('ardEntry', json)]).toEqual([200, []]);
    expect(json).toMatchObject({
      displayName: 'Clock 0',
      capabilities: ['now'],
      representativeQueries: ['what time is it', 'time in Oslo'],
      metadata: { entity_type: 'mcp_server', path: '/clock-00', status: 'active' },
    });
    expect(json).not.toHaveProperty('score');
    expect(headers.get('cache-control')).toBe('public, max-age=60');
  });

  it('answers 304 until the entry changes', async () => {
    const path = at(urn('server:clock-11'));
    const etag = (await site.get(path)).headers.get('etag') ?? '';
    expect(etag).toMatch(/^"[\w-]+"$/);
    for (const tags of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
      const again = await site.get(path, { 'If-None-Match': tags });
      expect([again.status, again.text, again.headers.get('etag')]).toEqual([304, '', etag]);
    }
    await site.registry.put({ ...clocks[11], description: 'Stopped.' });
    const changed = await site.get(path, { 'If-None-Match': etag });
    expect([changed.status, changed.json.description]).toEqual([200, 'Stopped.']);
  });

  it('reads every entry of the list', async () => {
    for (const identifier of identifiers((await site.get('/ard/agents?pageSize=100')).json.items)) {
      expect((await site.get(at(identifier))).json.identifier).toBe(identifier);
    }
  });

  it.each(['server:nobody', 'server:hidden', 'server:CLOCK-00', 'agent:clock-00'])('does not know %s', async (key) => {
    const { status, json, headers } = await site.get(at(urn(key)));
    expect([status, json.errorCode, headers.get('cache-control')]).toEqual([404, 'NOT_FOUND', 'no-store']);
  });

  it('does not answer for another domain', async () => {
    expect((await site.get(at('urn:air:elsewhere.example:server:clock-00'))).json.errorCode).toBe('NOT_FOUND');
  });

  it('decodes once, and refuses an invalid identifier', async () => {
    const twice = encodeURIComponent(encodeURIComponent(urn('server:clock-00')));
    for (const target of [
      `/ard/agents/${twice}`,
      '/ard/agents/clock-00',
      '/ard/agents/urn%3Aair%3Ax',
      '/ard/agents/%zz',
    ]) {
      const { status, text } = await site.raw(target);
      expect([target, status, JSON.parse(text).errorCode]).toEqual([target, 400, 'INVALID_ARGUMENT']);
    }
  });
});

describe('what an entry points to', () => {
  it.each([
    ['server:clock-00', CARD, '"name":"local.dowser/clock-00"'],
    ['agent:travel', AGENT, '"url":"https://t.example"'],
    ['skill:punctual', SKILL, '# Be on time'],
  ])('of %s is a document of type %s', async (key, type, part) => {
    const { url } = (await site.get(`/ard/agents/${encodeURIComponent(urn(key))}`)).json;
    const { status, headers, text } = await site.get(url.slice(site.url.length));
    expect([status, headers.get('content-type')]).toEqual([200, type]);
    expect(text).toContain(part);
    expect(headers.get('etag')).not.toBeNull();
  });
});

describe('what others look for first', () => {
  it('is a manifest that leads to this registry', async () => {
    const { status, json } = await site.get('/.well-known/ard.json');
    expect([status, faultsOf('ardManifest', json)]).toEqual([200, []]);
    const registry = json.entries.find((entry: { type: string }) => entry.type === 'application/ai-registry+json');
    const found = await site.post(`${registry.url.slice(site.url.length)}/search`, { query: { text: 'time' } });
    expect(found.status).toBe(200);
  });

  it('is a catalog of the MCP servers', async () => {
    const { json } = await site.get('/.well-known/mcp/catalog.json');
    expect(faultsOf('mcpCatalog', json)).toEqual([]);
    expect(json.entries).toHaveLength(13);
    const own = await site.get(json.entries[0].url.slice(site.url.length));
    expect(own.headers.get('content-type')).toBe(CARD);
    expect(own.json.remotes).toEqual([{ type: 'streamable-http', url: `${site.url}/mcp` }]);
  });

  it('uses the public address if there is one', async () => {
    const other = await standardsServer([clocks[0]], { public_url: 'https://tools.example.com' });
    const { json } = await other.get('/ard/agents');
    expect(json.items[0].identifier).toBe('urn:air:tools.example.com:server:clock-00');
    expect(json.items[0].url).toMatch(/^https:\/\/tools\.example\.com\/ard\/artifacts\//);
    const card = (await other.get('/.well-known/agent-card.json')).json;
    expect(card.supportedInterfaces[0].url).toBe('https://tools.example.com/a2a');
    await other.close();
  });

  it('may be read by pages of any site where there is a public address, and by none without', async () => {
    const open = await standardsServer([clocks[0]], { public_url: 'https://tools.example.com' });
    const entry = `/ard/agents/${encodeURIComponent('urn:air:tools.example.com:server:clock-00')}`;
    const wellKnown = ['ard.json', 'mcp/catalog.json', 'agent-card.json'].map((name) => `/.well-known/${name}`);
    for (const path of ['/ard/agents', entry, ...wellKnown]) {
      const { status, headers } = await open.get(path, { Origin: 'https://portal.example' });
      expect([path, status, headers.get('access-control-allow-origin')]).toEqual([path, 200, '*']);
      const refused = await site.get(path, { Origin: 'https://portal.example' });
      expect([path, refused.status, refused.headers.get('access-control-allow-origin')]).toEqual([path, 403, null]);
    }
    await open.close();
  });
});

describe('errors under /ard', () => {
  it.each([
    ['GET', '/ard/search', 405, 'INVALID_ARGUMENT'],
    ['GET', '/ard/nothing', 404, 'NOT_FOUND'],
  ])('of %s %s keep to its form', async (method, path, status, errorCode) => {
    const answer = await site.get(path, {}, method);
    expect([answer.status, answer.json.errorCode, faultsOf('ardError', answer.json)]).toEqual([status, errorCode, []]);
  });

  it('hide the details of an internal error', async () => {
    const broken = await standardsServer();
    await broken.registry.close();
    const { status, json } = await broken.get('/ard/agents');
    expect([status, json.errorCode]).toEqual([503, 'INTERNAL_ERROR']);
    await broken.close();
  });
});
