import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  type FakeEmbeddingServer,
  fakeSuccess,
  fakeVector,
  startFakeEmbeddingServer,
} from '../../../test/support/fake-embedding-server.ts';
import type { Embedder } from '../embedder.ts';
import { normalize } from '../normalize.ts';
import { toRetryAfterMs } from './attempts.ts';
import { type OpenAiEmbedderOptions, openOpenAiEmbedder } from './openai.ts';

const DIMENSIONS = 4;
const KEY = 'sk-secret-key';

let server: FakeEmbeddingServer;
let embedder: Embedder;

function open(options: Partial<OpenAiEmbedderOptions> = {}): Embedder {
  embedder = openOpenAiEmbedder({
    model: 'some-model',
    dimensions: DIMENSIONS,
    apiBase: server.base,
    apiKey: KEY,
    backoffMs: 1,
    ...options,
  });
  return embedder;
}

beforeEach(async () => {
  server = await startFakeEmbeddingServer(DIMENSIONS);
});
afterEach(async () => {
  await embedder.close();
  await server.close();
});

const expected = (text: string) => normalize(Float32Array.from(fakeVector(text, DIMENSIONS)));
const error = (status: number, message = 'no', headers: Record<string, string> = {}) => ({
  status,
  headers,
  body: JSON.stringify({ error: { message } }),
});
const asQuery = (text = 'a') => embedder.embed([text], { as: 'query' });

describe('the OpenAI-compatible embedder', () => {
  it('posts the texts with model and key, and normalizes what comes back', async () => {
    open();
    expect(embedder.id).toBe('openai/some-model/4');
    expect(await embedder.embed(['abc', 'xyz'], { as: 'document' })).toEqual([expected('abc'), expected('xyz')]);
    expect(server.requests).toEqual([
      {
        path: '/v1/embeddings',
        authorization: `Bearer ${KEY}`,
        body: { input: ['abc', 'xyz'], model: 'some-model', encoding_format: 'float' },
      },
    ]);
  });

  it('asks for a size only where the model knows how', async () => {
    await open({ model: 'text-embedding-3-small' }).embed(['a'], { as: 'query' });
    await open({ model: 'some-model' }).embed(['a'], { as: 'query' });
    expect(server.requests.map((request) => request.body.dimensions)).toEqual([4, undefined]);
  });

  it('sends no key when there is none, and finds the address however it is written', async () => {
    await open({ apiKey: undefined, apiBase: `${server.base}/` }).embed(['a'], { as: 'query' });
    await open({ apiKey: undefined, apiBase: `${server.base}/embeddings?version=1` }).embed(['a'], { as: 'query' });
    expect(server.requests.map(({ path, authorization }) => [path, authorization])).toEqual([
      ['/v1/embeddings', undefined],
      ['/v1/embeddings?version=1', undefined],
    ]);
  });

  it('sends nothing for no texts, and a blank for an empty one', async () => {
    open();
    expect(await embedder.embed([], { as: 'document' })).toEqual([]);
    await asQuery('');
    expect(server.requests.map((request) => request.body.input)).toEqual([[' ']]);
  });

  it('splits many texts by count and by size, and keeps their order', async () => {
    open();
    const many = Array.from({ length: 150 }, (_, i) => `text ${i}`);
    expect(await embedder.embed(many, { as: 'document' })).toEqual(many.map(expected));
    expect(server.requests.map((request) => request.body.input.length)).toEqual([64, 64, 22]);
    server.requests.length = 0;
    await embedder.embed(Array(5).fill('x'.repeat(25_000)), { as: 'document' });
    expect(server.requests.map((request) => request.body.input.length)).toEqual([4, 1]);
  });

  it('puts shuffled answers in order by their index', async () => {
    open();
    server.answer((request) => ({ data: fakeSuccess(request, DIMENSIONS).data.reverse() }));
    expect(await embedder.embed(['a', 'b', 'c'], { as: 'document' })).toEqual(['a', 'b', 'c'].map(expected));
  });

  it.each([
    ['a bare list', (vectors: unknown) => vectors],
    ['embeddings', (embeddings: unknown) => ({ embeddings })],
    ['data', (data: unknown) => ({ data })],
    ['vectors', (vectors: unknown) => ({ vectors })],
  ])('reads raw arrays: %s', async (_, wrap) => {
    open({ responseFormat: 'raw_array', model: 'text-embedding-3-small' });
    server.answer((request) => wrap(request.body.input.map((text) => fakeVector(text, DIMENSIONS))));
    expect(await embedder.embed(['a', 'b'], { as: 'document' })).toEqual(['a', 'b'].map(expected));
    expect(server.requests[0]!.body).toEqual({ input: ['a', 'b'], model: 'text-embedding-3-small' });
  });

  it('reads one bare vector for one text', async () => {
    open({ responseFormat: 'raw_array' });
    server.answer(() => fakeVector('a', DIMENSIONS));
    expect(await asQuery('a')).toEqual([expected('a')]);
  });
});

