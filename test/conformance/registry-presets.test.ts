import { afterEach, describe, expect, it } from 'vitest';
import type { SearchResult } from '../../src/model/answer/result.ts';
import type { LocalRegistry } from '../../src/registry/contract/registry.ts';
import { temporaryFolder } from '../support/engine-fixtures.ts';
import { nodeOf } from '../support/explanation-node.ts';
import { agent, server } from '../support/named-entities.ts';
import { WordEmbedder } from '../support/word-embedder.ts';
import { wordsRegistry } from '../support/words-registry.ts';

const open: { close(): Promise<void> | void }[] = [];
afterEach(async () => {
  for (const one of open.splice(0)) await one.close();
});

async function filled(...args: Parameters<typeof wordsRegistry>): Promise<LocalRegistry> {
  const registry = await wordsRegistry(...args);
  open.push(registry);
  return registry;
}

async function embedded(entities: readonly unknown[], embedder = new WordEmbedder()): Promise<LocalRegistry> {
  const folder = temporaryFolder();
  const registry = await wordsRegistry(entities, embedder, { engine: 'embedded', data_dir: folder.path });
  open.push(registry, { close: () => folder.remove() });
  return registry;
}

const many = <T>(count: number, make: (i: number) => T) => Array.from({ length: count }, (_, i) => make(i));
const pathsOf = (results: readonly SearchResult[]) => results.map(({ path }) => path);

const rankIn = ({ explanation }: SearchResult, leg: 'keyword' | 'vector') => nodeOf(explanation!, leg)?.detail?.rank;

describe('the registry preset', () => {
  it('TOK-12: searches by meaning alone when the query leaves no token', async () => {
    const registry = await filled([server('/x', 'ai and more ai'), server('/y', 'gardens')]);
    const { results, search_mode } = await registry.search({ query: 'AI', preset: 'registry', explain: true });
    expect(search_mode).toBe('hybrid');
    expect(results[0]).toMatchObject({ path: '/x' });
    expect([rankIn(results[0]!, 'vector'), rankIn(results[0]!, 'keyword')]).toEqual([1, undefined]);
  });

  const MIXED = [
    // The higher the boost here, the lower the cosine.
    server('/mail-one', 'mail and gardens and rivers and stones and lamps', { tags: ['mail'] }),
    server('/post', 'mail'),
    agent('/helper', 'mail for people', { tags: ['mail'] }),
    { type: 'skill', path: '/skills/letters', name: 'letters', description: 'mail letters with stamps on them' },
  ];

  it('RRF-14: ranks by cosine, whatever the order of the types and the boosts', async () => {
    const registry = await filled(MIXED);
    const types = ['mcp_server', 'a2a_agent', 'skill'];
    const ask = async (entity_types: readonly string[]) =>
      (
        await registry.search({
          query: 'mail',
          preset: 'registry',
          floor: 0,
          explain: true,
          entity_types: [...entity_types],
        })
      ).results;
    const results = await ask(types);
    const byCosine = [...results].sort((a, b) => b.similarity_score! - a.similarity_score!);
    expect(byCosine.map((result) => rankIn(result, 'vector'))).toEqual([1, 2, 3, 4]);
    expect(pathsOf(byCosine)[0]).toBe('/post');
    expect(rankIn(results.find(({ path }) => path === '/mail-one')!, 'keyword')).toBe(1);
    for (const order of [[...types].reverse(), ['skill', 'mcp_server', 'a2a_agent']]) {
      expect(await ask(order)).toEqual(results);
    }
  });

  it('RRF-15: gives what only the keyword leg found the share of one list', async () => {
    const embedder = new WordEmbedder();
    const registry = await filled([server('/a', 'mail'), server('/b', 'gardens')], embedder);
    embedder.fail();
    await registry.put(server('/mail', 'mail', { tags: ['mail'] }));
    embedder.recover();
    const { results } = await registry.search({ query: 'mail', preset: 'registry', explain: true, floor: 0 });
    const late = results.find(({ path }) => path === '/mail')!;
    expect([rankIn(late, 'keyword'), rankIn(late, 'vector'), late.similarity_score]).toEqual([1, undefined, null]);
  });

  it('NORM-4: drops what is under a fifth of the way from the lowest to the best', async () => {
    const registry = await filled([server('/mail', 'mail'), server('/b', 'gardens')]);
    const { results } = await registry.search({ query: 'mail', preset: 'registry' });
    expect(results.map(({ path, relevance_score }) => [path, relevance_score])).toEqual([['/mail', 1]]);
    const all = await registry.search({ query: 'mail', preset: 'registry', floor: 0 });
    expect(all.results.map(({ relevance_score }) => relevance_score)).toEqual([1, 0]);
  });

  it('NORM-10: shows the lowest score of the page as 0 also when results were filled up behind it', async () => {
    const servers = many(15, (i) => server(`/mail-${String(i).padStart(2, '0')}`, 'mail'));
    const registry = await filled([...servers, agent('/helper', 'gardens and one mail among many words')]);
    const { results } = await registry.search({ query: 'mail', preset: 'registry', floor: 0 });
    // Six servers, the agent, three servers that had to wait for it.
    expect(results.map(({ entity_type }) => entity_type).indexOf('a2a_agent')).toBe(6);
    const scores = results.map(({ relevance_score }) => relevance_score);
    expect([Math.max(...scores), Math.min(...scores), scores[6]]).toEqual([1, 0, 0]);
    expect(new Set(scores.slice(0, 6)).size).toBe(6);
  });

  it('CAP and LIM: share a page of ten between types, with six tools besides', async () => {
    const tools = [{ name: 'mail_send', description: 'Sends mail.' }];
    const registry = await filled([
      ...many(12, (i) => server(`/mail-${i}`, 'mail', { tools })),
      ...many(8, (i) => agent(`/agent-${i}`, 'mail')),
    ]);
    const answer = await registry.search({ query: 'mail', preset: 'registry', floor: 0 });
    expect([answer.total_servers, answer.total_agents, answer.total_tools]).toEqual([6, 4, 6]);
    const one = await registry.search({ query: 'mail', preset: 'registry', floor: 0, max_results: 1 });
    expect([one.results.length, one.total_tools]).toEqual([1, 1]);
  });
});

