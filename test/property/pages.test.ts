import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openEmbedded } from '../../src/engines/embedded/open-embedded.ts';
import { LAST_RESULT, MAX_RESULTS } from '../../src/model/query.ts';
import type { SearchResponse } from '../../src/model/result.ts';
import type { LocalRegistry } from '../../src/registry/registry.ts';
import { PRESETS } from '../../src/search/presets.ts';
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

const folder = temporaryFolder();
let registry: LocalRegistry;

beforeAll(async () => {
  const embedder = new WordEmbedder();
  registry = registryOver(await openEmbedded({ dir: folder.path, embedder }), embedder);
  const servers = Array.from({ length: SERVERS }, (_, n) => server(n));
  const tools = Array.from({ length: TOOLS }, (_, n) => ({
    type: 'tool',
    path: `/t${n}`,
    name: `tool ${n}`,
    ...text(n),
  }));
  for (let from = 0; from < SERVERS; from += 100) {
    await registry.putMany(servers.slice(from, from + 100), { vectors: 'later' });
  }
  await registry.putMany([...tools, ...NAMES.flatMap(named)], { vectors: 'later' });
  await registry.embedPending();
}, 120_000);
afterAll(async () => {
  await registry.close();
  folder.remove();
});

const shown = ({ results }: SearchResponse) =>
  results.map(({ entity_type, path, matched_unit, confidence, similarity_score }) => {
    return [entity_type, path, matched_unit.key, confidence, similarity_score];
  });

const some = (minLength: number, maxLength: number) =>
  fc.array(fc.constantFrom(...WORDS), { minLength, maxLength }).map((list) => list.join(' '));
/** Sentences that are searched one by one. */
const task = fc.array(some(3, 6), { minLength: 2, maxLength: 5 }).map((list) => `${list.join('. ')}.`);
const question = fc.record({
  query: fc.oneof(
    some(1, 4),
    task,
    fc.constantFrom(...NAMES, 'server 40', 'tool 7'),
    fc.constantFrom('K40x7', 'K0x7 K290x7', 'harbor lamp K100x7'),
  ),
  preset: fc.constantFrom(...STEADY),
  entity_types: fc.constantFrom<string[] | undefined>(undefined, ['mcp_server'], ['tool'], ['mcp_server', 'tool']),
});
interface Page {
  readonly max_results: number;
  readonly offset?: number | undefined;
  readonly facets?: readonly ['entity_type', 'tags'] | undefined;
  readonly explain?: boolean;
}
/** What most callers ask for. These look no further than they must. */
const PLAIN_PAGES: readonly Page[] = [{ max_results: 1 }, { max_results: 10 }];
const page: fc.Arbitrary<Page> = fc.record({
  max_results: fc.integer({ min: 1, max: MAX_RESULTS }),
  offset: fc.option(fc.integer({ min: 0, max: LAST_RESULT - MAX_RESULTS }), { nil: undefined }),
  facets: fc.option(fc.constant(['entity_type', 'tags'] as const), { nil: undefined }),
  explain: fc.boolean(),
});

describe('the pages of a search', () => {
  it('are parts of one list, for every size, offset and facet', async () => {
    await fc.assert(
      fc.asyncProperty(question, fc.array(page, { maxLength: 4 }), async (asked, pages) => {
        const whole: SearchResponse[] = [];
        for (let offset = 0; offset < LAST_RESULT; offset += MAX_RESULTS) {
          whole.push(await registry.search({ ...asked, max_results: MAX_RESULTS, offset }));
        }
        const all = whole.flatMap(shown);
        const total = whole[0]!.total_candidates;
        for (const { max_results, offset, facets, explain } of [...PLAIN_PAGES, ...pages]) {
          const answer = await registry.search({
            ...asked,
            max_results,
            offset,
            facets: facets && [...facets],
            explain,
          });
          const from = offset ?? 0;
          expect(shown(answer)).toEqual(all.slice(from, from + max_results));
          if (offset === undefined && facets === undefined) continue;
          expect(answer.total_candidates).toBe(total);
          const counted = answer.facets?.entity_type?.reduce((sum, { count }) => sum + count, 0);
          expect(counted ?? total).toBe(total);
        }
        for (const { total_candidates } of whole) expect(total_candidates).toBe(total);
      }),
      { numRuns: 40 },
    );
  }, 180_000);
});
