import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { LocalRegistry } from '../../src/registry/contract/registry.ts';
import { distribute } from '../../src/search/ranking/distribute/distribute.ts';
import { WordEmbedder } from '../support/word-embedder.ts';
import { wordsRegistry } from '../support/words-registry.ts';

/** What a sentence model would know: these words are near each other. */
const NEAR = [
  ['context7', 'documentation', 'docs', 'manual', 'manuals', 'reference'],
  ['coding', 'code', 'programming', 'developer', 'developers'],
  ['assistant', 'assistants', 'copilot', 'helper'],
  ['weather', 'forecast', 'rain'],
];

const server = (path: string, name: string, description: string, more: object = {}) => ({
  type: 'mcp_server',
  path,
  name,
  description,
  ...more,
});
const agent = (path: string, name: string, description: string) => ({ type: 'a2a_agent', path, name, description });
const skill = (name: string, description: string) => ({ type: 'skill', path: `/skills/${name}`, name, description });

/** As the document has it: thirteen tools, of which few say whose they are. */
const GENERIC = ['getStats', 'listRoutes', 'getLaps', 'star', 'exportRoute', 'getGear', 'listClubs', 'getStreams'];

const CATALOG = [
  server('/context7', 'Context7 MCP Server', 'Current code examples, by version', {
    tools: [
      { name: 'resolve-library-id', description: 'Turns a package name into an id' },
      { name: 'query-docs', description: 'Answers from the pages of a library' },
    ],
  }),
  server('/handbook', 'Handbook', 'Reference manuals', { tags: ['documentation'] }),
  skill('page-writer', 'Writes documentation manuals'),
  server('/strava', 'Strava', 'Rides and runs of an athlete', {
    tools: [
      ...GENERIC.map((name) => ({ name, description: 'For the signed-in athlete' })),
      { name: 'connect-strava', description: 'Signs in' },
      { name: 'disconnect', description: 'Forgets the Strava account' },
    ],
  }),
  server('/trails', 'Trail maps', 'Hiking paths on a map'),
  server('/sky', 'Sky', 'Forecast of rain for a town'),
  server('/bakery', 'Bakery', 'Bread orders and opening hours'),
  agent('/gardener', 'Gardener', 'Waters tomatoes'),
  agent('/pair', 'Pair', 'Coding assistants for two'),
  agent('/mentor', 'Mentor', 'Explains coding to newcomers in small steps with patience'),
  agent('/reviewer', 'Reviewer', 'One of the assistants that read a change and say what is wrong with it'),
  server('/snippets', 'Snippets', 'Keeps programming recipes for developers of every team in one place'),
  server('/linter', 'Linter', 'Finds mistakes of style in coding'),
  skill('commit-words', 'A helper that writes messages for changes'),
];

let registry: LocalRegistry;
beforeAll(async () => {
  registry = await wordsRegistry(CATALOG, new WordEmbedder(NEAR));
});
afterAll(() => registry.close());

const pathsFor = async (query: string, more: object) =>
  (await registry.search({ query, ...more })).results.map(({ path }) => path);

describe('context7', () => {
  it.each(['registry', 'hybrid', 'registry-legacy'])(
    'is first for its name in %s, and what is near in meaning comes behind it',
    async (preset) => {
      const [first, ...rest] = await pathsFor('context7', { preset, floor: 0 });
      expect(first).toBe('/context7');
      expect(rest.slice(0, 2).sort()).toEqual(['/handbook', '/skills/page-writer']);
    },
  );

  it('is not first by meaning alone: neighbors say more of documentation than it does', async () => {
    expect((await pathsFor('context7', { preset: 'vector' }))[0]).toBe('/handbook');
  });

  it('is alone by keyword, which knows no neighbors', async () => {
    expect(await pathsFor('context7', { preset: 'lexical' })).toEqual(['/context7']);
  });

  it('is alone under the documented floor: on a page of ten, one list alone is worth less than a fifth', async () => {
    expect(await pathsFor('context7', { preset: 'registry' })).toEqual(['/context7']);
  });
});