describe('trouble with the endpoint', () => {
  it.each([401, 403])('%i is a rejected key, which is never shown', async (status) => {
    open();
    server.otherwise(error(status, `Incorrect API key provided: ${KEY}`));
    const thrown = await asQuery().catch((e: Error) => e);
    expect(thrown).toMatchObject({
      code: 'EMBEDDER_REJECTED',
      message: `The embedding endpoint ${server.base}/embeddings answers ${status}: Incorrect API key provided: ***.`,
      hint: expect.stringContaining('EMBEDDINGS_API_KEY'),
    });
    expect(JSON.stringify(thrown, Object.getOwnPropertyNames(thrown))).not.toContain(KEY);
    expect(server.requests).toHaveLength(1);
  });

  it('IF-16: without a key, the error says which one to set', async () => {
    open({ apiKey: undefined });
    server.otherwise(error(401, 'You did not provide an API key'));
    await expect(asQuery()).rejects.toMatchObject({
      message: expect.stringContaining('You did not provide an API key'),
      hint: expect.stringContaining('EMBEDDINGS_API_KEY'),
    });
    expect(server.requests[0]!.authorization).toBeUndefined();
  });

  it('404 points at the address and the model', async () => {
    open();
    server.otherwise(error(404, 'The model does not exist'));
    await expect(asQuery()).rejects.toMatchObject({
      code: 'EMBEDDER_REJECTED',
      hint: 'Check EMBEDDINGS_API_BASE and EMBEDDINGS_MODEL_NAME.',
    });
  });

  it.each([408, 429, 500, 503])('%i is tried again, twice', async (status) => {
    open();
    server.answer(error(status), error(status));
    expect(await asQuery()).toEqual([expected('a')]);
    expect(server.requests).toHaveLength(3);
  });

  it('429 for good is unavailable', async () => {
    open();
    server.otherwise(error(429, 'Slow down'));
    await expect(asQuery()).rejects.toMatchObject({
      code: 'EMBEDDER_UNAVAILABLE',
      message: expect.stringContaining('answers 429: Slow down.'),
    });
    expect(server.requests).toHaveLength(3);
  });

  it('waits as long as the endpoint asks, but not for ever', async () => {
    open({ backoffMs: 60_000 });
    server.answer(error(429, 'no', { 'retry-after': '0' }));
    await asQuery();
    server.requests.length = 0;
    server.answer(error(429, 'no', { 'retry-after': '3600' }));
    await expect(asQuery()).rejects.toMatchObject({ code: 'EMBEDDER_UNAVAILABLE' });
    expect(server.requests).toHaveLength(1);
  });

  it('a silent endpoint is given up after the time-out', async () => {
    open({ timeoutMs: 30 });
    server.otherwise('hang');
    await expect(asQuery()).rejects.toMatchObject({
      code: 'EMBEDDER_UNAVAILABLE',
      message: expect.stringContaining('did not answer within 30 ms'),
    });
    expect(server.requests).toHaveLength(3);
  });

  it('a refused connection fails at once', async () => {
    const { base } = server;
    await server.close();
    open({ apiBase: base, backoffMs: 60_000 });
    await expect(asQuery()).rejects.toMatchObject({
      code: 'EMBEDDER_UNAVAILABLE',
      message: expect.stringContaining('cannot be reached: ECONNREFUSED'),
    });
  });

  it.each([
    ['HTML', { body: '<html>Sign in</html>' }, 'it is not JSON and begins with "<html>Sign in</html>"'],
    ['cut JSON', { body: '{"data": [' }, 'it is not JSON'],
    ['another object', { body: '{"result": []}' }, "it has no list 'data'"],
    ['null', { body: 'null' }, "it has no list 'data'"],
    ['too few vectors', { body: '{"data": []}' }, 'it has 0 vectors for 1 texts'],
    ['a wrong index', { body: '{"data": [{"index": 1, "embedding": [1,0,0,0]}]}' }, 'its indexes are not 0 to 0'],
    [
      'text for numbers',
      { body: '{"data": [{"index": 0, "embedding": "AAAA"}]}' },
      'a vector is not a list of numbers',
    ],
    ['nulls for numbers', { body: '{"data": [{"index": 0, "embedding": [1,null,0,0]}]}' }, 'not a list of numbers'],
    ['no direction', { body: '{"data": [{"index": 0, "embedding": [0,0,0,0]}]}' }, 'a vector is all zeros'],
    ['other dimensions', { body: '{"data": [{"index": 0, "embedding": [1,2]}]}' }, 'has 2 numbers, expected 4'],
  ])('%s is rejected as nonsense', async (_, answer, message) => {
    open();
    server.answer(answer);
    await expect(asQuery()).rejects.toMatchObject({
      code: 'EMBEDDER_REJECTED',
      message: expect.stringContaining(message),
    });
    expect(server.requests).toHaveLength(1);
  });

  it('cuts a text that is too long for the model, and leaves its neighbors alone', async () => {
    open();
    server.otherwise((request) => {
      throw new Error(`unexpected ${request.path}`);
    });
    const tooLong = error(400, 'maximum context length exceeded');
    server.answer(tooLong, undefined, tooLong, tooLong, undefined, undefined);
    const long = 'a😀'.repeat(2000);
    const vectors = await embedder.embed(['short', long, 'end'], { as: 'document' });
    expect(server.requests.map((request) => request.body.input.map((text) => text.length))).toEqual([
      [5, 6000, 3],
      [5],
      [6000],
      [3000],
      [1500],
      [3],
    ]);
    expect(vectors).toEqual([expected('short'), expected(long.slice(0, 1500)), expected('end')]);
  });

  it('does not cut and cut again when the length is not to blame', async () => {
    open();
    server.otherwise(error(400, 'unknown parameter'));
    await expect(asQuery('short')).rejects.toMatchObject({ code: 'EMBEDDER_REJECTED' });
    expect(server.requests).toHaveLength(1);
    await expect(asQuery('x'.repeat(30_000))).rejects.toMatchObject({ code: 'EMBEDDER_REJECTED' });
    expect(server.requests.length).toBeLessThan(10);
  });
});

