import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  type EmbeddingRequest,
  type FakeEmbeddingServer,
  fakeVector,
  startFakeEmbeddingServer,
} from '../../../test/support/fake-embedding-server.ts';
import type { Embedder } from '../embedder.ts';
import { normalize } from '../normalize.ts';
import { BreakerEmbedder } from '../wrappers/breaker.ts';
import { type BedrockEmbedderOptions, openBedrockEmbedder } from './bedrock.ts';

const DIMENSIONS = 4;
const TITAN = 'amazon.titan-embed-text-v2:0';
const COHERE = 'cohere.embed-english-v3';
const SECRET = 'wJalrXUtnFEMI-not-a-real-secret';

let server: FakeEmbeddingServer;
let embedder: Embedder;

function open(model: string, options: Partial<BedrockEmbedderOptions> = {}): Embedder {
  embedder = openBedrockEmbedder({
    model,
    dimensions: DIMENSIONS,
    apiBase: new URL(server.base).origin,
    awsRegion: 'eu-west-1',
    apiKey: 'AKIDEXAMPLE',
    secretKey: SECRET,
    backoffMs: 1,
    ...options,
  });
  return embedder;
}

interface BedrockBody {
  readonly inputText?: string;
  readonly texts?: readonly string[];
  readonly input_type?: string;
}
const bodyOf = (request: EmbeddingRequest) => request.body as unknown as BedrockBody;

/** What Bedrock answers for either family. */
function success(request: EmbeddingRequest): unknown {
  const { inputText, texts = [] } = bodyOf(request);
  if (inputText !== undefined) return { embedding: fakeVector(inputText, DIMENSIONS), inputTextTokenCount: 3 };
  return { embeddings: texts.map((text) => fakeVector(text, DIMENSIONS)), response_type: 'embeddings_floats', texts };
}

beforeEach(async () => {
  server = await startFakeEmbeddingServer(DIMENSIONS);
  server.otherwise(success);
});
afterEach(async () => {
  await embedder.close();
  await server.close();
});

const expected = (text: string) => normalize(Float32Array.from(fakeVector(text, DIMENSIONS)));
const asQuery = (text = 'a') => embedder.embed([text], { as: 'query' });
const failure = (status: number, type: string, headers: Record<string, string> = {}) => ({
  status,
  headers: { 'x-amzn-errortype': type, ...headers },
  body: JSON.stringify({ message: `the words of ${type}` }),
});

describe('Titan on Amazon Bedrock', () => {
  it('takes one text a call, signed for its region, several calls at a time', async () => {
    open(TITAN);
    expect(embedder.id).toBe(`bedrock/${TITAN}/4`);
    const texts = Array.from({ length: 9 }, (_, i) => `text ${i}`);
    expect(await embedder.embed(texts, { as: 'document' })).toEqual(texts.map(expected));
    expect(server.requests).toHaveLength(9);
    expect(bodyOf(server.requests[0]!)).toEqual({ inputText: 'text 0', dimensions: 4, normalize: true });
    expect(server.requests[0]!.path).toBe('/model/amazon.titan-embed-text-v2%3A0/invoke');
    expect(server.requests[0]!.authorization).toMatch(
      /^AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE\/\d+\/eu-west-1\/bedrock\//,
    );
  });

  it('never has more than four calls under way', async () => {
    open(TITAN);
    server.otherwise('hang');
    const call = embedder.embed(
      Array.from({ length: 20 }, (_, i) => `${i}`),
      { as: 'document' },
    );
    call.catch(() => undefined);
    await expect.poll(() => server.requests.length).toBe(4);
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(server.requests).toHaveLength(4);
    await embedder.close();
    await expect(call).rejects.toMatchObject({ code: 'EMBEDDER_UNAVAILABLE' });
  });

  it('asks version 1 for nothing that it does not know', async () => {
    await open('amazon.titan-embed-text-v1').embed(['a', ''], { as: 'document' });
    expect(server.requests.map(bodyOf).map(({ inputText }) => inputText)).toEqual(['a', ' ']);
    expect(Object.keys(bodyOf(server.requests[0]!))).toEqual(['inputText']);
  });
});

describe('Cohere on Amazon Bedrock', () => {
  it('tells questions from documents, and sends up to 96 texts a call', async () => {
    open(COHERE);
    const texts = Array.from({ length: 100 }, (_, i) => `text ${i}`);
    expect(await embedder.embed(texts, { as: 'document' })).toEqual(texts.map(expected));
    await asQuery('question');
    expect(server.requests.map(bodyOf).map(({ texts, input_type }) => [texts?.length, input_type])).toEqual([
      [96, 'search_document'],
      [4, 'search_document'],
      [1, 'search_query'],
    ]);
  });

  it('cuts a text where the model would refuse it, and reads lists by type', async () => {
    open(COHERE);
    server.answer((request) => ({
      embeddings: { float: bodyOf(request).texts!.map((text) => fakeVector(text, DIMENSIONS)) },
    }));
    await embedder.embed(['x'.repeat(5000)], { as: 'document' });
    expect(bodyOf(server.requests[0]!).texts![0]).toHaveLength(2048);
  });
});

