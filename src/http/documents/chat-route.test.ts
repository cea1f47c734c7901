import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  type FakeChatServer,
  replying,
  startFakeChatServer,
  startingWith,
  streaming,
} from '../../../test/support/fake-chat-server.ts';
import { openedEmbedder } from '../../../test/support/opened-embedder.ts';
import { type ServedRegistry, serveRegistry } from '../../../test/support/served-registry.ts';
import { WordEmbedder } from '../../../test/support/word-embedder.ts';

const KEY = 'sk-very-secret';
let chat: FakeChatServer;
let server: ServedRegistry;
let silent: ServedRegistry;

async function serveTea(settings: Record<string, unknown>): Promise<ServedRegistry> {
  const served = await serveRegistry({ embedder: openedEmbedder(new WordEmbedder()), background: false }, settings);
  await served.send('POST', '/api/collections', { name: 'handbook' });
  await served.ask('POST', '/api/collections/handbook/files?path=tea.md', {
    body: '# Tea\nGreen tea needs 80 degrees.\n\n# Mate\nMate needs a gourd. See KX-4471.\n',
  });
  return served;
}

beforeAll(async () => {
  chat = await startFakeChatServer();
  server = await serveTea({ chat_url: chat.base, chat_model: 'small', chat_key: KEY, chat_timeout_ms: 500 });
  silent = await serveTea({});
});
afterAll(async () => {
  await server.close();
  await silent.close();
  await chat.close();
});
beforeEach(() => {
  chat.calls.length = 0;
  chat.reply = streaming('A gourd', ' [1].');
});

const CHAT = '/api/collections/handbook/chat';
interface Event {
  readonly type: string;
  readonly [field: string]: unknown;
}

/** The events of a stream. Each has its type twice. */
async function events(body: unknown, at = server): Promise<Event[]> {
  const headers = { 'Content-Type': 'application/json' };
  const response = await fetch(at.url + CHAT, { method: 'POST', headers, body: JSON.stringify(body) });
  expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
  const blocks = (await response.text()).trim().split('\n\n');
  return blocks.map((block) => {
    const [, name, data] = /^event: (\w+)\ndata: (.*)$/.exec(block) ?? [];
    const event = JSON.parse(data!) as Event;
    expect(event.type).toBe(name);
    return event;
  });
}

describe('POST /api/collections/{name}/chat', () => {
  it('streams the sources, then the answer, then the end', async () => {
    const [sources, ...rest] = await events({ question: 'what does mate need', conversation_id: 'c1' });
    expect(sources).toMatchObject({ type: 'sources' });
    expect((sources!.sources as readonly unknown[])[0]).toMatchObject({
      number: 1,
      text: 'Mate needs a gourd. See KX-4471.',
      source_name: 'Tea',
      position: { from_line: 5 },
    });
    expect(rest).toEqual([
      { type: 'delta', text: 'A gourd' },
      { type: 'delta', text: ' [1].' },
      { type: 'done', conversation_id: 'c1', empty_response: false, model: 'small', cited: [1] },
    ]);
    const [call] = chat.calls;
    expect(call!.authorization).toBe(`Bearer ${KEY}`);
    expect(call!.body.messages.at(-1)!.content).toMatch(
      /<source number="1"[^>]*line 5[\s\S]+Question: what does mate need$/,
    );
  });

  it('answers with JSON where no stream is wanted', async () => {
    const { status, json } = await server.send('POST', CHAT, { question: 'gourd', stream: false });
    expect(status).toBe(200);
    expect(json).toMatchObject({ answer: 'A gourd [1].', model: 'small', cited: [1], empty_response: false });
    expect(json.sources[0]).toMatchObject({ number: 1, path: 'tea.md' });
  });

  it('says that nothing fits, and asks no model', async () => {
    const list = await events({ question: 'zebra quantum xylophone' });
    expect(list.map(({ type }) => type)).toEqual(['sources', 'delta', 'done']);
    expect(list[0]).toMatchObject({ sources: [] });
    expect(list[1]!.text).toContain('Nothing in this collection answers');
    expect(chat.calls).toEqual([]);
  });

  it('answers with the sources where no endpoint is set, and says so', async () => {
    const list = await events({ question: 'gourd' }, silent);
    expect(list[1]!.text).toContain('No chat model is set up');
    expect(list[2]).toMatchObject({ type: 'done', model: null });
  });

  it.each([
    ['is refused with 401', replying(401, `{"error":{"message":"bad key ${KEY}"}}`), 'CHAT_REJECTED', 'answers 401'],
    ['breaks off', startingWith('A', (response) => response.destroy()), 'CHAT_UNAVAILABLE', 'broke off'],
    ['hangs', startingWith('A', () => undefined), 'CHAT_UNAVAILABLE', 'was silent for 0.5 s'],
  ] as const)('ends with an error where the model %s, after the sources', async (_, reply, code, words) => {
    chat.reply = reply;
    const list = await events({ question: 'gourd' });
    expect(list[0]!.type).toBe('sources');
    expect(list.at(-1)).toMatchObject({ type: 'error', code, error: expect.stringContaining(words) });
    expect(JSON.stringify(list)).not.toContain(KEY);
    const whole = await server.send('POST', CHAT, { question: 'gourd', stream: false });
    expect(whole.error).toMatchObject({ code });
  });

  it('refuses a wrong request before the stream', async () => {
    expect(await server.send('POST', CHAT, { question: ' ' })).toMatchObject({
      status: 422,
      error: { field: 'question' },
    });
    expect(await server.send('POST', CHAT, {})).toMatchObject({ status: 422 });
    expect(await server.send('POST', '/api/collections/handbok/chat', { question: 'x' })).toMatchObject({
      status: 404,
      error: { hint: "Did you mean 'handbook'?" },
    });
    expect(await server.ask('POST', CHAT, { body: 'x', headers: { 'Content-Type': 'text/plain' } })).toMatchObject({
      status: 415,
    });
    expect(chat.calls).toEqual([]);
  });

  it('lets the endpoint go when the client leaves', async () => {
    const left = new Promise<void>((resolve) => {
      chat.reply = startingWith('A', (response) => response.on('close', () => resolve()));
    });
    const leave = new AbortController();
    const headers = { 'Content-Type': 'application/json' };
    const response = await fetch(server.url + CHAT, {
      method: 'POST',
      headers,
      body: JSON.stringify({ question: 'gourd' }),
      signal: leave.signal,
    });
    await response.body!.getReader().read();
    leave.abort();
    await left;
  });
});

it('does not start with an address and no model', async () => {
  await expect(serveRegistry({}, { chat_url: chat.base })).rejects.toMatchObject({
    code: 'INVALID_SETTING',
    field: 'chat_model',
  });
});
