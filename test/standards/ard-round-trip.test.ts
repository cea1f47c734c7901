import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openSource } from '../../src/sources/open/open-source.ts';
import { DEFAULT_LIMITS, type SourceItem } from '../../src/sources/source.ts';
import { DocumentServer } from '../support/document-server.ts';
import { faultsOf } from '../support/standard-schemas.ts';
import { standardsServer, type TestServer } from '../support/standards-server.ts';

const context = { env: {}, version: '0', limits: DEFAULT_LIMITS };
const { signal } = new AbortController();

const CARD = { name: 'com.acme/weather', description: 'Forecasts.', version: '1.0.0', title: 'Weather' };
const AGENT = {
  name: 'Planner',
  description: 'Plans trips.',
  version: '1.0.0',
  supportedInterfaces: [{ url: 'https://a.acme.com', protocolBinding: 'JSONRPC', protocolVersion: '1.0' }],
  skills: [{ id: 'plan', name: 'Plan', description: 'Plans.', tags: [] }],
};
const SKILL = '---\nname: knots\ndescription: Ties knots\n---\n# Bowline\n';

const WEATHER = {
  '@context': ['https://agenticresourcediscovery.org/context/v1', { acme: 'https://acme.com/ns#' }],
  identifier: 'urn:air:acme.com:tools:Weather_2',
  displayName: 'Acme Weather',
  type: 'application/mcp-server+json',
  url: '/weather.json',
  description: 'What the sky will do.',
  capabilities: ['forecast', 'radar'],
  tags: ['sky'],
  'acme:region': 'eu',
  trustManifest: { identity: 'did:web:acme.com', attestations: [{ type: 'SOC2' }] },
};
const ENTRIES = [
  WEATHER,
  {
    identifier: 'urn:ai:acme.com:agents:planner',
    displayName: 'Trip planner',
    mediaType: 'application/a2a-agent-card+json',
    data: AGENT,
  },
  {
    identifier: 'urn:air:acme.com:skills/knots',
    displayName: 'Knots',
    type: 'application/ai-skill; charset=utf-8',
    url: '/SKILL.md',
  },
];

let publisher: DocumentServer;
let pages: Record<string, unknown>;
beforeEach(async () => {
  pages = {
    '/.well-known/ard.json': { specVersion: '1.0', entries: ENTRIES },
    '/weather.json': CARD,
    '/SKILL.md': SKILL,
  };
  publisher = await DocumentServer.open();
  publisher.answer((url) => (Object.hasOwn(pages, url.pathname) ? { body: pages[url.pathname] } : undefined));
});
afterEach(() => publisher.close());

async function itemsAt(address: string): Promise<SourceItem[]> {
  const items: SourceItem[] = [];
  const source = await openSource({ what: address }, context, signal);
  expect(source.kind).toBe('ard');
  for await (const item of source.read(signal)) items.push(item);
  return items;
}
const entitiesIn = (items: readonly SourceItem[]) => items.flatMap((item) => ('entity' in item ? [item.entity] : []));
const identifiersIn = (items: readonly SourceItem[]) => items.map(({ part }) => part);

