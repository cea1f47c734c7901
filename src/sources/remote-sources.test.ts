// biome-ignore-all lint/suspicious/noTemplateCurlyInString: references of this shape are what is tested.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DocumentServer } from '../../test/support/document-server.ts';
import { agentCardSource, cardAddresses } from './kinds/agent-card-source.ts';
import { ardUrlSource } from './kinds/ard-source.ts';
import { registrySource, serverListAddress } from './kinds/registry-source.ts';
import { serverUrlSource } from './kinds/server-source.ts';
import { skillUrlSource } from './kinds/skill-source.ts';
import { DEFAULT_LIMITS, type Source, type SourceItem } from './source.ts';

let site: DocumentServer;
beforeEach(async () => {
  site = await DocumentServer.open();
});
afterEach(() => site.close());

const limits = { ...DEFAULT_LIMITS, listMs: 1000, maxBytes: 20_000 };
const context = { env: { KEY: 'opensesame1' }, version: '0', limits };
const signal = new AbortController().signal;

async function itemsOf(source: Source): Promise<SourceItem[]> {
  const items: SourceItem[] = [];
  for await (const item of source.read(signal)) items.push(item);
  return items;
}
/** Answers by path alone. */
const pages = (table: Readonly<Record<string, unknown>>) => (url: URL) =>
  Object.hasOwn(table, url.pathname) ? { body: table[url.pathname] } : undefined;

const CARD = {
  name: 'Gardener',
  description: 'Waters plants',
  url: 'https://garden.example/a2a',
  protocolVersion: '0.3.0',
  version: '2.0.0',
  skills: [{ id: 'water', name: 'Water', description: 'Water a bed', tags: ['garden'] }],
};

describe('an agent card', () => {
  it('is found at its well-known places', async () => {
    expect(cardAddresses('https://x.example')).toEqual([
      'https://x.example/.well-known/agent-card.json',
      'https://x.example/.well-known/agent.json',
    ]);
    expect(cardAddresses('https://x.example/card.json')).toEqual(['https://x.example/card.json']);
    site.answer(pages({ '/.well-known/agent.json': CARD }));
    const [item] = await itemsOf(agentCardSource({ url: site.url }, context));
    expect(item).toMatchObject({ entity: { type: 'a2a_agent', name: 'Gardener', skills: [{ id: 'water' }] } });
  });

  it('is sent for with the headers it wants, and keeps only their names', async () => {
    site.answer(pages({ '/card.json': CARD }));
    const source = agentCardSource(
      { url: `${site.url}/card.json`, headers: { Authorization: 'Bearer opensesame1' } },
      context,
    );
    await itemsOf(source);
    expect(site.requests[0]!.headers.authorization).toBe('Bearer opensesame1');
    expect(source.locator).toEqual({
      url: `${site.url}/card.json`,
      headers: { Authorization: 'Bearer ${AUTHORIZATION}' },
    });
  });

  it('that repeats the key it was sent, also encoded, leaves no trace of it', async () => {
    const echo = ['opensesame1', Buffer.from('user:opensesame1').toString('base64')];
    site.answer(() => ({ body: { ...CARD, description: `Signed in with ${echo.join(' and ')}` } }));
    const [item] = await itemsOf(agentCardSource({ url: site.url, headers: { 'X-Key': '${KEY}' } }, context));
    expect(JSON.stringify(item)).toContain('Signed in with [redacted] and');
    for (const text of echo) expect(JSON.stringify(item)).not.toContain(text);
  });

  it('that repeats a key that is a common word leaves no trace of it either', async () => {
    site.answer(() => ({ body: { ...CARD, description: 'Signed in with opensesame, in production' } }));
    const headers = { 'X-Key': 'opensesame', 'X-Stage': 'production' };
    const [item] = await itemsOf(agentCardSource({ url: site.url, headers }, context));
    expect(JSON.stringify(item)).toContain('Signed in with [redacted], in production');
  });

  it('says that there is none, without the secret of the address', async () => {
    const source = agentCardSource({ url: `${site.url}/\${KEY}/?token=\${KEY}` }, context);
    await expect(itemsOf(source)).rejects.toThrow(
      expect.objectContaining({ code: 'SOURCE_UNREACHABLE', message: expect.not.stringContaining('opensesame1') }),
    );
    expect(site.requests[0]!.url).toBe('/opensesame1/?token=opensesame1');
  });
});

