import { afterEach, expect, it } from 'vitest';
import { memoryRegistry } from '../../test/support/memory-registry.ts';
import { WordEmbedder } from '../../test/support/word-embedder.ts';
import { type TestMemories, wordMemories } from '../../test/support/word-memories.ts';
import { openMemories } from '../open.ts';

let memories: TestMemories | undefined;
afterEach(async () => {
  await memories?.registry.close();
  memories = undefined;
});

it('takes weights from the settings, unless a request has its own', async () => {
  memories = await wordMemories(new WordEmbedder([['boat', 'ship']]), { keywordWeight: 1, semanticWeight: 0 });
  await memories.store({ content: 'the ship sails' });
  expect((await memories.search({ query: 'boat' })).memories).toEqual([]);
  expect((await memories.search({ query: 'boat', semantic_weight: 1 })).memories).toHaveLength(1);
});

it('is by meaning only, and says so, where hybrid search is switched off', async () => {
  memories = await wordMemories(undefined, { hybrid: false });
  await memories.store({ content: 'a red boat' });
  const { warnings, preset } = await memories.search({ query: 'boat' });
  expect([preset, warnings]).toEqual(['vector', ['Hybrid search is switched off: results are by meaning only.']]);
});

it('joins by rank where the settings say so', async () => {
  memories = await wordMemories(undefined, { fusion: 'rrf' });
  await memories.store({ content: 'a red boat' });
  expect((await memories.search({ query: 'boat' })).preset).toBe('memory-rrf');
});

it('reads the names of the memory service, and refuses two weights of 0', async () => {
  const registry = await memoryRegistry();
  const settings = { engine: 'memory', memory_keyword_weight: '0', memory_semantic_weight: 0 };
  await expect(openMemories(registry, settings)).rejects.toMatchObject({
    code: 'INVALID_SETTING',
    field: 'memory_keyword_weight',
  });
  await registry.close();
});

it('searches by keyword, and says so, while the model is down', async () => {
  const embedder = new WordEmbedder();
  memories = await wordMemories(embedder);
  await memories.store({ content: 'a red boat' });
  embedder.fail();
  const answer = await memories.search({ query: 'red boat' });
  expect(answer.memories).toHaveLength(1);
  expect([answer.search_mode, answer.warnings.length]).toEqual(['lexical-only', 1]);
});