describe('entries of a publisher', () => {
  let site: TestServer;
  beforeEach(async () => {
    site = await standardsServer(entitiesIn(await itemsAt(publisher.url)));
  });
  afterEach(() => site.close());
  const read = (identifier: string) => site.get(`/ard/agents/${encodeURIComponent(identifier)}`);

  it('are listed under their own identifiers', async () => {
    const { json } = await site.get('/ard/agents?orderBy=identifier');
    expect(faultsOf('ardList', json)).toEqual([]);
    expect(json.items.map((item: { identifier: string }) => item.identifier)).toEqual(
      ENTRIES.map(({ identifier }) => identifier).sort(),
    );
    const found = await site.post('/ard/search', { query: { text: 'weather', filter: { publisher: 'acme.com' } } });
    expect(found.json.results[0]).toMatchObject({ identifier: WEATHER.identifier, displayName: 'Acme Weather' });
    const listed = await site.get(`/ard/agents?filter=${encodeURIComponent("publisherId = 'acme.com'")}`);
    expect(listed.json.total).toBe(3);
  });

  it('keep their name, capabilities, description, terms and trust manifest', async () => {
    const { status, json } = await read(WEATHER.identifier);
    expect([status, faultsOf('ardEntry', json)]).toEqual([200, []]);
    const { type: _type, url: _url, ...kept } = WEATHER;
    expect(json).toMatchObject({
      ...kept,
      type: 'application/mcp-server-card+json',
      url: `${publisher.url}/weather.json`,
    });
  });

  it('have a document here if it came inside the entry', async () => {
    const { json } = await read('urn:ai:acme.com:agents:planner');
    expect(json).toMatchObject({ displayName: 'Trip planner', type: 'application/a2a-agent-card+json' });
    const document = await site.get(json.url.slice(site.url.length));
    expect(document.json).toMatchObject(AGENT);
  });

  it('have one of the known media types', async () => {
    const { json } = await read('urn:air:acme.com:skills/knots');
    expect(json.type).toBe('application/ai-skill+md');
    expect((await read('urn:air:acme.com:tools:weather_2')).status).toBe(404);
    expect((await read('urn:air:127.0.0.1:server:acme.com')).status).toBe(404);
  });

  it.each([
    ['application/mcp-server-card+json', WEATHER.identifier],
    ['application/mcp-server+json', WEATHER.identifier],
    ['application/ai-skill', 'urn:air:acme.com:skills/knots'],
    ['Application/AI-Skill+md; charset=utf-8', 'urn:air:acme.com:skills/knots'],
    ['application/agent-card+json', 'urn:ai:acme.com:agents:planner'],
  ])('are filtered by any media type of their kind: %s', async (type, identifier) => {
    const identifiersOf = (entries: readonly { identifier: string }[]) => entries.map((entry) => entry.identifier);
    const query = { text: 'weather trip knots', filter: { type } };
    expect(identifiersOf((await site.post('/ard/search', { query })).json.results)).toEqual([identifier]);
    const listed = await site.get(`/ard/agents?filter=${encodeURIComponent(`type = '${type}'`)}`);
    expect(identifiersOf(listed.json.items)).toEqual([identifier]);
    const facets = [{ field: 'identifier', limit: 5, minCount: 1 }];
    const counted = await site.post('/ard/explore', { query: { filter: { type } }, resultType: { facets } });
    expect(counted.json.facets.identifier.buckets).toEqual([{ value: identifier, count: 1 }]);
  });

  it('are in the catalogs, which are valid', async () => {
    const { headers, text } = await site.get('/.well-known/ai-catalog.json');
    expect(headers.get('content-type')).toBe('application/ai-catalog+json');
    const catalog = JSON.parse(text);
    expect(faultsOf('aiCatalog', catalog)).toEqual([]);
    const identifiers = catalog.entries.map((entry: { identifier: string }) => entry.identifier);
    for (const { identifier } of ENTRIES) expect(identifiers).toContain(identifier);
    expect(identifiers).toContain('urn:air:127.0.0.1:dowser:mcp');
    expect(faultsOf('mcpCatalog', (await site.get('/.well-known/mcp/catalog.json')).json)).toEqual([]);
  });

  it('are read by another Dowser as they were', async () => {
    const again = await standardsServer(entitiesIn(await itemsAt(`${site.url}/.well-known/ai-catalog.json`)));
    const { json } = await again.get(`/ard/agents/${encodeURIComponent(WEATHER.identifier)}`);
    expect(json).toMatchObject({
      identifier: WEATHER.identifier,
      displayName: 'Acme Weather',
      url: `${publisher.url}/weather.json`,
    });
    await again.close();
  });
});

describe('two entries with one identifier', () => {
  it('do not share it, and nobody takes an identifier of this registry', async () => {
    const ard_entry = { identifier: 'urn:air:acme.com:tools:x', displayName: 'X' };
    const claimed = { identifier: 'urn:air:127.0.0.1:server:clock', displayName: 'Not the clock' };
    const site = await standardsServer([
      { type: 'mcp_server', path: '/a', name: 'A', ard_entry },
      { type: 'mcp_server', path: '/b', name: 'B', ard_entry },
      { type: 'mcp_server', path: '/clock', name: 'Clock' },
      { type: 'mcp_server', path: '/zz', name: 'Z', ard_entry: claimed },
    ]);
    const { json } = await site.get('/ard/agents');
    const identifiers = json.items.map((item: { identifier: string }) => item.identifier);
    expect(identifiers.slice(0, 2).sort()).toEqual(['urn:air:127.0.0.1:server:b', 'urn:air:127.0.0.1:server:clock']);
    const clock = await site.get(`/ard/agents/${encodeURIComponent('urn:air:127.0.0.1:server:clock')}`);
    expect(clock.json.displayName).toBe('Clock');
    await site.close();
  });
});