describe('a boost', () => {
  const TEAM = agent('/zeta', 'keeps the lights of a team on');
  /** More and better matches by keyword than the leg fetches, so that only the vector leg finds the agent. */
  const CROWD = many(60, (i) => server(`/team-${i}`, 'team team', { tags: ['team'] }));

  it.each(['memory', 'embedded'])(
    'BST-9: is the same whichever leg found the entity, in the %s engine',
    async (engine) => {
      const make = engine === 'memory' ? filled : embedded;
      const scores: number[] = [];
      for (const [others, rank] of [
        [[], 1],
        [CROWD, undefined],
      ] as const) {
        const registry = await make([TEAM, ...others]);
        const { results } = await registry.search({ query: 'team', preset: 'registry-legacy', explain: true });
        const found = results.find(({ path }) => path === '/zeta')!;
        expect(rankIn(found, 'keyword')).toBe(rank);
        expect(nodeOf(found.explanation!, 'keyword')?.value).toBeCloseTo(0.2, 9);
        scores.push(found.relevance_score);
      }
      expect(scores[0]).toBe(scores[1]);
    },
  );
});

describe('a tool', () => {
  const FLIGHTS = server('/flights', 'Travel by air', {
    tools: [
      { name: 'lookup', description: 'Find flights' },
      { name: 'search_flights', description: 'By day' },
      { name: 'ping', description: 'Alive' },
    ],
  });

  it('TL-10: has one score on every way through the search, and the best comes first', async () => {
    const down = new WordEmbedder();
    const expected = [
      ['search_flights', 1],
      ['lookup', 0.36],
    ];
    const ways: [LocalRegistry, string][] = [];
    for (const preset of ['registry', 'registry-legacy', 'lexical']) {
      ways.push([await filled([FLIGHTS]), preset], [await embedded([FLIGHTS]), preset]);
    }
    ways.push([await filled([FLIGHTS], down), 'registry']);
    down.fail();
    for (const [registry, preset] of ways) {
      const { servers, tools } = await registry.search({ query: 'search flights', preset });
      const own = servers[0]!.matching_tools.map(({ tool_name, relevance_score }) => [tool_name, relevance_score]);
      expect(own).toEqual(expected);
      expect(tools.map(({ tool_name, relevance_score }) => [tool_name, relevance_score])).toEqual(expected);
    }
  });

  it('TL-10: stands by its own score in the list of tools, not by its server’s', async () => {
    const registry = await filled([
      server('/flights', 'search for flights', { tools: [{ name: 'lookup', description: 'Find flights' }] }),
      server('/other', 'elsewhere', { tools: [{ name: 'search_flights', description: '' }] }),
    ]);
    for (const preset of ['registry', 'lexical', 'hybrid']) {
      const { tools, servers } = await registry.search({ query: 'search flights', preset, floor: 0 });
      const scores = tools.map(({ relevance_score }) => relevance_score);
      expect(scores).toEqual([...scores].sort((a, b) => b - a));
      if (preset !== 'hybrid') expect([servers[0]?.path, tools[0]?.tool_name]).toEqual(['/flights', 'search_flights']);
    }
  });

  it('TL-9: is not shown because its server matches', async () => {
    const tools = [{ name: 'getStats', description: 'Get activity stats' }];
    const registry = await filled([server('/strava', 'Strava', { tools })]);
    for (const preset of ['registry', 'registry-legacy', 'lexical']) {
      const { servers, tools: found } = await registry.search({ query: 'strava', preset });
      expect([servers[0]?.path, servers[0]?.matching_tools, found]).toEqual(['/strava', [], []]);
    }
  });
});