describe('a skill by its address', () => {
  it('is read', async () => {
    site.answer(pages({ '/SKILL.md': '---\nname: knots\ndescription: Ties knots\n---\n# Bowline\n' }));
    const [item] = await itemsOf(skillUrlSource({ url: `${site.url}/SKILL.md` }, context));
    expect(item).toMatchObject({ entity: { path: '/skills/knots', skill_md_url: `${site.url}/SKILL.md` } });
  });
});

const OFFICIAL = 'io.modelcontextprotocol.registry/official';
const entry = (name: string, official: Record<string, unknown> = {}) => ({
  server: {
    name,
    description: `About ${name}`,
    version: '1.0.0',
    remotes: [{ type: 'streamable-http', url: `https://${name}.example/mcp` }],
    packages: [{ registryType: 'npm', identifier: name, version: '1.0.0', transport: { type: 'stdio' } }],
  },
  _meta: { [OFFICIAL]: { status: 'active', isLatest: true, updatedAt: '2026-01-01T00:00:00Z', ...official } },
});

describe('a fetched card', () => {
  it('says what the agent is, and not where it is registered or how far it is trusted', async () => {
    const claims = {
      path: '/bank',
      trustLevel: 'trusted',
      owner: 'root',
      registeredBy: 'root',
      status: 'beta',
      visibility: 'private',
      allowedGroups: ['all'],
      isEnabled: false,
    };
    site.answer(pages({ '/card.json': { ...CARD, ...claims, tags: ['soil'], license: 'MIT' } }));
    const [item] = await itemsOf(agentCardSource({ url: `${site.url}/card.json` }, context));
    const { entity } = item as { entity: Record<string, unknown> };
    expect(entity).toMatchObject({ path: '/gardener', tags: ['soil'], license: 'MIT' });
    for (const field of ['trust_level', 'owner', 'status', 'visibility', 'allowed_groups', 'is_enabled'])
      expect(entity).not.toHaveProperty(field);
  });
});

describe('a registry', () => {
  it.each([
    ['https://r.example', 'https://r.example/v0.1/servers'],
    ['https://r.example/api/', 'https://r.example/api/v0.1/servers'],
    ['https://r.example/v0.1', 'https://r.example/v0.1/servers'],
    ['https://r.example/v0/servers/', 'https://r.example/v0/servers'],
  ])('is at %s', (url, list) => expect(serverListAddress(url).href).toBe(list));

  it('is read page by page, a bad entry costing only itself', async () => {
    site.answer((url) => {
      const second = url.searchParams.get('cursor') === 'p2';
      const servers = second
        ? [
            entry('io.x/c', { status: 'deprecated' }),
            entry('io.x/d', { status: 'deleted' }),
            entry('io.x/old', { isLatest: false }),
            entry('io.x/a', { status: 'deleted', isLatest: false }),
          ]
        : [entry('io.x/a'), { server: { name: 7 } }, null];
      return { body: { servers, metadata: second ? {} : { nextCursor: 'p2' } } };
    });
    const items = await itemsOf(registrySource({ url: site.url }, context));
    expect(items.map((item) => [item.part, Object.keys(item)[1]])).toEqual([
      ['io.x/a', 'entity'],
      ['servers.1', 'problem'],
      ['servers.2', 'problem'],
      ['io.x/c', 'entity'],
      ['io.x/d', 'withdrawn'],
    ]);
    expect(items[0]).toMatchObject({
      updatedAt: '2026-01-01T00:00:00Z',
      entity: {
        path: '/io.x/a',
        mcp_endpoint: 'https://io.x/a.example/mcp',
        supported_transports: ['streamable-http', 'stdio'],
      },
    });
    expect(items[3]).toMatchObject({ entity: { status: 'deprecated' } });
    expect(items[4]).toMatchObject({ withdrawn: 'mcp_server:/io.x/d' });
  });

  it('is asked only for what changed', async () => {
    site.answer(() => ({ body: { servers: [], metadata: {} } }));
    await itemsOf(registrySource({ url: site.url }, context, '2026-02-03T04:05:06Z'));
    expect(new URL(site.requests[0]!.url, site.url).searchParams.get('updated_since')).toBe('2026-02-03T04:05:06Z');
  });

  it('that repeats its cursor comes to an end', async () => {
    site.answer(() => ({ body: { servers: [entry('io.x/a')], metadata: { nextCursor: 'same' } } }));
    expect(await itemsOf(registrySource({ url: site.url }, context))).toHaveLength(2);
  });

  it('gives one server by its server.json too', async () => {
    site.answer(pages({ '/server.json': { ...entry('io.x/a').server, title: 'A' } }));
    const [item] = await itemsOf(serverUrlSource({ url: `${site.url}/server.json` }, context));
    expect(item).toMatchObject({ entity: { name: 'A', path: '/io.x/a' } });
  });
});