describe('strava', () => {
  it.each(['registry', 'registry-legacy', 'lexical', 'hybrid'])(
    'finds the server in %s, and only those of its tools that say the word',
    async (preset) => {
      const { results, servers, tools } = await registry.search({ query: 'strava', preset });
      expect(results[0]?.path).toBe('/strava');
      const graded = [
        ['connect-strava', 0.65],
        ['disconnect', 0.51],
      ];
      const own = servers[0]!.matching_tools.map(({ tool_name, relevance_score }) => [tool_name, relevance_score]);
      expect(own).toEqual(graded);
      const lifted = tools.filter(({ server_path }) => server_path === '/strava');
      expect(lifted.map(({ tool_name, relevance_score }) => [tool_name, relevance_score])).toEqual(graded);
    },
  );

  it('finds the tool that is asked for besides', async () => {
    for (const preset of ['registry', 'hybrid']) {
      const { servers } = await registry.search({ query: 'strava export route', preset });
      expect(servers[0]?.matching_tools[0]?.tool_name).toBe('exportRoute');
    }
  });
});

describe('coding assistants', () => {
  it('has scores from 100 % down to 20 % in registry, where a catalog has plenty of them', async () => {
    const filler = ['maps', 'bread', 'rivers', 'lamps', 'paper', 'salt', 'wheels', 'stones'];
    const plenty = Array.from({ length: 16 }, (_, i) => {
      const path = `/a-${String.fromCharCode(97 + i)}`;
      const description = `Coding assistants ${filler.slice(0, i / 2).join(' ')}`;
      return i % 2 === 0 ? agent(path, `Agent ${i}`, description) : server(path, `Server ${i}`, description);
    });
    const large = await wordsRegistry(plenty, new WordEmbedder(NEAR));
    const { results } = await large.search({ query: 'coding assistants', preset: 'registry' });
    await large.close();
    const scores = results.map(({ relevance_score }) => relevance_score);
    const within = (from: number, to: number) => scores.filter((score) => score >= from && score <= to).length;
    expect(scores[0]).toBe(1);
    expect([within(0.8, 1) > 0, within(0.5, 0.8) > 0, within(0.2, 0.5) > 0, within(0, 0.2)]).toEqual([
      true,
      true,
      true,
      0,
    ]);
    expect(scores.length).toBeLessThan(10);
    expect(new Set(scores).size).toBeGreaterThan(5);
  });

  it('was all alike in the older design, where a word in the name was enough for the full score', async () => {
    const query = 'pair mentor reviewer linter';
    const scoresIn = async (preset: string) =>
      (await registry.search({ query, preset })).results.slice(0, 3).map(({ relevance_score }) => relevance_score);
    expect(await scoresIn('registry-legacy')).toEqual([1, 1, 1]);
    expect(new Set(await scoresIn('registry')).size).toBeGreaterThan(1);
  });

  it('spreads its scores in hybrid, best first', async () => {
    const { results } = await registry.search({ query: 'coding assistants' });
    const scores = results.map(({ relevance_score }) => relevance_score);
    expect(results[0]?.path).toBe('/pair');
    expect(scores).toEqual([...scores].sort((a, b) => b - a));
    expect(scores[0]! - scores.at(-1)!).toBeGreaterThan(0.5);
    expect(new Set(scores.slice(0, 5)).size).toBe(5);
  });
});

describe('the distribution examples of the document', () => {
  const candidates = (types: string) => [...types].map((type, i) => ({ type, score: 0.95 - i / 100 }));
  const countOf = (list: readonly { readonly type: string }[]) => {
    const counts: Record<string, number> = {};
    for (const { type } of list) counts[type] = (counts[type] ?? 0) + 1;
    return counts;
  };

  it('1: one type alone fills the page', () => {
    const list = candidates('S'.repeat(20));
    expect(distribute(list, { maxResults: 10 })).toEqual(list.slice(0, 10));
  });

  it('2: 6 servers, 2 agents and 2 tools are the first ten that the cap lets through, not 6, 3 and 1', () => {
    const page = distribute(candidates('SSSASTSASTAS'), { maxResults: 10 });
    expect(countOf(page)).toEqual({ S: 6, A: 2, T: 2 });
    expect(page.map(({ type }) => type).join('')).toBe('SSSASTSAST');
  });

  it('3: the strongest type has three of five places', () => {
    expect(countOf(distribute(candidates('SSSSSAATT'), { maxResults: 5 }))).toEqual({ S: 3, A: 2 });
  });

  it('4: 40 servers, 3 agents and 2 tools are all there is for 50 places: 45, not 47', () => {
    const page = distribute(candidates(`${'S'.repeat(40)}AAATT`), { maxResults: 50 });
    expect(countOf(page)).toEqual({ S: 40, A: 3, T: 2 });
    expect(page.map(({ type }) => type).join('')).toBe(`${'S'.repeat(30)}AAATT${'S'.repeat(10)}`);
  });
});