describe('a manifest', () => {
  const html = (head: string) => `<!doctype html><html><head>${head}</head><body></body></html>`;

  it.each([
    ['<link rel="ard" href="/deep/agents.json">'],
    ["<link href='deep/agents.json' rel='alternate ARD'/>"],
    ['<!-- <link rel="ard" href="/wrong.json"> --><link rel=ard type=application/json href=/deep/agents.json>'],
  ])('is found by %s', async (link) => {
    pages = { '/': html(link), '/deep/agents.json': { entries: [ENTRIES[1]] } };
    expect(identifiersIn(await itemsAt(`${publisher.url}/`))).toEqual(['urn:ai:acme.com:agents:planner']);
  });

  it('is read with the catalogs inside it, each once', async () => {
    const catalog = (name: string, more: Record<string, unknown>) => ({
      identifier: `urn:air:acme.com:catalogs:${name}`,
      type: 'application/ai-catalog+json',
      ...more,
    });
    pages = {
      '/.well-known/ard.json': {
        entries: [
          catalog('near', { url: '/near.json' }),
          catalog('inside', { data: { entries: [ENTRIES[1]] } }),
          catalog('again', { url: '/near.json' }),
          catalog('gone', { url: '/gone.json' }),
          {
            identifier: 'urn:air:other.com:registry:x',
            type: 'application/ai-registry+json',
            url: 'https://other.com',
          },
        ],
      },
      '/near.json': { entries: [ENTRIES[2], catalog('loop', { url: '/.well-known/ard.json' })] },
      '/SKILL.md': SKILL,
    };
    const items = await itemsAt(publisher.url);
    expect(identifiersIn(items)).toEqual([
      'urn:air:other.com:registry:x',
      'urn:air:acme.com:skills/knots',
      'urn:ai:acme.com:agents:planner',
      'urn:air:acme.com:catalogs:gone',
    ]);
    expect(items[0]).toHaveProperty('skipped');
    expect(items[3]).toHaveProperty('problem');
  });

  it('may not nest without end', async () => {
    const nested = (depth: number): unknown => ({
      entries: [
        depth === 0
          ? ENTRIES[1]
          : { identifier: `urn:air:acme.com:c:${depth}`, type: 'application/ai-catalog+json', data: nested(depth - 1) },
      ],
    });
    pages = { '/.well-known/ard.json': nested(4) };
    expect(entitiesIn(await itemsAt(publisher.url))).toHaveLength(1);
    pages = { '/.well-known/ard.json': nested(5) };
    expect((await itemsAt(publisher.url))[0]).toHaveProperty('problem');
  });

  it('keeps a trust manifest only of its publisher', async () => {
    const of = (identity: string) => ({ ...ENTRIES[1], trustManifest: { identity } });
    for (const [identity, kept] of [
      ['https://agents.acme.com/id', true],
      ['did:web:evil.com', false],
      ['did:web:notacme.com', false],
    ] as const) {
      pages = { '/.well-known/ard.json': { entries: [of(identity)] } };
      const [item] = await itemsAt(publisher.url);
      expect([identity, JSON.stringify(item).includes('"trustManifest"')]).toEqual([identity, kept]);
      expect((item as unknown as { warnings: string[] }).warnings.length > 0).toBe(!kept);
    }
  });
});

describe('referrals', () => {
  it('name the registries of the setting', async () => {
    const site = await standardsServer([{ type: 'mcp_server', path: '/clock', name: 'Clock' }], {
      ard_referrals: 'https://ard.example.com, https://other.example.com/ard/',
    });
    const referralsFor = async (federation?: string) =>
      (
        await site.post('/ard/search', {
          query: { text: 'clock' },
          ...(federation === undefined ? {} : { federation }),
        })
      ).json.referrals;
    const referrals = await referralsFor('referrals');
    for (const entry of referrals) expect(faultsOf('ardEntry', entry)).toEqual([]);
    expect(referrals.map(({ type, url }: Record<string, string>) => [type, url])).toEqual([
      ['application/ai-registry+json', 'https://ard.example.com'],
      ['application/ai-registry+json', 'https://other.example.com/ard'],
    ]);
    expect(await referralsFor()).toEqual(referrals);
    expect(await referralsFor('none')).toBeUndefined();
    await site.close();
  });
});

describe('a server card', () => {
  it('is valid by its schema, ours and that of any server', async () => {
    const site = await standardsServer([
      {
        type: 'mcp_server',
        path: '/all',
        name: 'All',
        repository: 'https://github.com/acme/all',
        local_runtime: { type: 'npx', package: 'all' },
        server_json: { icons: [{ src: 'https://acme.com/i.png', extra: 1 }], _meta: { 'com.acme/x': 1 } },
        metadata: {
          remotes: [
            {
              type: 'streamable-http',
              url: 'https://{tenant}.acme.com/mcp',
              extra: true,
              variables: { tenant: { isRequired: true, extra: 1 }, odd: 7 },
              headers: [{ name: 'X-Key', isSecret: true, extra: 1, variables: { a: { default: 'b' } } }, 'odd'],
            },
          ],
        },
      },
    ]);
    const own = await site.get('/mcp/server-card');
    expect(faultsOf('serverCard', JSON.parse(own.text))).toEqual([]);
    const { text } = await site.get(`/ard/artifacts/${encodeURIComponent('urn:air:127.0.0.1:server:all')}`);
    expect(faultsOf('serverCard', JSON.parse(text))).toEqual([]);
    expect(JSON.parse(text).remotes).toEqual([
      {
        type: 'streamable-http',
        url: 'https://{tenant}.acme.com/mcp',
        variables: { tenant: { isRequired: true } },
        headers: [{ name: 'X-Key', isSecret: true, variables: { a: { default: 'b' } } }],
      },
    ]);
    await site.close();
  });
});