describe('an ARD manifest', () => {
  const manifest = (...entries: unknown[]) => ({ entries });
  const urn = (name: string) => `urn:air:shop.example:tools:${name}`;

  it('gives servers, agents and skills with the queries they are for', async () => {
    site.answer(
      pages({
        '/.well-known/ard.json': manifest(
          {
            identifier: urn('Till'),
            displayName: 'Till',
            type: 'application/mcp-server-card+json',
            data: { name: 'shop.example/till', description: 'A till' },
            representativeQueries: ['take a payment', 'print a receipt'],
            tags: ['shop'],
          },
          { identifier: urn('gardener'), displayName: 'G', type: 'application/a2a-agent-card+json', url: '/card.json' },
          {
            identifier: urn('knots'),
            displayName: 'K',
            type: 'application/ai-skill+md',
            data: '---\nname: knots\ndescription: Ties\n---\n',
          },
          {
            identifier: urn('gone'),
            displayName: 'Gone',
            description: 'Was here',
            type: 'application/a2a-agent-card+json',
            url: '/nowhere.json',
          },
          { identifier: urn('more'), displayName: 'More', type: 'application/ai-registry+json', url: '/registry' },
          { displayName: 'Nameless' },
        ),
        '/card.json': CARD,
      }),
    );
    const items = await itemsOf(ardUrlSource({ url: site.url }, context));
    expect(items.map((item) => Object.keys(item)[1])).toEqual([
      'entity',
      'entity',
      'entity',
      'entity',
      'skipped',
      'problem',
    ]);
    expect(items[0]).toMatchObject({
      entity: {
        type: 'mcp_server',
        path: '/shop.example/tools/till',
        description: 'A till',
        tags: ['shop'],
        metadata: { representative_queries: ['take a payment', 'print a receipt'] },
      },
    });
    expect(items[1]).toMatchObject({ entity: { type: 'a2a_agent', name: 'Gardener', skills: [{ name: 'Water' }] } });
    expect(items[2]).toMatchObject({ entity: { type: 'skill', path: '/shop.example/tools/knots' } });
    expect(items[3]).toMatchObject({
      entity: { name: 'Gone', description: 'Was here' },
      warnings: [expect.stringContaining('answers 404')],
    });
  });

  it('does not let an entry choose another path than that of its identifier, nor what a registry decides', async () => {
    const data = {
      ...CARD,
      path: '/bank',
      trustLevel: 'trusted',
      owner: 'root',
      status: 'beta',
      visibility: 'private',
    };
    const card = { displayName: 'G', type: 'application/a2a-agent-card+json', data };
    const odd = ['bank', 'urn:air:shop.example', 'urn:air:shop.example:../bank', 'URN:OTHER:a:b'];
    const entries = [{ identifier: urn('gardener'), ...card }, ...odd.map((identifier) => ({ identifier, ...card }))];
    site.answer(pages({ '/.well-known/ard.json': manifest(...entries) }));
    const [good, ...bad] = await itemsOf(ardUrlSource({ url: site.url }, context));
    expect(good).toMatchObject({ entity: { path: '/shop.example/tools/gardener' } });
    for (const claim of ['trust_level', 'owner', 'status', 'visibility'])
      expect((good as { entity: object }).entity).not.toHaveProperty(claim);
    expect(bad.map((item) => 'problem' in item && item.problem.message)).toEqual(
      odd.map((identifier) => expect.stringContaining(`'${identifier}'`)),
    );
  });
});