describe('the registry-legacy preset', () => {
  it('is the shifted cosine and a tenth of the boost, no more than 1', async () => {
    const registry = await filled([
      server('/mail', 'mail', { tags: ['mail'] }),
      server('/b', 'reads mail aloud to people'),
      server('/c', 'gardens and rivers'),
    ]);
    const { results } = await registry.search({ query: 'mail', preset: 'registry-legacy' });
    const boosts: Readonly<Record<string, number>> = { '/mail': 11.5, '/b': 2, '/c': 0 };
    expect(pathsOf(results)).toEqual(['/mail', '/b', '/c']);
    for (const { path, relevance_score, similarity_score } of results) {
      const score = (similarity_score! + 1) / 2 + 0.1 * boosts[path]!;
      expect(relevance_score).toBeCloseTo(Math.min(1, Math.max(0, score)), 4);
    }
    expect(results[0]?.relevance_score).toBe(1);
    expect(results[1]!.relevance_score).toBeLessThan(1);
  });

  it('gives what has no vector a tenth of its boost', async () => {
    const embedder = new WordEmbedder();
    const registry = await filled([server('/a', 'gardens')], embedder);
    embedder.fail();
    await registry.put(server('/late', 'brings mail'));
    embedder.recover();
    const { results } = await registry.search({ query: 'mail', preset: 'registry-legacy' });
    expect(results.find(({ path }) => path === '/late')).toMatchObject({
      relevance_score: 0.2,
      similarity_score: null,
    });
  });

  it('shows three of each type, however many are asked for', async () => {
    const registry = await filled([
      ...many(7, (i) => server(`/mail-${i}`, 'mail')),
      ...many(5, (i) => agent(`/agent-${i}`, 'mail')),
      { type: 'skill', path: '/skills/letters', name: 'letters', description: 'mail' },
    ]);
    const answer = await registry.search({ query: 'mail', preset: 'registry-legacy', max_results: 50 });
    expect([answer.total_servers, answer.total_agents, answer.total_skills]).toEqual([3, 3, 1]);
  });
});

describe('the older document', () => {
  const AIR = server('/flight-search', 'search for a flight', {
    tags: ['flight'],
    metadata: { flight: 'search' },
    tools: many(5, (i) => ({ name: `flight_${i}`, description: i === 0 ? 'search' : '' })),
  });
  // Of `flight`: path 5, name 3, description 2, tags 1.5, five tools. Of `search`: path 5, name 3, description 2, one tool.
  const BOOST = 16.5 + 11;

  it.each(['memory', 'embedded'])('LEG-1: counts every word by itself, in the %s engine', async (engine) => {
    const registry = await (engine === 'memory' ? filled : embedded)([AIR, server('/b', 'rivers')]);
    const { results } = await registry.search({ query: 'flight search', preset: 'registry-legacy', explain: true });
    expect(nodeOf(results[0]!.explanation!, 'keyword')?.value).toBeCloseTo(0.1 * BOOST, 9);
    const tokens = nodeOf(results[0]!.explanation!, 'boost')?.parts;
    if (engine === 'embedded') {
      expect(tokens?.map(({ label, value }) => [label, Number(value.toFixed(9))])).toEqual([
        ['flight', 1.65],
        ['search', 1.1],
      ]);
    }
  });

  it.each(['memory', 'embedded'])('LEG-5: counts a repeated word each time, in the %s engine', async (engine) => {
    const registry = await (engine === 'memory' ? filled : embedded)([AIR, server('/b', 'rivers')]);
    const ask = async (query: string) =>
      (await registry.search({ query, preset: 'registry-legacy', explain: true })).results[0]!.explanation!;
    expect(nodeOf(await ask('Flight flight search'), 'keyword')?.value).toBeCloseTo(0.1 * (BOOST + 16.5), 9);
    expect(nodeOf(await ask('search search'), 'keyword')?.value).toBeCloseTo(0.1 * 22, 9);
  });

  it('LEG-2: gives nothing for metadata', async () => {
    const registry = await filled([server('/a', 'rivers', { metadata: { team: 'docs' } }), server('/b', 'stones')]);
    const ask = async (preset: string) => (await registry.search({ query: 'team', preset, explain: true })).results;
    const keywordOf = (results: readonly SearchResult[]) =>
      results.map(({ explanation }) => nodeOf(explanation!, 'keyword')?.value ?? 0);
    expect(keywordOf(await ask('registry-legacy'))).toEqual([0, 0]);
    expect(Math.max(...keywordOf(await ask('registry')))).toBeGreaterThan(0);
  });

  it('LEG-3: lists three tools, however many are asked for', async () => {
    const registry = await filled([AIR]);
    for (const [preset, count] of [
      ['registry-legacy', 3],
      ['registry', 5],
    ] as const) {
      for (const entity_types of [null, ['tool']]) {
        const { tools } = await registry.search({ query: 'flight', preset, max_results: 50, entity_types });
        expect(tools).toHaveLength(count);
      }
    }
  });

  it('LEG-4: is the boost as a share of 12.5 without a model, three of each type', async () => {
    const down = new WordEmbedder();
    const registry = await filled([...many(5, (i) => server(`/mail-${i}`, 'post')), server('/b', 'mail')], down);
    down.fail();
    const { results, search_mode } = await registry.search({ query: 'mail', preset: 'registry-legacy' });
    expect([search_mode, results.length]).toEqual(['lexical-only', 3]);
    expect(results.map(({ relevance_score }) => relevance_score)).toEqual([0.64, 0.64, 0.64]);
  });
});

