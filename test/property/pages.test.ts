import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openEmbedded } from '../../src/engines/embedded/open-embedded.ts';
import { searchTools } from '../../src/mcp/tools/search-tools.ts';
import type { SearchResponse } from '../../src/model/answer/result.ts';
import { LAST_RESULT, MAX_RESULTS, type SearchRequestInput } from '../../src/model/query/query.ts';
import type { LocalRegistry } from '../../src/registry/contract/registry.ts';
import { PRESETS } from '../../src/search/plan/presets.ts';
import { countedEngine } from '../support/counted-engine.ts';
import { temporaryFolder } from '../support/engine-fixtures.ts';
import { registryOver } from '../support/registry-over.ts';
import { WordEmbedder } from '../support/word-embedder.ts';

/** Servers with so many tools that lists of units have far fewer results than units. */
const SERVERS = 700;
const TOOLS = 150;
const WORDS =
  'harbor lamp boat gate river stone cloud field paper glass wheel bread copper forest signal anchor velvet marble'.split(
    ' ',
  );
/** Servers that are called so, but have many other words. The tools of one other server fill the lists of both legs. */
const NAMES = ['copper forest', 'velvet_marble', 'paper'];
const CROWD = 90;
/** Words that mean the same: those of one row have one vector, and no letters in common. */
const SYNONYMS = ['harbor pier', 'lamp glow', 'gate door', 'river creek'].map((row) => row.split(' '));
const MIDDLING = 100;
/** The presets whose first results do not depend on the page. */
const STEADY = Object.values(PRESETS)
  .filter(({ depth }) => depth !== null)
  .map(({ name }) => name);

let state = 7;
const random = (below: number) => {
  state = (Math.imul(state, 1103515245) + 12345) >>> 0;
  return (state >>> 8) % below;
};
const words = (count: number) => Array.from({ length: count }, () => WORDS[random(WORDS.length)]!).join(' ');
/** Every tenth has a code that one or two others have as well. */
const code = (n: number) => (n % 10 === 0 ? ` K${n % 290}x7` : '');
const text = (n: number) => ({ description: `${words(3 + random(6))}${code(n)}`, tags: [words(1)] });

function server(n: number) {
  const count = n % 100 === 0 ? 80 : random(9);
  const tools = Array.from({ length: count }, (_, at) => ({ name: `${words(1)}_${at}`, description: words(5) }));
  const relations = [3, 50].map((step) => ({ type: 'PRODUCES_FOR', target: `/s${(n + step) % SERVERS}` }));
  return { type: 'mcp_server', path: `/s${n}`, name: `server ${n}`, ...text(n), tools, relations };
}

function named(name: string, n: number) {
  const own = { type: 'mcp_server', path: `/named${n}`, name, description: words(40), tags: [] };
  const tools = Array.from({ length: CROWD }, (_, at) => ({ name: `${name}_${at}`, description: name }));
  return [own, { type: 'mcp_server', path: `/crowd${n}`, name: `crowd ${n}`, description: '', tags: [], tools }];
}

/**
 * One perfect answer. The next units of each leg are no match: one half of them has two words of the query among many others,
 * the other half only means the same. What is in the middle of both lists matches.
 */
function middling() {
  const all = SYNONYMS.map(([word]) => word!).join(' ');
  const tool = (path: string, name: string, description: string) => ({
    type: 'tool',
    path,
    name,
    description,
    tags: [],
  });
  const others = Array.from({ length: MIDDLING }, (_, n) => {
    const [a, b] = [n % 4, (n + 1 + (n % 3)) % 4];
    const pair = `${SYNONYMS[a]![0]} ${SYNONYMS[b]![0]}`;
    const rest = SYNONYMS.flatMap(([, synonym], at) => (at === a || at === b ? [] : [synonym!])).join(' ');
    const rare = Array.from({ length: 40 }, (__, at) => `w${(40 * n + at) % 997}`).join(' ');
    return [
      tool(`/words${n}`, pair, rare),
      tool(`/meaning${n}`, 'pier glow', 'door creek slate'),
      tool(`/both${n}`, `both ${n}`, `${pair} ${rest}`),
    ];
  });
  return [tool('/best', all, all), ...others.flat()];
}

const folders = [temporaryFolder(), temporaryFolder()];
let registry: LocalRegistry;
let middlingRegistry: LocalRegistry;

