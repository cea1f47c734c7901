import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  type EmbeddingRequest,
  type FakeEmbeddingServer,
  fakeVector,
  startFakeEmbeddingServer,
} from '../../../test/support/fake-embedding-server.ts';
import type { Embedder } from '../embedder.ts';
import { normalize } from '../normalize.ts';
import { openEmbedder } from '../open/open-embedder.ts';
import type { RemoteOptions } from './attempts.ts';
import { openOllamaEmbedder } from './ollama.ts';

const DIMENSIONS = 4;
let server: FakeEmbeddingServer;
let embedder: Embedder;
let base: string;

function open(options: Partial<RemoteOptions> = {}): Embedder {
  embedder = openOllamaEmbedder({ model: 'm', dimensions: DIMENSIONS, apiBase: base, backoffMs: 1, ...options });
  return embedder;
}

/** What Ollama answers: the vectors in a list, and how long it took. */
const success = ({ body }: EmbeddingRequest) => ({
  model: body.model,
  embeddings: body.input.map((text) => fakeVector(text, DIMENSIONS)),
  total_duration: 14_143_917,
});

beforeEach(async () => {
  server = await startFakeEmbeddingServer(DIMENSIONS);
  server.otherwise(success);
  base = new URL(server.base).origin;
  open();
});
afterEach(async () => {
  await embedder.close();
  await server.close();
});

const expected = (text: string) => normalize(Float32Array.from(fakeVector(text, DIMENSIONS)));
const asQuery = (text = 'a') => embedder.embed([text], { as: 'query' });

describe('the Ollama embedder', () => {
  it('posts the model and the texts, and normalizes what comes back', async () => {
    expect(embedder.id).toBe('ollama/m/4');
    expect(await embedder.embed(['abc', ''], { as: 'document' })).toEqual([expected('abc'), expected(' ')]);
    expect(server.requests).toEqual([
      { path: '/api/embed', authorization: undefined, body: { model: 'm', input: ['abc', ' '], truncate: true } },
    ]);
  });

  it('works many texts off in batches, in order', async () => {
    const texts = Array.from({ length: 70 }, (_, i) => `text ${i}`);
    expect(await embedder.embed(texts, { as: 'document' })).toEqual(texts.map(expected));
    expect(server.requests.map(({ body }) => body.input.length)).toEqual([32, 32, 6]);
  });

  it.each(['', '/', '/v1', '/api', '/api/embed'])('finds the address however it is written: %s', async (path) => {
    await open({ apiBase: `${base}${path}` }).embed(['a'], { as: 'query' });
    expect(server.requests.map((request) => request.path)).toEqual(['/api/embed']);
  });

  it.each([
    ['a model that is not pulled', { status: 404, body: '{"error":"model \\"m\\" not found"}' }, 'model "m" not found'],
    ['a key that is refused', { status: 401, body: '{"error":"unauthorized"}' }, 'answers 401: unauthorized'],
    ['garbage', { body: '<html>' }, 'it is not JSON'],
    ['another object', { body: '{"embedding": [1]}' }, 'it is not a list and has none'],
    ['other dimensions', { body: '{"embeddings": [[1,2]]}' }, 'has 2 numbers, expected 4'],
    ['too many vectors', { body: '{"embeddings": [[1,0,0,0],[1,0,0,0]]}' }, 'it has 2 vectors for 1 texts'],
  ])('%s is rejected at once', async (_, answer, message) => {
    server.answer(answer);
    const failure = { code: 'EMBEDDER_REJECTED', message: expect.stringContaining(message) };
    await expect(asQuery()).rejects.toMatchObject(failure);
    expect(server.requests).toHaveLength(1);
  });

  it('waits as long as the server asks, and tries again', async () => {
    open({ backoffMs: 60_000 });
    server.answer({ status: 429, headers: { 'retry-after': '0' }, body: '{"error":"busy"}' });
    expect(await asQuery()).toEqual([expected('a')]);
    expect(server.requests).toHaveLength(2);
  });

  it('gives up a silent server after the time-out', async () => {
    open({ timeoutMs: 30 });
    server.otherwise('hang');
    const failure = { code: 'EMBEDDER_UNAVAILABLE', message: expect.stringContaining('did not answer within 30 ms') };
    await expect(asQuery()).rejects.toMatchObject(failure);
  });

  it('is not asked again for every question once it has refused', async () => {
    const opened = await openEmbedder({ provider: 'ollama', modelName: 'm', dimensions: DIMENSIONS, apiBase: base });
    server.otherwise({ status: 404, body: '{"error":"model not found"}' });
    for (let i = 0; i < 20; i++) await opened.embedder!.embed([`q${i}`], { as: 'query' }).catch(() => undefined);
    expect(server.requests).toHaveLength(1);
    expect(opened.state()).toMatchObject({ state: 'down', error: expect.stringContaining('answers 404') });
    await opened.embedder!.close();
  });

  it('refuses an address that is none', () => {
    expect(() => open({ apiBase: 'localhost:11434' })).toThrow('The address of the embedding endpoint');
  });
});
