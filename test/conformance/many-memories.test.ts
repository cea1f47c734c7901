import { afterAll, beforeAll, expect, it } from 'vitest';
import { createMemories, type MemoryService } from '../../src/memories/create-memories.ts';
import type { LocalRegistry } from '../../src/registry/contract/registry.ts';
import { temporaryFolder } from '../support/engine-fixtures.ts';
import { WordEmbedder } from '../support/word-embedder.ts';
import { wordsRegistry } from '../support/words-registry.ts';

const COUNT = 20_000;
const WORDS = 'boat hill lamp river bread cloud stone field glass paper green quiet early narrow'.split(' ');
/** The same every time. */
const wordAt = (n: number) => WORDS[(n * 2654435761) % WORDS.length]!;

const ODD = [
  'The import stopped: SYNC-4711 again',
  'A note on SYNC-4711 for the next release',
  'Rule 75.1725 asks for a check of every machine',
  'We build the page with node.js',
  'The old engine is C++',
];

const folder = temporaryFolder();
let registry: LocalRegistry;
let memories: MemoryService;

beforeAll(async () => {
  const plain = Array.from({ length: COUNT - ODD.length }, (_, n) => ({
    content: `${[0, 1, 2, 3, 4, 5].map((k) => wordAt(n + k * 977)).join(' ')} ${n}`,
    tags: n % 6667 === 1 ? ['rare'] : ['common'],
  }));
  const all = [...plain, ...ODD.map((content) => ({ content, tags: ['common'] }))];
  const entities = all.map((one, n) => ({ type: 'memory', path: `/m${n}`, ...one }));
  registry = await wordsRegistry(entities, new WordEmbedder(), { engine: 'embedded', data_dir: folder.path });
  memories = createMemories(registry);
}, 120_000);
afterAll(async () => {
  await registry.close();
  folder.remove();
});

const contents = async (request: Parameters<MemoryService['search']>[0]) =>
  (await memories.search(request)).memories.map(({ content }) => content);

it('puts both memories with a rare word first', async () => {
  expect((await contents({ query: 'SYNC-4711' })).slice(0, 2).toSorted()).toEqual([ODD[1], ODD[0]]);
  expect((await contents({ query: 'What happened with SYNC-4711?' })).slice(0, 2).toSorted()).toEqual([ODD[1], ODD[0]]);
});

it.each([
  ['75.1725', ODD[2]],
  ['node.js', ODD[3]],
  ['C++', ODD[4]],
])('finds %s', async (query, expected) => {
  expect((await contents({ query }))[0]).toBe(expected);
});

it.each(['hybrid', 'semantic', 'exact'] as const)(
  'returns the three of 20,000 that a filter leaves (%s)',
  async (mode) => {
    const query = mode === 'exact' ? 'a' : 'a green boat on the river';
    const found = await memories.search({ query, mode, tags: ['rare'] });
    expect(found.memories.map(({ tags }) => tags)).toEqual([['rare'], ['rare'], ['rare']]);
  },
);