describe('trouble with Amazon Bedrock', () => {
  it.each([
    [401, 'UnrecognizedClientException', 'Check the AWS credentials'],
    [403, 'AccessDeniedException', 'Check the AWS credentials'],
    [404, 'ResourceNotFoundException', 'EMBEDDINGS_MODEL_NAME'],
  ])('%i is rejected at once, with what to check and without the secret', async (status, type, hint) => {
    open(TITAN);
    server.otherwise(failure(status, type));
    const thrown = await asQuery().catch((error: Error) => error);
    expect(thrown).toMatchObject({
      code: 'EMBEDDER_REJECTED',
      message: expect.stringContaining(`, ${TITAN}) answers ${status}: the words of ${type}.`),
      hint: expect.stringContaining(hint),
    });
    expect((thrown as Error).message).not.toContain(SECRET);
    expect(server.requests).toHaveLength(1);
  });

  it('waits as long as Bedrock asks when it is asked too much, but not for ever', async () => {
    open(TITAN, { backoffMs: 60_000 });
    server.answer(failure(429, 'ThrottlingException', { 'retry-after': '0' }));
    expect(await asQuery()).toEqual([expected('a')]);
    expect(server.requests).toHaveLength(2);
    server.answer(failure(429, 'ThrottlingException', { 'retry-after': '3600' }));
    await expect(asQuery()).rejects.toMatchObject({ code: 'EMBEDDER_UNAVAILABLE' });
    expect(server.requests).toHaveLength(3);
  });

  it('tries a server in trouble three times', async () => {
    open(TITAN);
    server.otherwise(failure(503, 'ServiceUnavailableException'));
    await expect(asQuery()).rejects.toMatchObject({ code: 'EMBEDDER_UNAVAILABLE' });
    expect(server.requests).toHaveLength(3);
  });

  it('gives up a silent server after the time-out', async () => {
    open(TITAN, { timeoutMs: 50 });
    server.otherwise('hang');
    const silent = { code: 'EMBEDDER_UNAVAILABLE', message: expect.stringContaining('did not answer within 50 ms') };
    await expect(asQuery()).rejects.toMatchObject(silent);
  });

  it('stops when the caller does', async () => {
    open(TITAN);
    server.otherwise('hang');
    await expect(embedder.embed(['a'], { as: 'query', signal: AbortSignal.timeout(30) })).rejects.toMatchObject({
      name: 'TimeoutError',
    });
  });

  it('reports an address where nothing answers', async () => {
    open(TITAN, { apiBase: 'http://127.0.0.1:1' });
    const unreachable = { code: 'EMBEDDER_UNAVAILABLE', message: expect.stringContaining('cannot be reached') };
    await expect(asQuery()).rejects.toMatchObject(unreachable);
  });

  it.each([
    ['garbage', TITAN, '<html>', 'it is not JSON'],
    ['no vector', TITAN, '{"inputTextTokenCount": 3}', "it has no 'embedding'"],
    ['other dimensions', TITAN, '{"embedding": [1,2]}', 'has 2 numbers, expected 4'],
    ['no vectors', COHERE, 'null', "it has no 'embeddings'"],
    ['too few vectors', COHERE, '{"embeddings": []}', 'it has 0 vectors for 1 texts'],
  ])('%s is rejected as nonsense', async (_, model, body, message) => {
    open(model);
    server.answer({ body });
    await expect(asQuery()).rejects.toMatchObject({
      code: 'EMBEDDER_REJECTED',
      message: expect.stringContaining(message),
    });
  });

  it('says how to get the library when it is not installed, and asks for it once', async () => {
    let loads = 0;
    const raw = open(TITAN, {
      load: async () => {
        loads++;
        throw new Error("Cannot find package '@aws-sdk/client-bedrock-runtime'");
      },
    });
    const breaker = new BreakerEmbedder(raw);
    for (let i = 0; i < 10; i++) {
      await expect(breaker.embed([`q${i}`], { as: 'query' })).rejects.toMatchObject({
        code: 'EMBEDDER_UNAVAILABLE',
        message: expect.stringContaining('Cannot import @aws-sdk/client-bedrock-runtime'),
        hint: expect.stringContaining('npm install @aws-sdk/client-bedrock-runtime'),
      });
    }
    expect(loads).toBe(1);
    expect(breaker.state().state).toBe('down');
  });

  it('is not asked again for every question once it has refused', async () => {
    const breaker = new BreakerEmbedder(open(TITAN));
    server.otherwise(failure(403, 'AccessDeniedException'));
    for (let i = 0; i < 20; i++) await breaker.embed([`q${i}`], { as: 'query' }).catch(() => undefined);
    expect(server.requests).toHaveLength(1);
  });
});
