import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type ServedRegistry, serveRegistry } from '../../../test/support/served-registry.ts';
import type { EntityType } from '../../model/entity.ts';
import { agentHandlers } from './agents.ts';

let served: ServedRegistry;
beforeEach(async () => {
  served = await serveRegistry();
});
afterEach(() => served.close());

const OLDER = {
  name: 'Travel Assistant',
  description: 'Books journeys',
  url: 'https://travel.test/a2a',
  protocolVersion: '0.3.0',
  version: '1.2.3',
  provider: { organization: 'Travels', url: 'https://travels.test' },
  capabilities: { streaming: true },
  skills: [{ id: 'book', name: 'Book', description: 'Book a flight', tags: ['flight'], inputModes: ['text/plain'] }],
  tags: ['Travel'],
  trustLevel: 'verified',
  metadata: { team: 'journeys' },
};
const CURRENT = {
  name: 'Polyglot',
  description: 'Translates',
  supportedInterfaces: [{ url: 'https://polyglot.test', protocolBinding: 'JSONRPC', protocolVersion: '1.0' }],
  version: '1',
  capabilities: {},
  skills: [{ id: 'translate', name: 'Translate', description: 'Translate text', tags: [] }],
  path: 'words/polyglot',
};
const register = (card: object = OLDER, query = '') => served.send('POST', `/api/agents/register${query}`, card);

describe('the registration of an agent', () => {
  it('accepts a card of version 0.3, and returns it in the format of 1.0 with the fields of the registry', async () => {
    const { status, json } = await register();
    expect([status, json]).toMatchObject([
      201,
      { path: '/travel-assistant', name: 'Travel Assistant', warnings: [], agent: { path: '/travel-assistant' } },
    ]);
    expect((await served.ask('GET', '/api/agents/travel-assistant')).json).toMatchObject({
      name: 'Travel Assistant',
      supportedInterfaces: [{ url: 'https://travel.test/a2a', protocolBinding: 'JSONRPC', protocolVersion: '0.3.0' }],
      provider: { organization: 'Travels', url: 'https://travels.test' },
      skills: OLDER.skills,
      num_skills: 1,
      url: 'https://travel.test/a2a',
      tags: ['Travel'],
      trust_level: 'verified',
      metadata: { team: 'journeys' },
      is_enabled: true,
      status: 'active',
      num_stars: 0,
    });
  });

  it('accepts a card of version 1.0, at its own path', async () => {
    expect((await register(CURRENT)).json.path).toBe('/words/polyglot');
    expect((await served.ask('GET', '/api/agents//words/polyglot')).json.url).toBe('https://polyglot.test');
  });

  it('is found at once, also by its skills', async () => {
    await register();
    const { json } = await served.send('POST', '/api/search/semantic', { query: 'flight' });
    expect(json.agents[0]).toMatchObject({ path: '/travel-assistant', agent_card: { name: 'Travel Assistant' } });
  });

  it('answers 409 for a path in use, unless it may overwrite', async () => {
    await register();
    expect((await register()).error?.code).toBe('ALREADY_EXISTS');
    expect((await register({ ...OLDER, description: 'new' }, '?overwrite=true')).status).toBe(201);
    const tries = await Promise.all(Array.from({ length: 10 }, () => register(CURRENT)));
    expect(tries.map(({ status }) => status).sort()).toEqual([201, ...Array(9).fill(409)]);
  });

  it('names ignored fields', async () => {
    const { status, json } = await register({ ...OLDER, skills: [{}] });
    expect([status, json.warnings]).toEqual([201, ['Skill 0 of the card is {}: it has no name and was dropped.']]);
  });

  it.each([
    [{ name: undefined }, 'name'],
    [{ url: undefined }, 'url'],
    [{ status: 'asleep' }, 'status'],
    [{ visibility: 'group-restricted' }, 'allowed_groups'],
    [{ path: ' /\n' }, 'path'],
  ])('refuses a card with %j', async (change, field) => {
    const { status, error } = await register({ ...OLDER, ...change });
    expect([status, error?.code, error?.field]).toEqual([422, 'INVALID_REQUEST', field]);
    expect((await served.ask('GET', '/api/agents')).json.total_count).toBe(0);
  });

  it.each([[[]], ['text'], [null]])('refuses the body %j', async (body) => {
    expect((await register(body as unknown as object)).status).toBe(422);
  });
});