describe('stopping', () => {
  it('throws the reason of the signal, before and while it waits', async () => {
    open();
    await expect(
      embedder.embed(['a'], { as: 'query', signal: AbortSignal.abort(new Error('no need')) }),
    ).rejects.toThrow('no need');
    server.otherwise('hang');
    const stop = new AbortController();
    const call = embedder.embed(['a'], { as: 'query', signal: stop.signal });
    setTimeout(() => stop.abort(new Error('enough')), 20);
    await expect(call).rejects.toThrow('enough');
    expect(server.requests.length).toBeLessThanOrEqual(1);
  });

  it('ends calls under way when closed', async () => {
    open();
    server.otherwise('hang');
    const call = asQuery();
    setTimeout(() => embedder.close(), 20);
    await expect(call).rejects.toMatchObject({
      code: 'EMBEDDER_UNAVAILABLE',
      message: expect.stringContaining('closed'),
    });
    await expect(asQuery()).rejects.toMatchObject({ code: 'EMBEDDER_UNAVAILABLE' });
  });
});

describe('settings', () => {
  it.each(['localhost:11434', 'file:///etc/passwd', ''])('%o is no address', (apiBase) => {
    expect(() => openOpenAiEmbedder({ model: 'm', dimensions: 4, apiBase })).toThrow(
      'The address of the embedding endpoint',
    );
  });

  it('does not repeat a password that was put into the address', () => {
    const apiBase = 'http://me:secret@localhost/v1';
    expect(() => openOpenAiEmbedder({ model: 'm', dimensions: 4, apiBase })).toThrow(/^(?!.*secret).*password/);
  });

  it.each([
    ['3', 3000],
    ['0', 0],
    ['Thu, 01 Jan 1970 00:00:10 GMT', 4000],
    ['Thu, 01 Jan 1970 00:00:01 GMT', 0],
    ['soon', undefined],
    [null, undefined],
  ])('Retry-After %o is %o ms', (header, ms) => {
    expect(toRetryAfterMs(header, 6000)).toBe(ms);
  });
});
