import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openedEmbedder } from '../../../test/support/opened-embedder.ts';
import { WordEmbedder } from '../../../test/support/word-embedder.ts';
import { openRegistry } from '../../open.ts';
import type { LocalRegistry } from '../contract/registry.ts';
import { comparedText } from './duplicates.ts';

let embedder: WordEmbedder;
let registry: LocalRegistry;
beforeEach(async () => {
  embedder = new WordEmbedder([['weather', 'forecast']]);
  registry = await openRegistry(
    { engine: 'memory', dedup_max_suggestions: 2 },
    { embedder: openedEmbedder(embedder), background: false },
  );
  const server = (path: string, name: string, more: object = {}) => ({ type: 'mcp_server', path, name, ...more });
  await registry.putMany([
    server('/weather', 'Weather', { url: 'https://Weather.test/mcp/' }),
    server('/forecast', 'forecast', { status: 'draft' }),
    server('/sky', 'weather', { is_enabled: false }),
    server('/mail-mcp-server', 'Mail MCP Server', { description: 'sends letters' }),
    { type: 'a2a_agent', path: '/weather', name: 'Weather' },
  ]);
});
afterEach(() => registry.close());

const check = (candidate: object) =>
  registry.findDuplicates({ type: 'mcp_server', name: '', ...candidate } as Parameters<
    LocalRegistry['findDuplicates']
  >[0]);

describe('comparedText', () => {
  it.each([
    ['GitHub MCP Server', 'an API service', 'GitHub an'],
    ['mcp-server', undefined, '-'],
    ['Toolbox of #agents', undefined, 'Toolbox of'],
    ['Gateway Registry', '', 'Gateway Registry'],
  ])('takes the words that say nothing out of %j', (name, description, expected) => {
    expect(comparedText({ name, ...(description === undefined ? {} : { description }) })).toBe(expected);
  });

  it('is never longer than a query may be', () => {
    expect(comparedText({ name: 'x', description: 'y'.repeat(10_000) })).toHaveLength(500);
  });
});

describe('a check for duplicates', () => {
  it('says what collides, and why: paths and names of the same type, addresses of any', async () => {
    const report = await check({ name: 'WEATHER ', url: 'https://weather.test/mcp', path: 'weather' });
    expect(report).toMatchObject({ has_collision: true, threshold: 0.7, similarity_search_available: true });
    expect(report.collision_with.map(({ path, reasons }) => [path, reasons])).toEqual([
      ['/sky', ['name']],
      ['/weather', ['path', 'url', 'name']],
    ]);
    await registry.put({ type: 'a2a_agent', path: '/agent', name: 'Agent', url: 'https://weather.test/mcp/' });
    const { collision_with } = await check({ name: 'x', url: 'https://weather.test/mcp' });
    expect(collision_with.map(({ entity_type, path, reasons }) => [entity_type, path, reasons])).toEqual([
      ['a2a_agent', '/agent', ['url']],
      ['mcp_server', '/weather', ['url']],
    ]);
  });

  it('suggests what is near in meaning, also drafts and what is off, and at most so many', async () => {
    const { has_collision, advisory_matches } = await check({ name: 'Forecast MCP Server API' });
    expect(has_collision).toBe(false);
    expect(advisory_matches.map(({ entity_type, path }) => `${entity_type}:${path}`)).toEqual([
      'a2a_agent:/weather',
      'mcp_server:/forecast',
    ]);
    for (const { similarity_score } of advisory_matches) expect(similarity_score).toBeGreaterThan(0.7);
  });

  it('suggests nothing because of words that every server has', async () => {
    expect((await check({ name: 'Chess MCP Server' })).advisory_matches).toEqual([]);
    expect((await check({ name: 'MCP Server' })).advisory_matches).toEqual([]);
  });

  it('does not hold an entity for its own duplicate', async () => {
    const report = await check({ name: 'Weather', url: 'https://weather.test/mcp', self_path: 'weather' });
    expect(report.collision_with.map(({ path }) => path)).toEqual(['/sky']);
    expect(report.advisory_matches.map(({ entity_type, path }) => `${entity_type}:${path}`)).toEqual([
      'a2a_agent:/weather',
      'mcp_server:/forecast',
    ]);
  });

  it('still finds collisions while the model is down, and says that it could not compare', async () => {
    embedder.fail();
    const report = await check({ name: 'Weather' });
    expect(report).toMatchObject({ has_collision: true, advisory_matches: [], similarity_search_available: false });
  });
});