describe('an agent', () => {
  beforeEach(() => register());
  const AT = '/api/agents/travel-assistant';

  it('is patched under either spelling, and its card follows', async () => {
    const patch = { description: 'new', trust_level: 'trusted', url: 'https://elsewhere.test', metadata: null };
    const { json } = await served.send('PATCH', AT, patch);
    expect(json).toMatchObject({
      description: 'new',
      trust_level: 'trusted',
      url: 'https://elsewhere.test',
      supportedInterfaces: [{ url: 'https://elsewhere.test', protocolBinding: 'JSONRPC', protocolVersion: '0.3.0' }],
      metadata: {},
      version: '1.2.3',
      skills: OLDER.skills,
      provider: OLDER.provider,
    });
    expect((await served.send('PATCH', AT, { trustLevel: 'community' })).json.trust_level).toBe('community');
    expect((await served.send('PATCH', AT, { enabled: false })).json.is_enabled).toBe(false);
    const odd = await served.ask('PATCH', AT, {
      headers: { 'Content-Type': 'application/json' },
      body: '{"__proto__": {"name": "x"}, "constructor": 1}',
    });
    expect([odd.status, odd.json.name]).toEqual([200, 'Travel Assistant']);
    const skills = [{ id: 'x', name: 'Sing' }];
    expect((await served.send('PATCH', AT, { skills })).json).toMatchObject({ skills, num_skills: 1 });
  });

  it('is replaced by a new card at its own path', async () => {
    const { path: _, ...card } = CURRENT;
    const { json } = await served.send('PUT', AT, card);
    expect(json).toMatchObject({ path: '/travel-assistant', name: 'Polyglot', tags: [] });
    expect((await served.send('PUT', AT, CURRENT)).error?.field).toBe('path');
  });

  it('can be sent back as it was read', async () => {
    const { json } = await served.ask('GET', AT);
    const back = await served.send('PUT', AT, json);
    expect({ ...back.json, updated_at: json.updated_at }).toEqual(json);
  });

  it('is disabled, deleted, and then gone', async () => {
    expect((await served.ask('POST', `${AT}/toggle?enabled=false`)).json).toMatchObject({ is_enabled: false });
    expect((await served.send('POST', '/api/search/semantic', { query: 'flight' })).json.total_agents).toBe(0);
    expect((await served.ask('POST', `${AT}/toggle`)).error?.field).toBe('enabled');
    expect((await served.ask('DELETE', AT)).status).toBe(204);
    for (const [method, path, body] of [
      ['GET', AT, undefined],
      ['DELETE', AT, undefined],
      ['PATCH', AT, { description: 'x' }],
      ['PUT', AT, OLDER],
      ['POST', `${AT}/toggle?enabled=true`, undefined],
      ['POST', `${AT}/rate`, { rating: 3 }],
    ] as const) {
      expect((await served.send(method, path, body)).status).toBe(404);
    }
  });

  it('is rated, and compared', async () => {
    expect((await served.send('POST', `${AT}/rate`, { rating: 4 })).json.average_rating).toBe(4);
    expect((await served.ask('GET', `${AT}/rating`)).json.num_stars).toBe(4);
    const { json } = await served.send('POST', '/api/agents/check-duplicates', { name: 'travel assistant' });
    expect(json.collision_with[0].reasons).toEqual(['name']);
  });
});

