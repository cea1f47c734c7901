import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  type FakeRerankServer,
  preferring,
  Refusal,
  startFakeRerankServer,
} from '../../../test/support/fake-rerank-server.ts';
import { openRerankEndpoint, type RerankEndpointOptions } from './rerank-endpoint.ts';
import type { Reranker } from './reranker.ts';

let server: FakeRerankServer;
let reranker: Reranker;

function open(options: Partial<RerankEndpointOptions> = {}): Reranker {
  reranker = openRerankEndpoint({ apiBase: server.base, ...options });
  return reranker;
}

beforeEach(async () => {
  server = await startFakeRerankServer();
  open();
});
afterEach(async () => {
  await reranker.close();
  await server.close();
});

const TEXTS = [
  { text: 'Desk: list_alarms', server: 'Desk: Watches hosts' },
  { text: 'pause_alarm', server: '' },
];

describe('the rerank endpoint', () => {
  it('posts the model, the query and each tool with its server', async () => {
    await open({ model: 'm', apiKey: 'secret' }).read('quiet', TEXTS);
    expect(server.requests).toEqual([
      {
        path: '/v1/rerank',
        authorization: 'Bearer secret',
        body: { model: 'm', query: 'quiet', documents: ['Desk: list_alarms\nDesk: Watches hosts', 'pause_alarm'] },
      },
    ]);
  });

  it('gives log-odds in the order of the texts, whatever the order of the answer', async () => {
    server.answer = preferring('pause');
    const [other, preferred] = await reranker.read('quiet', TEXTS);
    expect(preferred).toBeCloseTo(Math.log(0.99 / 0.01), 9);
    expect(other).toBeCloseTo(-preferred!, 9);
  });

  it.each([
    [
      'Cohere, Jina, vLLM',
      {
        results: [
          { index: 1, relevance_score: 3.5 },
          { index: 0, relevance_score: -2 },
        ],
      },
    ],
    [
      'Voyage',
      {
        data: [
          { index: 0, relevance_score: -2 },
          { index: 1, relevance_score: 3.5 },
        ],
      },
    ],
    [
      'Text Embeddings Inference',
      [
        { index: 1, score: 3.5 },
        { index: 0, score: -2 },
      ],
    ],
  ])('reads the answer of %s', async (_, answer) => {
    server.answer = () => answer;
    expect(await reranker.read('quiet', TEXTS)).toEqual([-2, 3.5]);
  });

  it('keeps certainty finite', async () => {
    server.answer = () => ({
      results: [
        { index: 0, relevance_score: 1 },
        { index: 1, relevance_score: 0 },
      ],
    });
    expect((await reranker.read('quiet', TEXTS)).every(Number.isFinite)).toBe(true);
  });

  it('asks nothing for no texts', async () => {
    expect(await reranker.read('quiet', [])).toEqual([]);
    expect(server.requests).toEqual([]);
  });

  const unusable = 'it gives an answer that cannot be used';
  it.each([
    ['a refusal', new Refusal(401, '{"message":"bad key secret"}'), 'it answers 401', /answers 401: bad key \*{3}\.$/],
    [
      'an answer without a text',
      { results: [{ index: 0, relevance_score: 1 }] },
      unusable,
      /score for some of 2 texts/,
    ],
    ['an answer of another kind', { ok: true }, unusable, /no list 'results'/],
    ['an answer that is not JSON', new Refusal(200, '<p>secret</p>'), unusable, /: it is not JSON\.$/],
  ])('throws EMBEDDER_UNAVAILABLE for %s, without the key, and says why', async (_, answer, reason, message) => {
    server.answer = () => answer;
    const failing = open({ apiKey: 'secret' }).read('quiet', TEXTS);
    await expect(failing).rejects.toMatchObject({
      code: 'EMBEDDER_UNAVAILABLE',
      message: expect.stringMatching(message),
      details: { reason },
    });
  });

  it('names the reason of a connection that is refused', async () => {
    await server.close();
    await expect(reranker.read('quiet', TEXTS)).rejects.toMatchObject({
      code: 'EMBEDDER_UNAVAILABLE',
      message: expect.stringContaining(`${server.base}/rerank cannot be reached (ECONNREFUSED)`),
      details: { reason: 'it cannot be reached (ECONNREFUSED)' },
    });
  });

  it('stops at the signal of the caller', async () => {
    server.answer = () => null;
    await expect(reranker.read('quiet', TEXTS, { signal: AbortSignal.timeout(20) })).rejects.toThrow(/timeout/);
  });

  it.each(['ftp://host/v1', 'host', 'http://user:word@host/v1'])('refuses the address %s', (apiBase) => {
    expect(() => open({ apiBase })).toThrow(
      expect.objectContaining({ code: 'INVALID_SETTING', field: 'rerank_api_base' }),
    );
  });
});