describe('tools alone', () => {
  it('TL-11: are those of the servers that match, in the presets that rank whole servers', async () => {
    const registry = await filled([
      server('/flights', 'Travel by air', {
        tools: [
          { name: 'lookup', description: 'Find flights' },
          { name: 'search_flights', description: 'By day' },
          { name: 'ping', description: 'Alive' },
        ],
      }),
      { type: 'tool', path: '/tools/flights', name: 'flights', description: 'All flights of a day' },
      agent('/flight-agent', 'search flights'),
    ]);
    for (const preset of ['registry', 'registry-legacy', 'lexical']) {
      const ask = { query: 'search flights', preset, entity_types: ['tool'] };
      const { results, tools, servers, total_servers, warnings } = await registry.search({ ...ask, floor: 0 });
      expect([servers, total_servers, warnings]).toEqual([[], 0, []]);
      expect(results.every(({ entity_type }) => entity_type === 'tool')).toBe(true);
      const own = results.filter(({ server_path }) => server_path === '/flights');
      expect(own.map(({ path, tool_name, relevance_score }) => [path, tool_name, relevance_score])).toEqual([
        ['/flights#search_flights', 'search_flights', 1],
        ['/flights#lookup', 'lookup', 0.36],
      ]);
      expect(pathsOf(results)).toContain('/tools/flights');
      expect(tools.map(({ path }) => path)).toEqual(pathsOf(results));
      const scores = results.map(({ relevance_score }) => relevance_score);
      expect(scores).toEqual([...scores].sort((a, b) => b - a));
      expect((await registry.search({ ...ask, max_results: 1 })).results).toHaveLength(1);
    }
  });
});

