import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { SearchResult } from '../../src/model/answer/result.ts';
import type { FacetField } from '../../src/model/query/query.ts';
import type { LocalRegistry } from '../../src/registry/contract/registry.ts';
import { addUpError } from '../support/add-up-error.ts';
import { temporaryFolder } from '../support/engine-fixtures.ts';
import { WordEmbedder } from '../support/word-embedder.ts';
import { wordsRegistry } from '../support/words-registry.ts';

/** Fields that the registry's own clients do not know: each says something true, or is not there. */

const WORDS = ['river', 'stone', 'lamp', 'garden', 'cloud', 'paper', 'wheel', 'bread', 'salt', 'glass'];
const TYPES = ['mcp_server', 'a2a_agent', 'skill', 'package'];
const STATUSES = ['active', 'beta', 'active'];

/** More than any leg fetches at once for one page, with many equal scores. */
const MANY = Array.from({ length: 600 }, (_, i) => ({
  type: TYPES[i % 4],
  path: `/p-${i}`,
  name: `p ${i}`,
  description: `mail ${WORDS[i % 10]} ${WORDS[(i * 7) % 9]} ${i % 3 === 0 ? 'mail mail' : ''}`,
  tags: [WORDS[i % 10]!, i % 2 === 0 ? 'even' : 'odd'],
  status: STATUSES[i % 3],
}));

const LONG = [
  ...Array.from({ length: 60 }, (_, i) => `It sorts ${WORDS[i % 10]} by day ${i}.`),
  'Then it prints an umbrella invoice for the harbour.',
  ...Array.from({ length: 60 }, (_, i) => `It stores ${WORDS[i % 10]} for year ${i}.`),
].join(' ');

const FEW = [
  {
    type: 'mcp_server',
    path: '/post',
    name: 'Post',
    description: 'Reads the inbox.',
    tags: ['office'],
    tools: [{ name: 'read_letter', description: 'Opens one letter.' }],
  },
  { type: 'mcp_server', path: '/long', name: 'Long', description: LONG },
  { type: 'skill', path: '/skills/sky', name: 'sky', description: 'Tells the forecast.' },
];

const SYNONYMS = [
  ['mail', 'inbox', 'letter'],
  ['weather', 'forecast', 'rain'],
];

let few: LocalRegistry;
let many: LocalRegistry;
const folder = temporaryFolder();
beforeAll(async () => {
  few = await wordsRegistry(FEW, new WordEmbedder(SYNONYMS));
  many = await wordsRegistry(MANY, new WordEmbedder(), { engine: 'embedded', data_dir: folder.path });
});
afterAll(async () => {
  await Promise.all([few.close(), many.close()]);
  folder.remove();
});

describe('a result', () => {
  it('has the cosine of its best part, and null where there is no vector', async () => {
    const embedder = new WordEmbedder(SYNONYMS);
    const { results } = await few.search({ query: 'rain', preset: 'vector' });
    const sky = results.find(({ path }) => path === '/skills/sky')!;
    const [query, card] = await embedder.embed(['rain', 'sky Tells the forecast.'], { as: 'query' });
    let dot = 0;
    for (let i = 0; i < query!.length; i++) dot += query![i]! * card![i]!;
    expect(sky.similarity_score).toBeCloseTo(dot, 4);
    for (const { similarity_score } of (await few.search({ query: 'forecast', preset: 'keyword' })).results) {
      expect(similarity_score).toBeNull();
    }
  });

  it.each(['hybrid', 'keyword'])(
    'of %s is surer when the query is its own words than when it shares one',
    async (preset) => {
      const sureOf = async (query: string) =>
        (await few.search({ query, preset, min_confidence: 0 })).results.find(({ path }) => path === '/skills/sky')!
          .confidence;
      const own = await sureOf('tells the forecast');
      const one = await sureOf('forecast of quarterly turnover for board members');
      expect(own).toBeGreaterThan(one);
      expect([own <= 1, one >= 0]).toEqual([true, true]);
    },
  );

  it('shows the piece of a long text that has the words, not its beginning', async () => {
    const { results, servers } = await few.search({ query: 'umbrella invoice', preset: 'keyword' });
    const context = results[0]!.match_context!;
    expect(results[0]!.path).toBe('/long');
    expect(context).toContain('umbrella invoice');
    expect(context.length).toBeLessThan(300);
    expect(LONG).toContain(context.replaceAll('…', '').trim());
    expect(servers[0]).toMatchObject({ match_context: context, description: LONG });
  });

  it('names the fields that have words of the query, of the part that is shown', async () => {
    const fieldsOf = async (query: string) =>
      (await few.search({ query, preset: 'keyword' })).results[0]!.matched_fields;
    expect(await fieldsOf('umbrella')).toEqual(['description']);
    expect([...(await fieldsOf('sky forecast'))].sort()).toEqual(['description', 'name', 'path']);
    const { results } = await few.search({ query: 'read_letter' });
    expect(results[0]).toMatchObject({ matched_unit: { kind: 'tool', title: 'read_letter' } });
    expect(results[0]!.matched_fields).toContain('name');
    const byMeaning = await few.search({ query: 'rain', preset: 'vector' });
    expect(byMeaning.results[0]).toMatchObject({ path: '/skills/sky', matched_fields: [] });
  });

  it('explains itself only when asked, by parts that add up', async () => {
    const plain = await few.search({ query: 'mail office' });
    for (const result of plain.results) expect(result).not.toHaveProperty('explanation');
    const { results } = await few.search({ query: 'mail office', explain: true });
    for (const { explanation, relevance_score } of results) {
      expect(explanation!.value).toBeCloseTo(relevance_score, 9);
      expect(addUpError(explanation!)).toBeLessThan(1e-9);
    }
    expect(results.map(({ explanation: _, ...rest }) => rest)).toEqual(plain.results);
  });
});

