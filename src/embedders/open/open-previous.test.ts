import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { EmbedderSettings } from './open-embedder.ts';
import { openPreviousEmbedder } from './open-previous.ts';

let modelsDir: string;
beforeAll(() => {
  modelsDir = mkdtempSync(join(tmpdir(), 'dowser-previous-'));
});
afterAll(() => rmSync(modelsDir, { recursive: true, force: true }));

const identity = (id: string) => ({ id, dimensions: Number(id.slice(id.lastIndexOf('/') + 1)) });

async function opened(id: string, settings: EmbedderSettings): Promise<string | null> {
  const previous = await openPreviousEmbedder(identity(id), { modelsDir, ...settings });
  await previous?.embedder?.close();
  return previous?.embedder?.id ?? null;
}

it.each([
  ['openai/old/8', { provider: 'openai', modelName: 'new', apiBase: 'http://localhost:1' }],
  [
    'openai/text-embedding-ada-002/1536',
    { provider: 'litellm', apiKey: 'sk', modelName: 'openai/text-embedding-3-small' },
  ],
  ['ollama/all-minilm/384', { provider: 'ollama', modelName: 'nomic-embed-text' }],
  ['bedrock/amazon.titan-embed-text-v1/1536', { provider: 'bedrock', awsRegion: 'eu-west-1' }],
] as const)('opens %s with what the settings have for its provider', async (id, settings) => {
  expect(await opened(id, settings)).toBe(id);
});

it.each([
  ['a local model that is not in the store', 'local/all-MiniLM-L6-v2/384', { provider: 'openai' }],
  ['a local model that nobody knows', 'local/gone/384', {}],
  ['another provider, whose key is not at hand', 'openai/old/8', { provider: 'ollama', modelName: 'm', apiKey: 'k' }],
  ['a remote one after a local one', 'openai/old/8', { provider: 'local' }],
  ['a provider that nobody knows', 'test/words/64', { provider: 'openai' }],
  ['a model that cannot be asked any more', 'bedrock/meta.llama/8', { provider: 'bedrock' }],
] as const)('is null for %s', async (_, id, settings) => {
  expect(await opened(id, settings)).toBeNull();
});
