import { describe, expect, it } from 'vitest';
import { openedEmbedder } from '../../../test/support/opened-embedder.ts';
import { WordEmbedder } from '../../../test/support/word-embedder.ts';
import { parseSettings } from '../../config.ts';
import { STRANGER } from '../../model/caller/caller.ts';
import { openRegistry } from '../../open.ts';
import { createApp } from '../app.ts';
import { serverLoad } from '../load/server-load.ts';
import { logSearches } from './log-searches.ts';
import type { Logger } from './logger.ts';

interface Line {
  readonly level: string;
  readonly message: string;
  readonly facts: Readonly<Record<string, unknown>>;
}

/** A word that occurs in nothing else, so that its absence means something. */
const SECRET = 'zanzibar';

async function logged(options: { readonly debug?: boolean; readonly logQueryText?: boolean } = {}) {
  const lines: Line[] = [];
  const write = (level: string) => (facts: object, message: string) =>
    void lines.push({ level, message, facts: facts as Line['facts'] });
  const logger: Logger = { info: write('info'), warn: write('warn'), error: write('error') };
  const embedder = new WordEmbedder();
  const registry = await openRegistry({ engine: 'memory' }, { embedder: openedEmbedder(embedder), background: false });
  await registry.put({
    type: 'mcp_server',
    path: '/post',
    name: 'post',
    description: `Reads mail from ${SECRET}.`,
    tools: [{ name: 'read', description: 'mail' }],
  });
  const app = createApp({
    registry,
    version: '0',
    logger: options.debug === false ? logger : { ...logger, debug: write('debug') },
    load: serverLoad({ ...parseSettings({}), body_limit_bytes: 10_000 }),
    logQueryText: options.logQueryText ?? false,
    loopbackOnly: false,
  });
  const post = async (path: string, body: object, headers: Record<string, string> = {}) => {
    const all = { Host: 'localhost', 'Content-Type': 'application/json', ...headers };
    return (await app.request(path, { method: 'POST', headers: all, body: JSON.stringify(body) })).status;
  };
  return { post, lines, embedder, registry };
}

const SEARCH = '/api/search/semantic';

describe('the log of a search', () => {
  it('LOG-1: has no word of the query, whatever the level, the mode or the route', async () => {
    const { post, lines, embedder } = await logged();
    await post(SEARCH, { query: `mail ${SECRET}` });
    await post(SEARCH, { query: SECRET, explain: true, preset: 'registry' });
    await post('/api/search/tools', { query: SECRET, format: 'anthropic' });
    await post('/ard/search', { query: { text: SECRET } });
    await post(SEARCH, { query: SECRET.repeat(100) });
    await post(SEARCH, { query: 'x', preset: SECRET });
    embedder.fail();
    await post(SEARCH, { query: SECRET });
    expect(lines.length).toBeGreaterThan(10);
    expect(JSON.stringify(lines)).not.toContain(SECRET);
  });

  it('LOG-1: has exactly one line with the whole query, at level info, where the setting allows it', async () => {
    for (const debug of [true, false]) {
      const { post, lines } = await logged({ logQueryText: true, debug });
      const query = `mail from ${SECRET} #eu`;
      await post(SEARCH, { query });
      await post('/api/search/tools', { query: 'another', format: 'openai' });
      const withQuery = lines.filter((line) => JSON.stringify(line).includes(SECRET));
      expect(withQuery.map(({ level, facts }) => [level, facts.query])).toEqual([['info', query]]);
      expect(lines.filter(({ facts }) => facts.query === 'another')).toHaveLength(1);
    }
  });

  it('has the plan and result of a search at level debug, with its request id', async () => {
    const { post, lines, embedder } = await logged();
    await post(SEARCH, { query: 'mail', preset: 'registry' }, { 'X-Request-Id': 'one' });
    embedder.fail();
    await post(SEARCH, { query: 'mail' }, { 'X-Request-Id': 'two' });
    const searches = lines.filter(({ level, message }) => level === 'debug' && message === 'search');
    expect(searches.map(({ facts }) => facts)).toMatchObject([
      { request_id: 'one', preset: 'registry', search_mode: 'hybrid', results: 1, total_candidates: 1, with_vector: 1 },
      {
        request_id: 'two',
        preset: 'hybrid',
        search_mode: 'lexical-only',
        no_match: false,
        with_vector: 0,
        warnings: 1,
      },
    ]);
    for (const { facts } of searches) {
      expect(facts).toMatchObject({ query_class: expect.any(String), with_words: 1, ms: expect.any(Number) });
    }
  });

  it('LOG-2: has a line for every candidate of a ranking of the registry, and how many each list has', async () => {
    const { post, lines, embedder, registry } = await logged();
    await registry.put({ type: 'a2a_agent', path: '/b', name: 'Gar\nden', description: 'gardens' });
    const linesOf = async (preset: string, query = 'mail post') => {
      const from = lines.length;
      await post(SEARCH, { query, preset, floor: 0 }, { 'X-Request-Id': preset });
      const found = lines.slice(from).filter(({ message }) => /^RRF|^Score/.test(message));
      for (const { level, facts } of found) expect([level, facts.request_id]).toEqual(['debug', preset]);
      return found.map(({ message }) => message);
    };
    expect(await linesOf('registry')).toEqual([
      'RRF inputs: 2 vector-ranked docs, 1 keyword-ranked docs',
      "RRF score for 'post' (type=mcp_server): 0.032787, text_boost=11.0",
      "RRF score for 'Gar den' (type=a2a_agent): 0.016129, text_boost=0.0",
    ]);
    const legacy = await linesOf('registry-legacy');
    expect(legacy).toHaveLength(2);
    expect(legacy[0]).toMatch(
      /^Score for 'post' \(type=mcp_server\): vector=0\.\d{4}, normalized_vector=0\.\d{4}, text_boost=11\.0, boost_contrib=1\.1000, final=1\.0000$/,
    );
    expect(await linesOf('lexical')).toEqual(["Score for 'post' (type=mcp_server): text_boost=11.0, final=0.8148"]);
    expect(await linesOf('hybrid')).toEqual([]);
    embedder.fail();
    expect(await linesOf('registry')).toEqual(["Score for 'post' (type=mcp_server): text_boost=11.0, final=0.8148"]);
  });

  it('has a line for every search on any route, and the code of a failed one', async () => {
    const { post, lines } = await logged();
    await post('/api/search/tools', { query: 'mail', format: 'anthropic' });
    await post('/ard/search', { query: { text: 'mail' } });
    await post('/api/agents/discover/semantic?query=mail', {});
    await post(SEARCH, { query: ' ' }, { 'X-Request-Id': 'bad' });
    const searches = lines.filter(({ message }) => message === 'search');
    expect(searches).toHaveLength(4);
    expect(searches[3]?.facts).toMatchObject({ request_id: 'bad', code: 'EMPTY_SEARCH' });
  });

  it('has no such line at higher levels', async () => {
    const { post, lines } = await logged({ debug: false });
    expect(await post(SEARCH, { query: 'mail' })).toBe(200);
    expect(lines.map(({ level, message }) => [level, message])).toEqual([['info', 'request']]);
  });

  it('keeps the search limited to the caller', async () => {
    const { registry } = await logged();
    await registry.put({ type: 'skill', path: '/own', name: 'own', description: 'mail', visibility: 'private' });
    const { registry: watched } = logSearches(registry, { info() {}, warn() {}, error() {}, debug() {} });
    const { results } = await watched.as(STRANGER).search({ query: 'mail' });
    expect(results.map(({ path }) => path)).toEqual(['/post']);
  });
});
