import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type FakeChatServer,
  replying,
  startFakeChatServer,
  startingWith,
  streaming,
} from '../../../test/support/fake-chat-server.ts';
import { openOpenAiChat } from './openai-chat.ts';

const KEY = 'sk-very-secret';
const MESSAGES = [{ role: 'user', content: 'Why?' }] as const;
let server: FakeChatServer;
beforeAll(async () => {
  server = await startFakeChatServer();
});
afterAll(() => server.close());

async function answer(options: { timeoutMs?: number; url?: string; signal?: AbortSignal } = {}): Promise<string[]> {
  const chat = openOpenAiChat({ url: server.base, model: 'small', key: KEY, ...options });
  const parts: string[] = [];
  for await (const part of chat.answer(MESSAGES, options.signal)) parts.push(part);
  return parts;
}
/** The parts that came before the failure, and the failure. */
async function failure(options: { timeoutMs?: number; url?: string } = {}) {
  const chat = openOpenAiChat({ url: server.base, model: 'small', key: KEY, ...options });
  const parts: string[] = [];
  try {
    for await (const part of chat.answer(MESSAGES)) parts.push(part);
  } catch (error) {
    return { parts, error: error as { code: string; message: string; hint?: string } };
  }
  throw new Error('The answer did not fail.');
}

describe('openOpenAiChat', () => {
  it('asks with the model and the key, and gives the parts as they come', async () => {
    server.reply = streaming('Be', 'cause', ' [1].');
    expect(await answer()).toEqual(['Be', 'cause', ' [1].']);
    expect(server.calls.at(-1)).toEqual({
      path: '/v1/chat/completions',
      authorization: `Bearer ${KEY}`,
      body: { model: 'small', messages: MESSAGES, stream: true },
    });
    await answer({ url: `${server.base}/chat/completions/` });
    expect(server.calls.at(-1)!.path).toBe('/v1/chat/completions');
  });

  it('reads an answer in one piece, and content in parts', async () => {
    server.reply = replying(200, '{"choices":[{"message":{"content":"Because."}}]}');
    expect(await answer()).toEqual(['Because.']);
    server.reply = replying(200, '{"choices":[{"message":{"content":[{"text":"Be"},{"text":"cause."}]}}]}');
    expect(await answer()).toEqual(['Because.']);
  });

  it('reads characters and events that are cut anywhere, and other fields of a stream', async () => {
    const stream =
      ': ping\r\nevent: x\r\ndata: {"choices":[{"delta":{"content":"Grüße 東京"},"finish_reason":null}]}\r\n\r\ndata: {"choices":[]}\n\ndata:{"choices":[{"delta":{},"finish_reason":"stop"}]}';
    server.reply = (response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      const bytes = Buffer.from(stream);
      const send = (at: number) => {
        if (at >= bytes.length) response.end();
        else response.write(bytes.subarray(at, at + 7), () => setImmediate(send, at + 7));
      };
      send(0);
    };
    expect(await answer()).toEqual(['Grüße 東京']);
  });

  it.each([
    [
      401,
      '{"error":{"message":"Bad key sk-very-secret."}}',
      'CHAT_REJECTED',
      'answers 401: Bad key ***.',
      'Check DOWSER_CHAT_KEY.',
    ],
    [
      404,
      '<h1>Not found</h1>',
      'CHAT_REJECTED',
      'answers 404: Not found.',
      'Check DOWSER_CHAT_URL and DOWSER_CHAT_MODEL.',
    ],
    [429, '{"error":"slow down"}', 'CHAT_UNAVAILABLE', 'answers 429: slow down.', undefined],
    [500, '', 'CHAT_UNAVAILABLE', 'answers 500.', undefined],
  ])('says that the endpoint answers %i', async (status, body, code, words, hint) => {
    server.reply = replying(status, body);
    const { error } = await failure();
    expect(error).toMatchObject({ code, message: expect.stringContaining(words) });
    expect(error.hint).toBe(hint);
    expect(error.message).not.toContain(KEY);
  });

  it.each([
    ['no JSON', '<html>welcome</html>'],
    ['no choices', '{"object":"list"}'],
    ['no message', '{"choices":[{}]}'],
    ['an error', '{"error":{"message":"overloaded sk-very-secret"}}'],
  ])('refuses an answer with %s', async (_, body) => {
    server.reply = replying(200, body);
    const { error } = await failure();
    expect(error.code).toBe('CHAT_REJECTED');
    expect(error.message).not.toContain(KEY);
  });

  it('gives the start of an answer that breaks off, and says so', async () => {
    for (const end of [
      (response: { destroy(): void }) => response.destroy(),
      (response: { end(): void }) => response.end(),
    ]) {
      server.reply = startingWith('Be', end as (response: unknown) => void);
      expect(await failure()).toMatchObject({
        parts: ['Be'],
        error: { code: 'CHAT_UNAVAILABLE', message: expect.stringContaining('broke off') },
      });
    }
  });

  it('reports an error in the middle of a stream', async () => {
    server.reply = startingWith('Be', (response) => response.end('data: {"error":{"message":"out of memory"}}\n\n'));
    expect(await failure()).toMatchObject({
      parts: ['Be'],
      error: { code: 'CHAT_REJECTED', message: 'The chat endpoint reports an error: out of memory.' },
    });
  });

  it('does not wait for an endpoint that hangs, before its answer or within it', async () => {
    server.reply = () => undefined;
    const before = await failure({ timeoutMs: 200 });
    expect(before.error).toMatchObject({
      code: 'CHAT_UNAVAILABLE',
      message: expect.stringContaining('was silent for 0.2 s'),
    });
    server.reply = startingWith('Be', () => undefined);
    const within = await failure({ timeoutMs: 200 });
    expect(within).toMatchObject({ parts: ['Be'], error: { message: expect.stringContaining('was silent') } });
  });

  it('refuses a line that does not end', async () => {
    server.reply = (response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.end(`data: ${'x'.repeat(2_000_000)}`);
    };
    expect((await failure()).error.code).toBe('CHAT_UNAVAILABLE');
  });

  it('says that nobody listens', async () => {
    const { error } = await failure({ url: 'http://127.0.0.1:9/v1' });
    expect(error).toMatchObject({ code: 'CHAT_UNAVAILABLE', hint: 'Check DOWSER_CHAT_URL and the network.' });
  });

  it('stops when the caller leaves', async () => {
    const leave = new AbortController();
    server.reply = startingWith('Be', () => leave.abort(new Error('left')));
    await expect(answer({ signal: leave.signal })).rejects.toThrow('left');
  });
});