const keyOf = ({ entity_type, path }: SearchResult) => `${entity_type} ${path}`;

async function allPages(request: object, size: number): Promise<readonly SearchResult[]> {
  const results: SearchResult[] = [];
  for (let offset = 0; offset <= 450; offset += size) {
    const page = await many.search({ ...request, offset, max_results: size });
    results.push(...page.results);
    if (page.results.length < size) break;
  }
  return results;
}

describe('pages', () => {
  it.each([
    ['hybrid', 50],
    ['hybrid', 23],
    ['registry', 50],
    ['rrf', 50],
    ['lexical', 37],
    ['vector', 50],
  ])('of %s, %i at a time, show each result once', async (preset, size) => {
    const shown = (await allPages({ query: 'mail river', preset, min_confidence: 0, floor: 0 }, size)).map(keyOf);
    expect(shown.length).toBeGreaterThanOrEqual(450);
    expect(new Set(shown).size).toBe(shown.length);
  });

  it.each(['hybrid', 'keyword', 'vector'])('of %s begin the same, whatever else is asked for', async (preset) => {
    for (const query of ['mail river', 'stone lamp garden', 'bread']) {
      const whole = (await many.search({ query, preset, max_results: 50 })).results;
      for (const max_results of [1, 3, 5, 10, 20, 33]) {
        for (const more of [{}, { offset: 0 }, { facets: ['tags'] as FacetField[] }, { explain: true }]) {
          const { results } = await many.search({ query, preset, max_results, ...more });
          const shown = results.map(({ explanation: _, ...rest }) => rest);
          expect(shown).toEqual(whole.slice(0, max_results));
        }
      }
      const { results } = await many.search({ query, preset, offset: 7, max_results: 20 });
      expect(results).toEqual(whole.slice(7, 27));
    }
  });

  it('are empty behind the last result', async () => {
    const { results, total_candidates, no_match } = await few.search({ query: 'mail', offset: 400 });
    expect([results, total_candidates > 0, no_match]).toEqual([[], true, false]);
  });
});