/** The calls of the engine of `middlingRegistry`. */
let calls: Map<string, number>;

async function filled(dir: string, entities: readonly unknown[], embedder: WordEmbedder): Promise<LocalRegistry> {
  const counted = countedEngine(await openEmbedded({ dir, embedder }));
  calls = counted.calls;
  const opened = registryOver(counted.engine, embedder);
  for (let from = 0; from < entities.length; from += 100) {
    await opened.putMany(entities.slice(from, from + 100), { vectors: 'later' });
  }
  await opened.embedPending();
  return opened;
}

beforeAll(async () => {
  const servers = Array.from({ length: SERVERS }, (_, n) => server(n));
  const tools = Array.from({ length: TOOLS }, (_, n) => ({
    type: 'tool',
    path: `/t${n}`,
    name: `tool ${n}`,
    ...text(n),
  }));
  registry = await filled(folders[0]!.path, [...servers, ...tools, ...NAMES.flatMap(named)], new WordEmbedder());
  middlingRegistry = await filled(folders[1]!.path, middling(), new WordEmbedder(SYNONYMS));
}, 120_000);
afterAll(async () => {
  await registry.close();
  await middlingRegistry.close();
  for (const folder of folders) folder.remove();
});

/** What an answer shows of each result. */
const shown = ({ results, servers, virtual_servers }: SearchResponse) => {
  const matching = new Map([...servers, ...virtual_servers].map(({ path, matching_tools }) => [path, matching_tools]));
  return results.map(({ entity_type, path, matched_unit, confidence, similarity_score, relevance_score }) => {
    const tools = matching.get(path)?.map((tool) => [tool.tool_name, tool.relevance_score]);
    return [entity_type, path, matched_unit.key, confidence, similarity_score, relevance_score, tools];
  });
};
const nearest = (answer: SearchResponse, count: number) =>
  (answer.nearest ?? []).slice(0, count).map(({ path, confidence }) => [path, confidence]);

const some = (minLength: number, maxLength: number) =>
  fc.array(fc.constantFrom(...WORDS), { minLength, maxLength }).map((list) => list.join(' '));
/** Sentences that are searched one by one. */
const task = fc.array(some(3, 6), { minLength: 2, maxLength: 5 }).map((list) => `${list.join('. ')}.`);
const MIN_CONFIDENCES = [undefined, undefined, 0, 0.01, 0.05, 0.9, 1];
const question = fc.record({
  query: fc.oneof(
    some(1, 4),
    task,
    fc.constantFrom(...NAMES, 'server 40', 'tool 7'),
    fc.constantFrom('K40x7', 'K0x7 K290x7', 'harbor lamp K100x7'),
  ),
  preset: fc.constantFrom(...STEADY),
  entity_types: fc.constantFrom<string[] | undefined>(undefined, ['mcp_server'], ['tool'], ['mcp_server', 'tool']),
  min_confidence: fc.constantFrom(...MIN_CONFIDENCES),
});
const middlingQuestion = fc.record({
  query: fc.oneof(
    fc
      .shuffledSubarray(
        SYNONYMS.map(([word]) => word!),
        { minLength: 2 },
      )
      .map((list) => list.join(' ')),
    fc.constantFrom('pier', 'harbor w5 w6', 'harbor lamp gate river. harbor pier gate door.', 'nothing like it'),
  ),
  preset: fc.constantFrom('hybrid', 'hybrid', 'recommend', 'rrf', 'keyword'),
  min_confidence: fc.constantFrom(...MIN_CONFIDENCES),
});
interface Page {
  readonly max_results: number;
  readonly offset?: number | undefined;
  readonly facets?: readonly ['entity_type', 'tags'] | undefined;
  readonly explain?: boolean;
}
/** What most callers ask for. These look no further than they must. */
const PLAIN_PAGES: readonly Page[] = [{ max_results: 1 }, { max_results: 10 }, { max_results: MAX_RESULTS }];
const page: fc.Arbitrary<Page> = fc.record({
  max_results: fc.integer({ min: 1, max: MAX_RESULTS }),
  offset: fc.option(fc.integer({ min: 0, max: LAST_RESULT - MAX_RESULTS }), { nil: undefined }),
  facets: fc.option(fc.constant(['entity_type', 'tags'] as const), { nil: undefined }),
  explain: fc.boolean(),
});

