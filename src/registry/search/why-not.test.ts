import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { wordsRegistry } from '../../../test/support/words-registry.ts';
import type { SearchRequestInput } from '../../model/query/query.ts';
import type { LocalRegistry } from '../contract/registry.ts';

const server = (path: string, description: string, more: Record<string, unknown> = {}) => ({
  type: 'mcp_server',
  path,
  name: path.slice(1),
  description,
  ...more,
});

const ENTITIES = [
  server('/weather', 'Tells the weather of a city', {
    tags: ['sky'],
    tools: [{ name: 'forecast', description: 'Weather of tomorrow' }],
  }),
  server('/old', 'Told the weather of a city', { status: 'deprecated' }),
  server('/off', 'Tells the weather of a city', { is_enabled: false }),
  server('/private', 'Tells the weather of a city', { visibility: 'private', owner: 'ada' }),
  server('/far', 'Paints walls in the house'),
  ...Array.from({ length: 30 }, (_, at) => server(`/weather-${at}`, `Tells the weather of city ${at}`)),
  ...Array.from({ length: 12 }, (_, at) => ({
    type: 'skill',
    path: `/skills/${at}`,
    name: `s${at}`,
    description: 'The weather',
  })),
  { type: 'skill', path: '/skills/sky', name: 'sky', description: 'Reads the weather from the sky', tags: ['sky'] },
];

let registry: LocalRegistry;
beforeEach(async () => {
  registry = await wordsRegistry(ENTITIES);
});
afterEach(() => registry.close());

const ask = async (id: string, request: SearchRequestInput = {}) =>
  (await registry.search({ query: 'weather of a city', ...request, why_not: id })).why_not;

describe('why_not', () => {
  it('says that the entity is shown, and where', async () => {
    expect(await ask('mcp_server:/weather', { query: 'weather' })).toMatchObject({
      stage: 'shown',
      reason: 'It is result number 1.',
      rank: 1,
    });
  });

  it.each([
    ['mcp_server:/none', {}, 'It is not registered.', 'Check the spelling'],
    ['mcp_server:/old', {}, 'Its status is deprecated', 'Set include_deprecated.'],
    ['mcp_server:/weather', { statuses: ['draft'] }, 'Its status is active', 'Remove the status filter.'],
    ['mcp_server:/off', {}, 'It is disabled.', 'Set include_disabled'],
    ['mcp_server:/weather', { tags: ['sky', 'sea'] }, "the tag 'sea'", 'Remove the tag filter.'],
    [
      'mcp_server:/weather',
      { entity_types: ['skill'] },
      'Its type is mcp_server; the search is for skill.',
      'type filter',
    ],
    ['tool:/weather#forecast', {}, 'It is a tool of /weather', "['tool']"],
    ['mcp_server:/weather', { drifted: true }, 'it has not changed', 'drifted'],
  ] as const)('names the filter that leaves out %s with %j', async (id, request, reason, hint) => {
    const why = await ask(id, request as SearchRequestInput);
    expect(why).toMatchObject({ stage: id.endsWith('/none') ? 'unknown' : 'filter', rank: null });
    expect(why?.reason).toContain(reason);
    expect(why?.hint).toContain(hint);
  });

  it('says what neither leg found, with its own scores', async () => {
    const why = await ask('mcp_server:/far', { max_results: 1, preset: 'keyword' });
    expect(why).toMatchObject({ stage: 'retrieval', rank: null });
    expect(why?.reason).toContain('It has no word of the query.');
  });

  it('says what has too little confidence', async () => {
    const why = await ask('mcp_server:/weather-7', { min_confidence: 0.999 });
    expect(why).toMatchObject({ stage: 'confidence' });
    expect(why?.reason).toContain('below the minimum of 0.999');
  });

  it('gives the rank of what is on another page', async () => {
    const why = await ask('mcp_server:/weather-29', { max_results: 2, offset: 0 });
    expect(why).toMatchObject({ stage: 'page', hint: 'Raise max_results or offset.' });
    expect(why?.rank).toBeGreaterThan(2);
    const before = await ask('mcp_server:/weather', { query: 'weather', max_results: 2, offset: 10 });
    expect(before).toMatchObject({ stage: 'page', rank: 1, hint: 'Lower offset.' });
  });

  it('says that other types took its place', async () => {
    const request = { query: 'weather', min_confidence: 0, max_results: 10, offset: 0 };
    const { results } = await registry.search({ ...request, soft_cap: 1 });
    const last = results[9]!;
    expect(last.entity_type).toBe('mcp_server');
    const why = await ask(`mcp_server:${last.path}`, { ...request, soft_cap: 0.1 });
    expect(why).toMatchObject({ stage: 'page', rank: 10, hint: 'Set soft_cap to 1.' });
  });

  it('says what the floor cut off', async () => {
    const why = await ask('skill:/skills/sky', { floor: 1, min_confidence: 0, max_results: 50 });
    expect(why).toMatchObject({ stage: 'floor', hint: 'Set floor to 0.' });
  });

  it('hides what the caller may not read', async () => {
    const stranger = registry.as({ readers: ['public'] });
    const { why_not } = await stranger.search({ query: 'weather', why_not: 'mcp_server:/private' });
    expect(why_not).toMatchObject({ stage: 'unknown' });
  });

  it('finds a tool of a server where tools are results', async () => {
    expect(await ask('tool:/weather#forecast', { entity_types: ['tool'] })).toMatchObject({ stage: 'shown' });
  });

  it('refuses what is no id', async () => {
    await expect(ask('weather')).rejects.toMatchObject({ code: 'INVALID_REQUEST', field: 'why_not' });
  });
});