describe('facets', () => {
  const FIELDS: FacetField[] = ['entity_type', 'tags', 'status', 'visibility'];

  it.each([0, 100])('count what a recount over all pages counts, from page offset %i on', async (offset) => {
    const request = { query: 'lamp mail', tags: ['even'], max_results: 50 };
    const { facets, total_candidates } = await many.search({ ...request, facets: FIELDS, offset });
    const all = await allPages(request, 50);
    expect(all).toHaveLength(total_candidates);
    const count = (values: readonly string[]) => {
      const counts = new Map<string, number>();
      for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
      return counts;
    };
    const asMap = (field: FacetField) => new Map(facets![field]!.map(({ value, count: n }) => [value, n]));
    expect(asMap('entity_type')).toEqual(count(all.map(({ entity_type }) => entity_type)));
    expect(asMap('tags')).toEqual(count(all.flatMap(({ tags }) => tags)));
    const statusOf = new Map(MANY.map(({ type, path, status }) => [`${type} ${path}`, status!]));
    expect(asMap('status')).toEqual(count(all.map((result) => statusOf.get(keyOf(result))!)));
    expect(facets!.visibility).toEqual([{ value: 'public', count: all.length }]);
  });

  it('are the same without an offset, most frequent first, and absent unless asked for', async () => {
    const request = { query: 'lamp mail', tags: ['even'] };
    const { facets } = await many.search({ ...request, facets: ['tags'] });
    expect(facets).toEqual((await many.search({ ...request, facets: ['tags'], offset: 0 })).facets);
    const counts = facets!.tags!.map(({ count }) => count);
    expect(counts).toEqual([...counts].sort((a, b) => b - a));
    expect(await many.search(request)).not.toHaveProperty('facets');
  });
});

describe('an answer that is sure of nothing', () => {
  it('is empty, says so and shows what comes closest', async () => {
    const answer = await few.search({ query: 'xylophone quartet' });
    expect(answer).toMatchObject({ no_match: true, results: [], servers: [], tools: [], skills: [], total_servers: 0 });
    expect(answer.nearest!.length).toBeGreaterThan(0);
    expect(answer.nearest!.length).toBeLessThanOrEqual(3);
  });

  it('says nothing of the kind when it is sure, nor in presets that never are', async () => {
    const sure = await few.search({ query: 'forecast' });
    expect([sure.no_match, 'nearest' in sure]).toEqual([false, false]);
    expect((await few.search({ query: 'xylophone quartet', preset: 'registry' })).no_match).toBe(false);
  });

  it('is what a line that nothing reaches gives, and no line leaves everything', async () => {
    const all = await few.search({ query: 'forecast', min_confidence: 0 });
    const line = all.results[0]!.confidence;
    const best = await few.search({ query: 'forecast', min_confidence: line });
    expect(best.results.map(({ path }) => path)).toEqual(
      all.results.filter(({ confidence }) => confidence >= line).map(({ path }) => path),
    );
    if (line < 1) {
      const none = await few.search({ query: 'forecast', min_confidence: 1 });
      expect([none.no_match, none.results]).toEqual([true, []]);
    }
  });
});

describe('the query *', () => {
  it('lists everything that passes the filters, with its total', async () => {
    const all = await many.search({ query: '*', entity_types: ['skill'], max_results: 20 });
    expect(all).toMatchObject({ total_candidates: 150, no_match: false, warnings: [] });
    expect(all.results).toHaveLength(20);
    const rest = await many.search({ query: ' * ', entity_types: ['skill'], max_results: 20, offset: 20 });
    expect(rest.total_candidates).toBe(150);
    expect(new Set([...all.results, ...rest.results].map(keyOf)).size).toBe(40);
    const tagged = await many.search({ query: '*', tags: ['even'], entity_types: ['skill', 'package'] });
    expect(tagged.results.every(({ tags }) => tags.includes('even'))).toBe(true);
  });
});

describe('entity_types', () => {
  it('returns no other type, though it has a tool that matches', async () => {
    const registry = await wordsRegistry(
      [
        { type: 'mcp_server', path: '/post', name: 'Post', tools: [{ name: 'send_mail', description: 'Sends mail.' }] },
        {
          type: 'virtual_server',
          path: '/desk',
          name: 'Mail desk',
          tool_mappings: [{ tool_name: 'send_mail', backend_server_path: '/post' }],
        },
        { type: 'tool', path: '/mail', name: 'mail', description: 'Reads mail.' },
      ],
      new WordEmbedder(),
    );
    const typesOf = async (entity_types: string[]) =>
      (await registry.search({ query: 'mail', entity_types, min_confidence: 0 })).results.map((one) => one.entity_type);
    expect((await typesOf(['mcp_server', 'tool'])).sort()).toEqual(['mcp_server', 'tool']);
    expect(await typesOf(['virtual_server', 'skill'])).toEqual(['virtual_server']);
    expect((await typesOf(['tool'])).sort()).toEqual(['tool', 'tool', 'tool']);
    await registry.close();
  });
});
