import { readdirSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createDocuments } from '../../src/documents/create-documents.ts';
import { pageWithTools } from '../../src/mcp/items/tool-items.ts';
import { intelligentToolFinder } from '../../src/mcp/tools/intelligent-tool-finder.ts';
import { searchTools } from '../../src/mcp/tools/search-tools.ts';
import { createMemories } from '../../src/memories/create-memories.ts';
import type { SearchResponse } from '../../src/model/answer/result.ts';
import { typesOfRole } from '../../src/model/entity-types/table.ts';
import { MAX_RESULTS } from '../../src/model/query/query.ts';
import type { LocalRegistry } from '../../src/registry/contract/registry.ts';
import { type GoldenRegistry, goldenRegistry } from '../support/golden-registry.ts';

const folder = new URL('../../examples/catalog/', import.meta.url);
const catalog = readdirSync(folder)
  .filter((name) => name.endsWith('.jsonl'))
  .flatMap((name) => readFileSync(new URL(name, folder), 'utf8').trim().split('\n'))
  .map((line) => JSON.parse(line) as Record<string, string>);
const names = catalog.filter(({ type }) => type === 'mcp_server').map(({ name }) => name!);

let golden: GoldenRegistry;
let registry: LocalRegistry;
beforeAll(async () => {
  golden = await goldenRegistry(catalog);
  registry = golden.registry;
}, 240_000);
afterAll(() => golden?.close());

/** What the two MCP tools list for a query, as paths with their scores, or the confidence that an agent sees. */
async function foundByMcp(query: string, count: number) {
  const asked = { ...registry, memories: createMemories(registry), documents: createDocuments(registry) };
  const finder = await intelligentToolFinder.run(asked, { query, top_n: count });
  const search = await searchTools.run(asked, searchTools.input.parse({ query, k: count, kinds: ['tool'] }));
  return {
    finder: finder.structured.results.map(({ path, tool_name, score }) => [path, tool_name, score]),
    search: search.structured.results.map(({ path, confidence }) => [path, confidence]),
  };
}
const shown = (score: number) =>
  score <= 0 || score >= 1 ? score : Math.min(99, Math.max(1, Math.round(score * 100))) / 100;

describe('one list of tools', () => {
  const ofServers = ({ server_path, path, tool_name }: SearchResponse['tools'][number]) =>
    path === `${server_path}#${tool_name}` ? server_path : path;

  it.each([
    ['the name of a server', names],
    ['a task', ['read a pdf file', 'create an issue', 'current weather forecast', 'qwzx vblk']],
  ])('is given by search_tools and intelligent_tool_finder too, for %s', async (_, queries) => {
    let count = 0;
    for (const query of queries) {
      const request = { query, entity_types: [...typesOfRole('capability')] };
      const { tools } = await registry.search(request);
      const listed = (await registry.search({ ...request, max_results: MAX_RESULTS })).tools.slice(0, 6);
      const { finder, search } = await foundByMcp(query, 6);
      count += tools.length;
      expect(finder, query).toEqual(
        listed.map((tool) => [ofServers(tool), tool.tool_name, shown(tool.relevance_score)]),
      );
      expect(search.slice(0, tools.length), query).toEqual(tools.map((tool) => [tool.path, shown(tool.confidence)]));
      // Tools of later results follow, then those of virtual servers, which are in no list of an answer.
      const later = search.slice(tools.length).filter(([path]) => !`${path}`.startsWith('/virtual/'));
      expect(later, query).toEqual(listed.slice(tools.length).map((tool) => [tool.path, shown(tool.confidence)]));
    }
    expect(count).toBeGreaterThan(queries.length);
  });

  it('has only tools that match, if the query is the name of a server', async () => {
    const unrelated: string[] = [];
    for (const query of names) {
      const { results, tools } = await registry.search({ query, entity_types: [...typesOfRole('capability')] });
      if (results[0]?.name !== query) continue;
      for (const { path, confidence } of tools)
        if (confidence < 0.01) unrelated.push(`${query}: ${path} ${confidence}`);
    }
    expect(unrelated).toEqual([]);
  });

  it('has as many tools as were asked for, up to thirty', async () => {
    expect([1, 6, 7, 30, 31, 50].map(pageWithTools)).toEqual([10, 10, 20, 50, 50, 50]);
    const { finder } = await foundByMcp('search', 20);
    expect(finder).toHaveLength(20);
  });
});

describe('naming a type', () => {
  const QUERIES = [
    'authentication',
    'laravel',
    'password',
    'encryption',
    'kubernetes operator',
    'web framework',
    'queue',
  ];

  it('does not turn results that the same search shows without it into no match', async () => {
    for (const query of QUERIES) {
      const { results, tools } = await registry.search({ query });
      for (const type of new Set(results.map(({ entity_type }) => entity_type))) {
        const { no_match } = await registry.search({ query, entity_types: [type] });
        expect([query, type, no_match]).toEqual([query, type, false]);
      }
      const { no_match } = await registry.search({ query, entity_types: ['tool'] });
      if (tools.length > 0) expect([query, 'tool', no_match]).toEqual([query, 'tool', false]);
    }
    const { servers } = await registry.search({ query: 'authentication', max_results: 20 });
    const named = await registry.search({ query: 'authentication', entity_types: ['mcp_server'], max_results: 20 });
    expect(servers.length).toBeGreaterThan(4);
    expect(named.results.map(({ path }) => path)).toEqual(expect.arrayContaining(servers.map(({ path }) => path)));
  });

  it('shows nothing where nothing matches without it either', async () => {
    for (const type of ['mcp_server', 'tool', 'skill']) {
      const { no_match, results } = await registry.search({ query: 'qwzx vblk', entity_types: [type] });
      expect([type, no_match, results]).toEqual([type, true, []]);
    }
  });
});
