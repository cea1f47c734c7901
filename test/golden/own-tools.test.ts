import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { McpServer } from '../../src/model/entity.ts';
import type { LocalRegistry } from '../../src/registry/contract/registry.ts';
import { toolScore } from '../../src/search/keyword/boost/tool-score.ts';
import { temporaryFolder } from '../support/engine-fixtures.ts';
import { WordEmbedder } from '../support/word-embedder.ts';
import { wordsRegistry } from '../support/words-registry.ts';

const linesOf = (name: string): readonly Record<string, unknown>[] =>
  readFileSync(new URL(`../../examples/catalog/${name}.jsonl`, import.meta.url), 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));
const FILES = ['mcp-servers', 'agents', 'skills', 'virtual-servers', 'tools'];
const servers = linesOf('mcp-servers') as unknown as readonly McpServer[];

const folder = temporaryFolder();
let registry: LocalRegistry;
beforeAll(async () => {
  registry = await wordsRegistry(FILES.flatMap(linesOf), new WordEmbedder(), {
    engine: 'embedded',
    data_dir: folder.path,
  });
});
afterAll(async () => {
  await registry.close();
  folder.remove();
});

describe('the tools of an answer', () => {
  it.each(['hybrid', 'keyword', 'rrf'])(
    'begin with those of the server that the query names, in %s',
    async (preset) => {
      const first: string[] = [];
      const wrong: string[] = [];
      for (const { name, path, tools } of servers) {
        const answer = await registry.search({ query: name, preset, include_deprecated: true, include_disabled: true });
        if (answer.results[0]?.path !== path || (tools ?? []).length === 0) continue;
        first.push(path);
        const [tool] = answer.tools;
        if (tool?.server_path !== path) wrong.push(`${name}: ${tool?.path}`);
        const scores = answer.tools.map(({ relevance_score }) => relevance_score);
        expect(scores).toEqual([...scores].sort((a, b) => b - a));
      }
      expect(wrong).toEqual([]);
      expect(first.length).toBeGreaterThan(80);
    },
  );

  it.each(['registry', 'registry-legacy', 'lexical'])(
    'TL-12: are the matching tools of the servers with their scores in %s, also if the query names a server',
    async (preset) => {
      const shown = { include_deprecated: true, include_disabled: true, floor: 0 };
      let filled = 0;
      for (const { name } of servers) {
        const { servers: found, tools } = await registry.search({ query: name, preset, ...shown });
        const matching = found.flatMap(({ path, matching_tools }) =>
          matching_tools.map(({ tool_name, relevance_score }) => `${path} ${tool_name} ${relevance_score}`),
        );
        const listed = tools.map(
          ({ server_path, tool_name, relevance_score }) => `${server_path} ${tool_name} ${relevance_score}`,
        );
        expect(listed.toSorted()).toEqual(matching.slice(0, preset === 'registry-legacy' ? 3 : 6).toSorted());
        if (listed.length > 0) filled++;
      }
      expect(filled).toBeGreaterThan(60);
    },
  );

  it('have scores of their own if the query is only the name of their server, below any tool that says the name', async () => {
    const { servers: found, tools } = await registry.search({ query: 'strava' });
    expect(found[0]).toMatchObject({ path: '/strava', relevance_score: 1 });
    const scores = tools.map(({ relevance_score }) => relevance_score);
    expect(scores).toHaveLength(6);
    expect(Math.max(...scores)).toBeLessThan(toolScore(['strava'], { name: 'sync', description: 'From strava.' }));
    expect(new Set(scores).size).toBeGreaterThan(3);
  });

  it.each(['qwzx vblk', 'qqxq vvbbw'])('are none for %j, which nothing says', async (query) => {
    for (const preset of ['hybrid', 'registry']) {
      const { tools } = await registry.search({ query, preset, weights: { keyword: 1, vector: 0 } });
      expect(tools).toEqual([]);
    }
  });

  it('have at least the confidence that the request asks for', async () => {
    const { tools } = await registry.search({ query: 'create an issue', min_confidence: 0.3 });
    expect(tools.length).toBeGreaterThan(0);
    for (const { confidence } of tools) expect(confidence).toBeGreaterThanOrEqual(0.3);
  });

  it('are in the order of a search for tools', async () => {
    for (const query of ['read a pdf file', 'create an issue', 'current weather forecast']) {
      const mixed = await registry.search({ query });
      const alone = await registry.search({ query, entity_types: ['tool'], max_results: 50 });
      const order = new Map(alone.tools.map(({ path }, at) => [path, at]));
      const places = mixed.tools.map(({ path }) => order.get(path) ?? Number.POSITIVE_INFINITY);
      expect(places[0], query).toBeLessThan(6);
    }
  });
});
