import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it } from 'vitest';
import { DowserError } from '../../src/model/errors/errors.ts';
import type { LocalRegistry } from '../../src/registry/contract/registry.ts';
import { RECOMMEND_ROWS } from '../support/recommend-rows.ts';
import { WordEmbedder } from '../support/word-embedder.ts';
import { wordsRegistry } from '../support/words-registry.ts';

let registry: LocalRegistry;
afterEach(() => registry.close());

const pkg = (name: string, description: string) => ({ type: 'package', path: `/${name}`, name, description });
const TOOLS = [
  pkg('quiverdb', 'A vector database for embeddings'),
  pkg('stashkey', 'An in-memory cache with keys that expire'),
  pkg('memgraph', 'A graph database that is kept in memory'),
  pkg('chainmaker', 'A framework for language model applications'),
  pkg('quick-test', 'A test runner for browsers'),
];
const open = async (entities: readonly object[], embedder = new WordEmbedder()) => {
  registry = await wordsRegistry(entities, embedder);
};
/** Without a vector leg. */
const openByKeyword = (entities: readonly object[]) => {
  const embedder = new WordEmbedder();
  embedder.failure = new DowserError('EMBEDDER_UNAVAILABLE', 'down');
  return open(entities, embedder);
};
const found = async (query: string, preset: string, max_results = 10) =>
  (await registry.search({ query, preset, max_results, entity_types: ['package'] })).results.map(({ path }) => path);

describe.each(['recommend', 'recommend-legacy'])('TP-1: keywords, with %s', (preset) => {
  it('find a tool by its exact name and by a word of its text, best first', async () => {
    await openByKeyword(TOOLS);
    for (const { name, path } of TOOLS) expect((await found(name, preset))[0]).toBe(path);
    expect((await found('memgraph graph', preset))[0]).toBe('/memgraph');
    const { results } = await registry.search({ query: 'database graph', preset });
    const scores = results.map(({ relevance_score }) => relevance_score);
    expect(scores).toEqual([...scores].sort((a, b) => b - a));
    expect(scores[0]).toBeGreaterThan(0);
  });

  it('find nothing in an empty registry', async () => {
    await open([]);
    expect(await found('anything', preset)).toEqual([]);
    expect((await registry.recommend({ query: 'anything' })).recommendations).toEqual([]);
  });
});

describe('TP-2: the fusion of two lists', () => {
  it('has each result once, what is in both lists first, and no more than a page', async () => {
    await open(Array.from({ length: 200 }, (_, n) => pkg(`boat-${n}`, `A boat number ${n}`)));
    const all = await found('boat number', 'rrf', 50);
    expect([all.length, new Set(all).size]).toEqual([50, 50]);
    // The second stage passes 15 on.
    expect(await found('boat number', 'recommend-legacy', 50)).toHaveLength(15);
    await registry.put(pkg('harbor-lamp', 'harbor lamp'));
    expect((await found('harbor lamp', 'recommend-legacy'))[0]).toBe('/harbor-lamp');
  });

  it('of one list alone keeps its order', async () => {
    const boats = ['boat boat boat', 'boat boat with a long sail', 'one boat among many other things of the harbor'];
    await openByKeyword(boats.map((text, n) => pkg(`b${n}`, text)));
    expect(await found('boat', 'rrf')).toEqual(['/b0', '/b1', '/b2']);
    expect(await found('boat', 'recommend-legacy')).toEqual(['/b0', '/b1', '/b2']);
  });
});

describe('TP-8: the question about a facet', () => {
  const boat = (name: string, ...deployment: string[]) => ({
    ...pkg(`vessel-${name}`, 'A boat'),
    facets: { deployment },
  });

  it('counts the first value of each option, and offers no value that none of them has first', async () => {
    await openByKeyword([
      boat('a', 'embedded'),
      boat('b', 'cloud', 'serverless'),
      boat('c', 'cloud', 'embedded'),
      boat('d', 'cloud'),
      boat('e'),
      boat('f'),
      boat('g'),
      boat('h'),
    ]);
    const { questions } = await registry.recommend({ query: 'boat' });
    expect(questions).toMatchObject([{ dimension: 'deployment', options: ['cloud', 'embedded'] }]);
  });

  it('is not asked where all options have the same value or none', async () => {
    await openByKeyword(['a', 'b', 'c', 'd', 'e'].map((name) => boat(name, 'cloud')));
    expect((await registry.recommend({ query: 'boat', max_questions: 3 })).questions).toEqual([]);
  });
});

describe('TP-14: a need with several concepts', () => {
  it('finds each of them, the exact one first, within the limit', async () => {
    await open(TOOLS);
    const request = { use_case: 'a graph database, a test runner, a cache with keys' };
    const chosen = async (limit?: number) =>
      (await registry.getStack({ ...request, ...(limit === undefined ? {} : { limit }) })).layers.map(
        ({ choice }) => choice?.path,
      );
    expect(await chosen()).toEqual(['/memgraph', '/quick-test', '/stashkey']);
    expect(await chosen(2)).toHaveLength(2);
  });

  it('knows the parts of a name with a hyphen', async () => {
    await open(TOOLS);
    expect((await found('quick', 'recommend'))[0]).toBe('/quick-test');
    expect((await found('quick test', 'recommend'))[0]).toBe('/quick-test');
  });

  it('asks nothing back where few remain', async () => {
    await open(TOOLS);
    expect((await registry.recommend({ query: 'a graph database' })).questions).toEqual([]);
  });
});

describe('the rows', () => {
  it('are all proven by a test that names them', async () => {
    await open([]);
    const root = fileURLToPath(new URL('../../', import.meta.url));
    const files = ['src', 'test'].flatMap((folder) =>
      readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
        .filter((name) => name.endsWith('.test.ts'))
        .map((name) => readFileSync(join(root, folder, name), 'utf8')),
    );
    const cited = new Set(files.flatMap((text) => text.match(/(?<=['"`(])TP-\d+/g) ?? []));
    expect(Object.keys(RECOMMEND_ROWS).filter((row) => !cited.has(row))).toEqual([]);
    expect([...cited].filter((row) => !Object.hasOwn(RECOMMEND_ROWS, row))).toEqual([]);
  });
});