/** Asks the whole list in the largest pages, and compares each page with its part of the list. */
async function expectOneList(asking: LocalRegistry, asked: SearchRequestInput, pages: readonly Page[]): Promise<void> {
  const whole: SearchResponse[] = [];
  for (let offset = 0; offset < LAST_RESULT; offset += MAX_RESULTS) {
    whole.push(await asking.search({ ...asked, max_results: MAX_RESULTS, offset }));
  }
  const all = whole.flatMap(shown);
  const total = whole[0]!.total_candidates;
  for (const { max_results, offset, facets, explain } of [...PLAIN_PAGES, ...pages]) {
    const answer = await asking.search({ ...asked, max_results, offset, facets: facets && [...facets], explain });
    const from = offset ?? 0;
    expect(shown(answer)).toEqual(all.slice(from, from + max_results));
    expect(answer.no_match).toBe(whole[0]!.no_match);
    expect(nearest(answer, max_results)).toEqual(nearest(whole[0]!, max_results));
    if (offset === undefined && facets === undefined) continue;
    expect(answer.total_candidates).toBe(total);
    const counted = answer.facets?.entity_type?.reduce((sum, { count }) => sum + count, 0);
    expect(counted ?? total).toBe(total);
  }
  for (const { total_candidates } of whole) expect(total_candidates).toBe(total);
}

describe('the pages of a search', () => {
  it('are parts of one list, for every size, offset and facet', async () => {
    await fc.assert(
      fc.asyncProperty(question, fc.array(page, { maxLength: 4 }), (asked, pages) =>
        expectOneList(registry, asked, pages),
      ),
      { numRuns: 40 },
    );
  }, 180_000);

  it('are parts of one list where most of the first units do not match', async () => {
    const query = SYNONYMS.map(([word]) => word!).join(' ');
    await fc.assert(
      fc.asyncProperty(middlingQuestion, fc.array(page, { maxLength: 4 }), (asked, pages) =>
        expectOneList(middlingRegistry, asked, pages),
      ),
      { numRuns: 40, examples: [[{ query, preset: 'hybrid', min_confidence: undefined }, []]] },
    );
    const { results } = await middlingRegistry.search({ query });
    expect(results).toHaveLength(10);
    expect(results.filter(({ path }) => path.startsWith('/both')).length).toBeGreaterThan(0);
  }, 180_000);

  it('ask the index a second time only if it may have more matches', async () => {
    const query = SYNONYMS.map(([word]) => word!).join(' ');
    const retrievals = async (request: SearchRequestInput) => {
      calls.clear();
      await middlingRegistry.search({ query, ...request });
      return calls.get('index.retrieve');
    };
    expect(await retrievals({ max_results: 10 })).toBe(2);
    expect(await retrievals({ max_results: 1 })).toBe(1);
    expect(await retrievals({ max_results: 10, offset: 0 })).toBe(1);
    expect(await retrievals({ max_results: 10, min_confidence: 0.5 })).toBe(1);
    expect(await retrievals({ max_results: 10, preset: 'keyword' })).toBe(1);
  });

  it('list the tools of their results ten by ten', async () => {
    await fc.assert(
      fc.asyncProperty(some(1, 4), async (query) => {
        const lists = [];
        for (const max_results of [10, 20, MAX_RESULTS]) {
          const { tools } = await registry.search({ query, max_results });
          lists.push(tools.map(({ path, relevance_score }) => [path, relevance_score]));
        }
        const longest = lists.at(-1)!;
        for (const list of lists) expect(list).toEqual(longest.slice(0, list.length));
      }),
      { numRuns: 20 },
    );
  });

  it('have the same tools for every number of them', async () => {
    const search = async (query: string, k: number, kinds: readonly string[]) => {
      const { structured } = await searchTools.run(registry, searchTools.input.parse({ query, k, kinds }));
      return structured.results;
    };
    await fc.assert(
      fc.asyncProperty(some(1, 4), fc.constantFrom(['tool'], ['tool', 'mcp_server']), async (query, kinds) => {
        const longest = await search(query, MAX_RESULTS, kinds);
        for (const k of [1, 5, 7, 20]) expect(await search(query, k, kinds)).toEqual(longest.slice(0, k));
      }),
      { numRuns: 20 },
    );
  });
});