describe('agents', () => {
  beforeEach(async () => {
    await register();
    await register({ ...CURRENT, visibility: 'group-restricted', allowedGroups: ['eu'], isEnabled: false });
  });
  const names = async (query: string) =>
    (await served.ask('GET', `/api/agents${query}`)).json.agents.map(({ name }: { name: string }) => name);

  it.each([
    ['', ['Polyglot', 'Travel Assistant']],
    ['?query=TRAVEL', ['Travel Assistant']],
    ['?query=translate', ['Polyglot']],
    ['?enabled_only=true', ['Travel Assistant']],
    ['?visibility=public', ['Travel Assistant']],
    ['?allowed_groups=eu,us', ['Polyglot']],
    ['?limit=1&offset=1', ['Travel Assistant']],
  ])('are listed by %j', async (query, expected) => {
    expect(await names(query)).toEqual(expected);
  });

  it('are discovered by skill', async () => {
    const asked = { skills: ['BOOK'], tags: ['travel'] };
    const { json } = await served.send('POST', '/api/agents/discover?max_results=5', asked);
    expect(json).toMatchObject({ total_count: 1, agents: [{ path: '/travel-assistant', relevance_score: 0.9 }] });
    expect((await served.send('POST', '/api/agents/discover', { skills: [] })).status).toBe(400);
    expect((await served.send('POST', '/api/agents/discover', {})).error?.field).toBe('skills');
    expect((await served.send('POST', '/api/agents/discover?max_results=101', asked)).status).toBe(422);
  });

  it('are discovered in words', async () => {
    const { json } = await served.ask('POST', '/api/agents/discover/semantic?query=book%20a%20journey&max_results=100');
    expect(json.agents.map(({ path }: { path: string }) => path)).toEqual(['/travel-assistant']);
    expect(json.agents[0]).toMatchObject({ name: 'Travel Assistant', relevance_score: 1 });
    expect((await served.ask('POST', '/api/agents/discover/semantic?query=')).error?.code).toBe('EMPTY_SEARCH');
    expect((await served.ask('POST', '/api/agents/discover/semantic')).error?.field).toBe('query');
  });
});

describe('a disabled agent', () => {
  it('stays disabled when it is registered again, unless its card enables it', async () => {
    await register();
    await served.send('POST', '/api/agents/travel-assistant/toggle?enabled=false');
    expect((await register(OLDER, '?overwrite=true')).json.agent.is_enabled).toBe(false);
    expect((await register({ ...OLDER, isEnabled: true }, '?overwrite=true')).json.agent.is_enabled).toBe(true);
    expect((await register({ ...OLDER, enabled: false }, '?overwrite=true')).json.agent.is_enabled).toBe(false);
  });
});

describe('the discovery of many agents', () => {
  const agents = Array.from({ length: 120 }, (_, i) => ({
    type: 'a2a_agent',
    path: `/many-${i}`,
    name: `Planner ${i}`,
    description: 'Plans journeys',
    url: 'https://planner.test',
    skills: [{ id: 'plan', name: 'Plan' }],
  }));
  const ask = async (count: number) => {
    const { status, json } = await served.ask('POST', `/api/agents/discover/semantic?query=plans&max_results=${count}`);
    return { status, paths: (json.agents as { path: string }[]).map(({ path }) => path), total: json.total_count };
  };

  it('returns the requested number, each once', async () => {
    await served.registry.putMany(agents);
    for (const count of [50, 51, 100]) {
      const { status, paths, total } = await ask(count);
      expect([status, paths.length, new Set(paths).size, total]).toEqual([200, count, count, count]);
    }
  });

  it('leaves out agents that are deleted meanwhile', async () => {
    await served.registry.putMany(agents.slice(0, 3));
    const { rated } = served.registry;
    const gone = async (type: EntityType, path: string) => {
      if (path === '/many-1') await served.registry.delete(type, path).catch(() => {});
      return rated(type, path);
    };
    const registry = { ...served.registry, rated: gone };
    const { body } = await agentHandlers(registry).discoverAgentsByMeaning({
      query: { query: 'plans', max_results: 10 },
    });
    expect(body.agents.map(({ path }) => path).sort()).toEqual(['/many-0', '/many-2']);
    expect(body.total_count).toBe(2);
  });
});