describe('a search that names no type', () => {
  const CATALOG = [
    ...many(4, (i) => server(`/mail-${i}`, 'mail')),
    agent('/helper', 'mail for people'),
    { type: 'skill', path: '/skills/letters', name: 'letters', description: 'mail letters', tags: ['post'] },
    { type: 'virtual_server', path: '/virtual/post', name: 'Post', description: 'mail of all kinds', tools: [] },
  ];
  const OTHERS = [
    { type: 'memory', path: '/noon', name: 'mail', content: 'The mail comes at noon.', tags: ['post'] },
    { type: 'package', path: '/packages/mail', name: 'mail', description: 'mail', ecosystem: 'npm', tags: ['post'] },
    { type: 'tool', path: '/tools/mail', name: 'mail', description: 'mail' },
    ...many(12, (i) => ({
      type: 'document',
      path: `/docs/mail-${i}`,
      name: `mail ${i}`,
      description: 'mail',
      content: 'mail',
    })),
  ];
  const TYPES = ['mcp_server', 'a2a_agent', 'skill', 'virtual_server'];

  it.each(['memory', 'embedded'])(
    'TYP-1: is the same beside memories, documents, tools and packages, in the %s engine',
    async (engine) => {
      const make = engine === 'memory' ? filled : embedded;
      const [registry, crowded] = [await make(CATALOG), await make([...CATALOG, ...OTHERS])];
      for (const preset of ['registry', 'registry-legacy', 'lexical']) {
        for (const more of [
          {},
          { floor: 0, max_results: 5 },
          { include_disabled: true },
          { query: '', tags: ['post'] },
          { query: '*' },
        ]) {
          const request = { query: 'mail', preset, ...more };
          const { results, tools, total_candidates } = await crowded.search(request);
          expect(results.length).toBeGreaterThan(0);
          expect(results.every(({ entity_type }) => TYPES.includes(entity_type))).toBe(true);
          const shown = results.map(({ path, relevance_score }) => [path, relevance_score]);
          for (const same of [
            await crowded.search({ ...request, entity_types: TYPES }),
            await registry.search(request),
          ]) {
            expect([same.results.map(({ path, relevance_score }) => [path, relevance_score]), same.tools]).toEqual([
              shown,
              tools,
            ]);
            expect(same.total_candidates).toBe(total_candidates);
          }
        }
      }
      const found = (await crowded.search({ query: 'mail', preset: 'registry', entity_types: ['document'] })).results;
      expect(found.length).toBeGreaterThan(0);
    },
  );
});

describe('a server that does not respond', () => {
  it('LIV-1: keeps its place and its score in the presets of the registry', async () => {
    const registry = await filled([server('/mail', 'mail'), server('/post', 'brings mail'), server('/b', 'gardens')]);
    const ask = async (preset: string) =>
      (await registry.search({ query: 'mail', preset, floor: 0 })).results.map(
        ({ path, relevance_score, confidence }) => [path, relevance_score, confidence],
      );
    const presets = ['registry', 'registry-legacy', 'lexical'];
    const before = await Promise.all(presets.map(ask));
    const hybrid = await ask('hybrid');
    const since = '2026-01-01T00:00:00Z';
    await registry.annotate(
      'mcp_server',
      'liveness',
      new Map([['/post', { state: 'dead', checked_at: since, since }]]),
    );
    expect(await ask('hybrid')).not.toEqual(hybrid);
    expect(await Promise.all(presets.map(ask))).toEqual(before);
  });
});

describe('a skill', () => {
  it('EMB-1: is found by meaning and by keyword for the values of its own fields, one level down too', async () => {
    const url = 'https://example.com/a';
    const own = {
      team: 'gardeners',
      places: ['rivers', 'lakes'],
      limits: { depth: 'fathoms', of: ['reeds'] },
      home: url,
    };
    const registry = await filled([
      { type: 'skill', path: '/skills/a', name: 'a', description: 'x', metadata: { author: 'ada', extra: own } },
      { type: 'skill', path: '/skills/b', name: 'b', description: 'y' },
    ]);
    for (const query of ['team', 'gardeners', 'lakes', 'fathoms', 'reeds', 'example', 'ada']) {
      for (const preset of ['registry', 'vector']) {
        const { results } = await registry.search({ query, preset, explain: true });
        expect(results[0]?.path, query).toBe('/skills/a');
        expect(results[0]?.similarity_score, query).toBeGreaterThan(0.1);
        if (preset === 'registry') expect(rankIn(results[0]!, 'keyword'), query).toBe(1);
      }
    }
    // The document names no keys below the first level.
    expect((await registry.search({ query: 'depth', preset: 'lexical' })).results).toEqual([]);
    expect((await registry.search({ query: 'extra', preset: 'lexical' })).results).toEqual([]);
  });
});

describe('an empty registry', () => {
  it('LEX-5: is searched as any other: the model is there', async () => {
    const registry = await filled([]);
    for (const preset of ['registry', 'registry-legacy', 'hybrid']) {
      const { search_mode, results } = await registry.search({ query: 'mail', preset });
      expect([search_mode, results]).toEqual(['hybrid', []]);
    }
  });
});

describe('the lexical preset', () => {
  it('BST-8: is the boost as a share of 13.5, no more than 1', async () => {
    const tools = many(20, (i) => ({ name: `search_${i}`, description: '' }));
    const registry = await filled([
      server('/mega', 'many', { tools }),
      server('/team', 'x', { metadata: { team: 'y' } }),
    ]);
    const scoreOf = async (query: string) =>
      (await registry.search({ query, preset: 'lexical' })).results.map(({ relevance_score }) => relevance_score);
    expect(await scoreOf('search')).toEqual([1]);
    expect(await scoreOf('team')).toEqual([0.6667]);
  });
});
