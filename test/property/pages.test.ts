import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openEmbedded } from '../../src/engines/embedded/open-embedded.ts';
import { LAST_RESULT, MAX_RESULTS } from '../../src/model/query.ts';
import type { SearchResponse } from '../../src/model/result.ts';
import type { LocalRegistry } from '../../src/registry/registry.ts';
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
/** The presets whose first results do not depend on the page. */
const STEADY = ['hybrid', 'keyword', 'vector', 'rrf'];

let state = 7;
const random = (below: number) => {
  state = (Math.imul(state, 1103515245) + 12345) >>> 0;
  return (state >>> 8) % below;
};
const words = (count: number) => Array.from({ length: count }, () => WORDS[random(WORDS.length)]!).join(' ');
const text = () => ({ description: words(3 + random(6)), tags: [words(1)] });

function server(n: number) {
  const count = n % 100 === 0 ? 80 : random(9);
  const tools = Array.from({ length: count }, (_, at) => ({ name: `${words(1)}_${at}`, description: words(5) }));
  return { type: 'mcp_server', path: `/s${n}`, name: `server ${n}`, ...text(), tools };
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
    ...text(),
  }));
  for (let from = 0; from < SERVERS; from += 100) {
    await registry.putMany(servers.slice(from, from + 100), { vectors: 'later' });
  }
  await registry.putMany(tools, { vectors: 'later' });
  await registry.embedPending();
}, 120_000);
afterAll(async () => {
  await registry.close();
  folder.remove();
});

/** `rrf` asks no leg about units of the other one, so a deeper search knows more of what its confidence comes from. */
const shown = ({ results, preset }: SearchResponse) =>
  results.map(({ entity_type, path, matched_unit, confidence }) => {
    return [entity_type, path, matched_unit.key, preset === 'rrf' ? null : confidence];
  });

const question = fc.record({
  query: fc.uniqueArray(fc.constantFrom(...WORDS), { minLength: 1, maxLength: 4 }).map((some) => some.join(' ')),
  preset: fc.constantFrom(...STEADY),
  entity_types: fc.constantFrom<string[] | undefined>(undefined, ['mcp_server'], ['tool'], ['mcp_server', 'tool']),
});
const page = fc.record({
  max_results: fc.integer({ min: 1, max: MAX_RESULTS }),
  offset: fc.option(fc.integer({ min: 0, max: LAST_RESULT - MAX_RESULTS }), { nil: undefined }),
  facets: fc.option(fc.constant(['entity_type', 'tags'] as const), { nil: undefined }),
});

describe('the pages of a search', () => {
  it('are parts of one list, for every size, offset and facet', async () => {
    await fc.assert(
      fc.asyncProperty(question, fc.array(page, { minLength: 3, maxLength: 6 }), async (asked, pages) => {
        const whole: SearchResponse[] = [];
        for (let offset = 0; offset < LAST_RESULT; offset += MAX_RESULTS) {
          whole.push(await registry.search({ ...asked, max_results: MAX_RESULTS, offset }));
        }
        const all = whole.flatMap(shown);
        const total = whole[0]!.total_candidates;
        for (const { max_results, offset, facets } of pages) {
          const answer = await registry.search({ ...asked, max_results, offset, facets: facets && [...facets] });
          const from = offset ?? 0;
          expect(shown(answer)).toEqual(all.slice(from, from + max_results));
          if (offset === undefined && facets === undefined) continue;
          expect(answer.total_candidates).toBe(total);
          const counted = answer.facets?.entity_type?.reduce((sum, { count }) => sum + count, 0);
          expect(counted ?? total).toBe(total);
        }
        for (const { total_candidates } of whole) expect(total_candidates).toBe(total);
      }),
      { numRuns: 20 },
    );
  }, 180_000);
});
