import { readFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { MemoryEngine } from '../../src/engines/memory/memory-engine.ts';
import { ndcg } from '../../src/eval/metrics.ts';
import { searchService } from '../../src/mcp/memory-service/search-service.ts';
import { createMemories } from '../../src/memories/create-memories.ts';
import { fitChars } from '../../src/memories/find/fit-chars.ts';
import { chunkText } from '../../src/model/text/chunks.ts';
import { byRank } from '../../src/search/ranking/fusion/by-rank.ts';
import { inverseKeywordScore, linear, shareOfCeiling } from '../../src/search/ranking/fusion/linear.ts';
import { CLASSES, QUESTIONS } from '../golden/conversations/conversations.ts';
import { scoredUnit } from '../support/candidates.ts';
import { countedEngine } from '../support/counted-engine.ts';
import { MEMORY_ROWS } from '../support/memory-rows.ts';
import { foundUnit } from '../support/rank-lists.ts';
import { registryOver } from '../support/registry-over.ts';
import { WordEmbedder } from '../support/word-embedder.ts';
import { type TestMemories, wordMemories } from '../support/word-memories.ts';

/** The rows of the memory service's contract, by their ids. */
let memories: TestMemories;
beforeEach(async () => {
  memories = await wordMemories();
});
afterEach(() => memories.registry.close());

const debugOf = async (query: string, more: object = {}): Promise<(Record<string, unknown> & { content: string })[]> =>
  (await memories.search({ query, include_debug: true, ...more })).memories.map(({ content, debug_info }) => ({
    content,
    ...debug_info,
  }));

describe('MS-1: the scale of keyword scores', () => {
  it.each([
    [0, 1],
    [-5, 0.5],
    [-10, 0],
    [-15, 0],
    [5, 1],
  ])('of the literal preset turns rank %d into %d', (rank, expected) => {
    expect(inverseKeywordScore(-rank)).toBeCloseTo(expected, 12);
  });

  it('of the default rises with the score', async () => {
    for (let n = 0; n < 30; n++) await memories.store({ content: `note ${n} about the weather` });
    await memories.store({ content: 'SYNC-4711 broke, SYNC-4711 was fixed' });
    await memories.store({
      content: `the weather, the harbor, the boats, and last of all ${'words '.repeat(30)} SYNC-4711`,
    });
    const [best, second] = await debugOf('SYNC-4711');
    expect(best?.content).toBe('SYNC-4711 broke, SYNC-4711 was fixed');
    expect(best?.keyword_score).toBeGreaterThan(second?.keyword_score as number);
    const legacy = await debugOf('SYNC-4711', { preset: 'memory-legacy' });
    const scoreIn = (content: string) => legacy.find((one) => one.content.startsWith(content))?.keyword_score as number;
    expect(scoreIn('SYNC-4711 broke')).toBeLessThan(scoreIn('the weather, the harbor'));
  });
});

describe('the weighted sum', () => {
  const fused = (keyword: number, semantic: number, weights: { keyword: number; vector: number }) => {
    const { score } = linear({ weights, keywordGain: shareOfCeiling(1), cosines: 'shifted' });
    const found = foundUnit({ path: '/m', keyword, vector: 2 * semantic - 1 });
    return score(scoredUnit(found, { keywordRank: 1, vectorRank: 1 }));
  };

  it.each([
    ['MS-2', 1, 0, 0.3, 0.7, 0.3],
    ['MS-2', 0, 1, 0.3, 0.7, 0.7],
    ['MS-2', 1, 1, 0.3, 0.7, 1],
    ['MS-2', 0, 0, 0.3, 0.7, 0],
    ['MS-2', 0.8, 0.6, 0.3, 0.7, 0.66],
    ['MS-3', 0.8, 0.6, 0.5, 0.5, 0.7],
    ['MS-3', 0.8, 0.6, 0.8, 0.2, 0.76],
  ])('%s: of %d and %d with %d and %d is %d', (_, keyword, semantic, forKeyword, forVector, expected) => {
    expect(fused(keyword, semantic, { keyword: forKeyword, vector: forVector })).toBeCloseTo(expected, 12);
  });
});

describe('a search', () => {
  it('MS-4: finds the one memory by its own text, with a score of at least .65', async () => {
    await memories.store({ content: 'the quiet harbor lamp' });
    const [best] = (await memories.search({ query: 'the quiet harbor lamp' })).memories;
    expect(best?.score).toBeGreaterThanOrEqual(0.65);
    expect(best?.similarity_score).toBeCloseTo(1, 3);
  });

  it('MS-5: puts the memory with the word first', async () => {
    await memories.store({ content: 'REST endpoint for users' });
    await memories.store({ content: 'GraphQL endpoint for profiles' });
    expect((await memories.search({ query: 'GraphQL' })).memories[0]?.content).toBe('GraphQL endpoint for profiles');
  });

  it('MS-6: gives a keyword score though other words stand between', async () => {
    await memories.store({ content: 'PostgreSQL uses connection based pooling' });
    const [found] = await debugOf('PostgreSQL connection pooling');
    expect(found?.keyword_score).toBeGreaterThan(0);
    expect(found?.semantic_score).toBeGreaterThan(0.5);
  });

  it('MS-7: says its mode, and each memory has hash, content and similarity', async () => {
    const { content_hash } = await memories.store({ content: 'a red boat' });
    const answer = await memories.search({ query: 'boat', mode: 'hybrid' });
    expect(answer.mode).toBe('hybrid');
    expect(answer.memories).toMatchObject([
      { content_hash, content: 'a red boat', similarity_score: expect.any(Number) },
    ]);
  });

  it('MS-8: takes an empty query and words that mean nothing', async () => {
    await memories.store({ content: 'a red boat' });
    expect((await memories.search({ query: '' })).memories).toHaveLength(1);
    expect((await memories.search({ query: 'AND OR NOT *' })).memories).toEqual(expect.any(Array));
  });

  it('MS-9: names the backend', async () => {
    await memories.store({ content: 'a red boat' });
    expect((await debugOf('boat'))[0]?.backend).toBe('hybrid-bm25-vector');
    expect((await debugOf('boat', { fusion: 'rrf' }))[0]).toMatchObject({ backend: 'hybrid-rrf', consensus: true });
  });

  it('MS-10: by ranks adds 1/(60 + rank) of each leg, and .1 once for both', async () => {
    const { score } = byRank(60, { keyword: 1, vector: 1 }, 0.1);
    const found = foundUnit({ path: '/m', keyword: 1, vector: 1 });
    expect(score(scoredUnit(found, { keywordRank: 1, vectorRank: 1 }))).toBeCloseTo(1 / 61 + 1 / 61 + 0.1, 9);
    expect(score(scoredUnit(found, { keywordRank: 1, vectorRank: null }))).toBeCloseTo(1 / 61, 9);
    for (const content of ['red boat', 'red car', 'blue boat', 'green hill']) await memories.store({ content });
    const request = { query: 'red boat', fusion: 'rrf', limit: 2 } as const;
    const [once, again] = [await memories.search(request), await memories.search(request)];
    expect(once.memories.map(({ content }) => content)).toEqual(again.memories.map(({ content }) => content));
    expect(once.memories).toHaveLength(2);
    expect(once.memories[0]?.content).toBe('red boat');
  });

  it('MS-13: hides what is superseded, and shows it on request', async () => {
    const old = await memories.store({ content: 'the boat is red' });
    await memories.store({ content: 'the boat is blue', supersedes: old.content_hash });
    expect((await memories.search({ query: 'boat' })).memories).toHaveLength(1);
    expect((await memories.search({ query: 'boat', include_superseded: true })).memories).toHaveLength(2);
  });

  it.each([
    ['mode', { mode: 'fuzzy' }],
    ['keyword_weight', { keyword_weight: 1.5 }],
    ['semantic_weight', { semantic_weight: -0.1 }],
    ['keyword_weight', { keyword_weight: 0, semantic_weight: 0 }],
    ['time_expr', { time_expr: 'purple' }],
    ['limit', { limit: 101 }],
    ['query', { query: 'x'.repeat(4097) }],
    ['fusion', { fusion: 'magic' }],
    ['as_of', { as_of: 'then' }],
  ])('MS-16: refuses a bad %s with the field', async (field, more) => {
    await expect(memories.search({ query: 'a', ...more } as never)).rejects.toMatchObject({
      code: 'INVALID_REQUEST',
      field,
    });
  });

  it('takes 0 and 1 as weights: the other leg decides alone', async () => {
    for (const content of ['red boat', 'red red red car', 'ship']) await memories.store({ content });
    const found = async (weights: object) => (await memories.search({ query: 'red', ...weights })).memories[0]?.content;
    expect(await found({ keyword_weight: 1, semantic_weight: 0 })).toBe('red red red car');
    expect(await found({ keyword_weight: 0, semantic_weight: 1 })).toBe('red red red car');
    const alone = await memories.search({ query: 'red', keyword_weight: 1, include_debug: true });
    expect(alone.search_mode).toBe('lexical-only');
  });
});

it('MS-12: the hash has no outer spaces and no case, but inner spaces', async () => {
  const hash = async (content: string) => (await memories.store({ content })).content_hash;
  expect(await hash(' Tea Time')).toBe(await hash('tea time  '));
  expect(await hash('tea time')).not.toBe(await hash('tea  time'));
  expect(await hash('x')).toMatch(/^[0-9a-f]{64}$/);
});

it('MS-16: a boost by quality is from 0 to 1, and the answer says that it changes nothing', async () => {
  await memories.store({ content: 'a' });
  for (const quality_boost of [-0.1, 1.1, 'much']) {
    await expect(searchService(memories, { query: 'a', quality_boost })).rejects.toMatchObject({
      code: 'INVALID_REQUEST',
      field: 'quality_boost',
    });
  }
  expect(await searchService(memories, { query: 'a', quality_boost: 0.3, entity: 'b' })).toMatch(
    /'quality_boost' changes nothing[\s\S]*'entity' changes nothing/,
  );
  expect(await searchService(memories, { query: 'a', quality_boost: 0, entity: null })).not.toContain(
    'changes nothing',
  );
});

it('MS-16: forgetting without a filter is refused, a dry run only counts, tags are any or all', async () => {
  await memories.store({ content: 'a', tags: ['x', 'y'] });
  await memories.store({ content: 'b', tags: ['x'] });
  await expect(memories.forget({})).rejects.toMatchObject({ code: 'INVALID_REQUEST' });
  expect((await memories.forget({ tags: ['x', 'y'], dry_run: true })).count).toBe(2);
  expect((await memories.forget({ tags: ['x', 'y'], tag_match: 'all', dry_run: true })).count).toBe(1);
  expect((await memories.list()).total).toBe(2);
});

it('MS-17: an answer is cut between memories, in order, with at least one', async () => {
  const items = ['aaaa', 'bbbb', 'cccc'].map((content) => ({ content }));
  expect(fitChars(items, undefined)).toEqual({ shown: items, omitted: 0 });
  expect(fitChars(items, 8)).toEqual({ shown: items.slice(0, 2), omitted: 1 });
  expect(fitChars(items, 1)).toEqual({ shown: items.slice(0, 1), omitted: 2 });
  for (const { content } of items) await memories.store({ content: `boat ${content}` });
  const answer = await memories.search({ query: 'boat', max_response_chars: 10 });
  expect([answer.memories.length, answer.omitted, answer.total]).toEqual([1, 2, 3]);
});

it('MS-18: a long text is found by its parts, which overlap and have no more than their length', async () => {
  expect(chunkText('short', 100)).toEqual(['short']);
  expect(chunkText('', 100)).toEqual([]);
  const chunks = chunkText('word '.repeat(60), 100, 20);
  for (const chunk of chunks) expect(chunk.length).toBeLessThanOrEqual(100);
  expect(chunks.length).toBeGreaterThanOrEqual(3);
  await memories.store({ content: `${'the sea is calm today. '.repeat(120)} the lamp is broken` });
  expect((await memories.search({ query: 'broken lamp' })).memories[0]?.match?.text).toContain('lamp is broken');
});

it('MS-20: time words filter inside the legs, and nothing means nothing', async () => {
  await memories.store({ content: 'boat one', created_at: '2026-11-10T12:00:00Z' });
  await memories.store({ content: 'boat two', created_at: '2026-01-10T12:00:00Z' });
  const found = async (time_expr: string) =>
    (await memories.search({ query: 'boat', time_expr })).memories.map(({ content }) => content);
  expect(await found('last week')).toEqual(['boat one']);
  expect(await found('between january and march')).toEqual(['boat two']);
  expect((await memories.search({ query: 'boat', time_expr: 'yesterday' })).time_range).toEqual({
    from: '2026-11-16T00:00:00.000Z',
    to: '2026-11-17T00:00:00.000Z',
  });
});

it('MS-21: what was forgotten is not changed, superseded or restored', async () => {
  const { content_hash } = await memories.store({ content: 'gone' });
  const other = await memories.store({ content: 'here' });
  await memories.forget({ content_hash });
  for (const call of [
    () => memories.update(content_hash, { content: 'new' }),
    () => memories.supersede(content_hash, { by: other.content_hash }),
    () => memories.supersede(other.content_hash, { by: content_hash }),
    () => memories.store({ content: 'new', supersedes: content_hash }),
    () => memories.undoSupersede(content_hash),
  ]) {
    await expect(call()).rejects.toMatchObject({ code: 'NOT_FOUND' });
  }
  expect((await memories.get(other.content_hash)).superseded).toBeNull();
});

it('MS-11: a search of a hundred memories asks the index once and reads the store twice', async () => {
  const embedder = new WordEmbedder();
  const { engine, calls } = countedEngine(new MemoryEngine({ embedder }));
  const registry = registryOver(engine, embedder);
  const own = createMemories(registry);
  await own.storeMany(Array.from({ length: 100 }, (_, n) => ({ content: `note ${n} about the harbor` })));
  await registry.embedPending();
  calls.clear();
  for (let n = 0; n < 20; n++) {
    const { memories: found } = await own.search({ query: `what about the harbor and note ${n}`, limit: 5 });
    expect(found.some(({ content }) => content.startsWith(`note ${n} `))).toBe(true);
  }
  expect([calls.get('index.retrieve'), calls.get('store.getMany'), calls.get('store.scan')]).toEqual([
    20,
    40,
    undefined,
  ]);
  await registry.close();
});

describe('MS-15: the fallback', () => {
  const calls: string[] = [];
  const counted = () => ({
    ...memories,
    search: (request: Parameters<TestMemories['search']>[0]) => {
      calls.push(request.tags === undefined ? (request.mode ?? 'hybrid') : 'tags');
      return memories.search(request);
    },
  });
  const asked = async (args: object) => {
    calls.length = 0;
    return searchService(counted(), { query: 'heron', ...args });
  };

  it('is asked for, and only where a search finds little', async () => {
    await memories.store({ content: 'The boat is called Heron', tags: ['heron'] });
    await asked({});
    expect(calls).toEqual(['semantic']);
    const text = await asked({ fallback: true });
    expect(calls).toEqual(['semantic', 'exact', 'tags']);
    expect(text).toContain('semantic with fallback');
    expect(text.match(/Hash: /g)).toHaveLength(1);
    expect(text).toMatch(/"match_method":"semantic"/);
    await asked({ fallback: true, mode: 'exact' });
    expect(calls).toEqual(['exact']);
    for (const name of ['red', 'blue', 'green', 'white']) await memories.store({ content: `heron heron ${name}` });
    await asked({ fallback: true });
    expect(calls).toEqual(['semantic']);
  });
});

it('MS-19: a query without an answer counts 1, a miss 0, the second place 1 / log2(3)', () => {
  expect(ndcg(['a'], new Map())).toBe(1);
  expect(ndcg(['a', 'b'], new Map([['c', 1]]))).toBe(0);
  expect(ndcg(['a', 'b'], new Map([['b', 1]]))).toBeCloseTo(Math.log2(2) / Math.log2(3), 12);
});

it('MS-22: our own questions are of several classes, and some have no answer', () => {
  expect([...new Set(QUESTIONS.map((question) => question.class))]).toEqual([...CLASSES]);
});

const FILES = ['./memory-rows.test.ts', './memory-certainty.test.ts'];

describe('the rows', () => {
  it('are all proven by a test that names them', () => {
    const text = FILES.map((file) => readFileSync(new URL(file, import.meta.url), 'utf8')).join('\n');
    const cited = new Set(text.match(/(?<=['"`])MS-\d+/g));
    expect(Object.keys(MEMORY_ROWS).filter((row) => !cited.has(row))).toEqual([]);
    expect([...cited].filter((row) => !Object.hasOwn(MEMORY_ROWS, row))).toEqual([]);
  });
});
