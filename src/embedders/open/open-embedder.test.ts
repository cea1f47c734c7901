import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  type FakeEmbeddingServer,
  fakeSuccess,
  startFakeEmbeddingServer,
} from '../../../test/support/fake-embedding-server.ts';
import { type EmbedderSettings, openEmbedder } from './open-embedder.ts';

let dir: string;
let server: FakeEmbeddingServer;

beforeEach(async () => {
  dir = mkdtempSync(join(tmpdir(), 'dowser-embedder-'));
  server = await startFakeEmbeddingServer();
});
afterEach(async () => {
  await server.close();
  rmSync(dir, { recursive: true, force: true });
});

const endpoint = (settings: EmbedderSettings = {}): EmbedderSettings => ({
  provider: 'openai',
  modelName: 'm',
  dimensions: 4,
  apiBase: server.base,
  ...settings,
});

describe('openEmbedder', () => {
  it.each([
    [{}, 'local/dowser-tools-1/384'],
    [
      { provider: 'sentence-transformers', modelName: 'sentence-transformers/all-MiniLM-L6-v2' },
      'local/all-MiniLM-L6-v2/384',
    ],
    [{ modelName: 'gte-small', dimensions: 384 }, 'local/gte-small/384'],
    [{ provider: 'openai', apiKey: 'sk' }, 'openai/text-embedding-3-small/1536'],
    [
      { provider: 'openai', apiKey: 'sk', modelName: 'text-embedding-3-large', dimensions: 256 },
      'openai/text-embedding-3-large/256',
    ],
    [
      { provider: 'litellm', apiKey: 'sk', modelName: 'openai/text-embedding-3-large' },
      'openai/text-embedding-3-large/3072',
    ],
    [
      { provider: 'litellm', modelName: 'bedrock/amazon.titan-embed-text-v2:0' },
      'bedrock/amazon.titan-embed-text-v2:0/1024',
    ],
    [{ provider: 'litellm', modelName: 'ollama/nomic-embed-text' }, 'ollama/nomic-embed-text/768'],
    [
      { provider: 'litellm', modelName: 'cohere/embed-english-v3.0', apiBase: 'http://localhost:4000' },
      'openai/cohere/embed-english-v3.0/1024',
    ],
    [
      { provider: 'openai', modelName: 'bedrock/amazon.titan-embed-text-v1', apiBase: 'http://localhost:4000' },
      'openai/bedrock/amazon.titan-embed-text-v1/1536',
    ],
    [{ provider: 'bedrock' }, 'bedrock/amazon.titan-embed-text-v2:0/1024'],
    [
      { provider: 'bedrock', modelName: 'eu.cohere.embed-multilingual-v3' },
      'bedrock/eu.cohere.embed-multilingual-v3/1024',
    ],
    [{ provider: 'ollama', modelName: 'mystery:7b', dimensions: 4096 }, 'ollama/mystery:7b/4096'],
  ] as const)('%o is %s', async (settings, id) => {
    const { embedder, state } = await openEmbedder(settings);
    expect(embedder!.id).toBe(id);
    expect(embedder!.id.endsWith(`/${embedder!.dimensions}`)).toBe(true);
    expect(state()).toEqual({ id, state: 'ready' });
    await embedder!.close();
  });

  it.each(['none', 'off'] as const)('%s is no embedder', async (provider) => {
    const { embedder, state, warm } = await openEmbedder({ provider });
    expect(embedder).toBeNull();
    expect(state()).toEqual({ id: 'none', state: 'off' });
    await warm();
  });

  it.each([
    [{ provider: 'bedrok' as 'local' }, 'Unknown embedding provider "bedrok".'],
    [{ modelName: 'no-such-model' }, 'Unknown local embedding model "no-such-model".'],
    [{ dimensions: 512 }, 'The embedder local/dowser-tools-1/384 has 384 dimensions, not 512.'],
    [{ provider: 'openai' }, "OpenAI's endpoint needs a key."],
    [
      { provider: 'openai', apiKey: 'sk', modelName: 'mystery' },
      'Unknown number of dimensions for the model "mystery".',
    ],
    [
      { provider: 'litellm', modelName: 'cohere/embed-english-v3.0' },
      'The model "cohere/embed-english-v3.0" needs the address',
    ],
    [{ provider: 'openai', modelName: 'cohere/embed-english-v3.0' }, 'The model "cohere/embed-english-v3.0" needs'],
    [{ provider: 'ollama' }, 'Ollama has no default embedding model'],
    [{ provider: 'ollama', modelName: 'mystery' }, 'Unknown number of dimensions for the model "mystery".'],
    [{ provider: 'bedrock', modelName: 'meta.llama3', dimensions: 8 }, 'Unsupported Bedrock model "meta.llama3"'],
    [
      { provider: 'bedrock', apiKey: 'AKIA' },
      'Amazon Bedrock needs EMBEDDINGS_SECRET_KEY too: only EMBEDDINGS_API_KEY is set.',
    ],
    [
      { provider: 'openai', apiBase: 'not an address' },
      'The address of the embedding endpoint is not a web address: "not an address".',
    ],
  ] as const)('%o is refused', async (settings, message) => {
    await expect(openEmbedder(settings)).rejects.toMatchObject({
      code: 'INVALID_SETTING',
      message: expect.stringContaining(message),
    });
  });

  it('caches around the breaker around the embedder', async () => {
    const { embedder, state } = await openEmbedder(endpoint());
    await embedder!.embed(['known'], { as: 'query' });
    server.otherwise({ status: 401, body: '{}' });
    await expect(embedder!.embed(['new'], { as: 'query' })).rejects.toMatchObject({ code: 'EMBEDDER_REJECTED' });
    expect(state()).toMatchObject({ state: 'down', error: expect.stringContaining('answers 401') });
    await expect(embedder!.embed(['newer'], { as: 'query' })).rejects.toMatchObject({ code: 'EMBEDDER_UNAVAILABLE' });
    expect(await embedder!.embed(['known'], { as: 'query' })).toHaveLength(1);
    expect(server.requests).toHaveLength(2);
    await embedder!.close();
  });

  it('fails no query of others for a text whose vector is unusable', async () => {
    const { embedder, state } = await openEmbedder(endpoint());
    server.otherwise((request) => {
      const isPoison = request.body.input.some((text) => text.includes('poison'));
      return isPoison
        ? { data: request.body.input.map((_, index) => ({ index, embedding: [] })) }
        : fakeSuccess(request, 4);
    });
    const asked = Array.from({ length: 60 }, (_, i) => (i % 3 === 0 ? `poison ${i}` : `query ${i}`));
    const outcomes = await Promise.allSettled(asked.map((text) => embedder!.embed([text], { as: 'query' })));
    const failed = asked.filter((_, i) => outcomes[i]!.status === 'rejected');
    expect(failed).toEqual(asked.filter((text) => text.includes('poison')));
    expect(state().state).toBe('ready');
    await embedder!.close();
  });

  it('remembers documents in the file it is given, which questions never open', async () => {
    const cacheFile = join(dir, 'embeddings.sqlite');
    const first = await openEmbedder(endpoint({ cacheFile }));
    await first.embedder!.embed(['a question'], { as: 'query' });
    expect(existsSync(cacheFile)).toBe(false);
    const vectors = await first.embedder!.embed(['a document'], { as: 'document' });
    await first.embedder!.close();
    server.requests.length = 0;
    const second = await openEmbedder(endpoint({ cacheFile }));
    expect(await second.embedder!.embed(['a document'], { as: 'document' })).toEqual(vectors);
    expect(server.requests).toEqual([]);
    await second.embedder!.close();
  });

  it('does not fetch a local model that it must not fetch, and says so in its state', async () => {
    const { embedder, state, warm } = await openEmbedder({
      modelName: 'all-MiniLM-L6-v2',
      modelsDir: dir,
      download: false,
    });
    await expect(warm()).rejects.toMatchObject({
      code: 'EMBEDDER_UNAVAILABLE',
      message: `The embedding model all-MiniLM-L6-v2 is not in ${join(dir, 'all-MiniLM-L6-v2')}.`,
      hint: expect.stringContaining('dowser model pull'),
    });
    expect(state()).toMatchObject({ state: 'down', error: expect.stringContaining('is not in') });
    await embedder!.close();
  });
});
