import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type FakeChatServer, startFakeChatServer, streaming } from '../../test/support/fake-chat-server.ts';
import { type ServedRegistry, serveRegistry } from '../../test/support/served-registry.ts';
import { askCollection, uploadFile } from './document-streams.ts';

let chat: FakeChatServer;
let server: ServedRegistry;
beforeAll(async () => {
  chat = await startFakeChatServer();
  chat.reply = streaming('At 80 ', 'degrees [1].');
  server = await serveRegistry({}, { chat_url: chat.base, chat_model: 'fake' });
  await server.send('POST', '/api/collections', { name: 'tea' });
});
afterAll(async () => {
  await server.close();
  await chat.close();
});

const all = async <T>(events: AsyncIterable<T>): Promise<T[]> => {
  const list: T[] = [];
  for await (const event of events) list.push(event);
  return list;
};
const bytesOf = (text: string) => new TextEncoder().encode(text);
const options = () => ({ baseUrl: server.url });

describe('a file that is sent', () => {
  it('tells its steps', async () => {
    const file = { path: 'green tea.md', bytes: bytesOf('# Tea\nGreen tea needs 80 degrees.') };
    const steps = await all(uploadFile(options(), 'tea', file));
    expect(steps.map(({ type }) => type)).toEqual(['received', 'read', 'done']);
    expect(steps.at(-1)).toMatchObject({ path: 'green tea.md', chunks: 1 });
  });

  it('throws what the server says about it', async () => {
    const bytes = new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0xff]);
    await expect(all(uploadFile(options(), 'tea', { path: 'a.png', bytes }))).rejects.toMatchObject({
      code: 'INVALID_FILE',
    });
    await expect(all(uploadFile(options(), 'teas', { path: 'a', bytes }))).rejects.toMatchObject({
      code: 'NOT_FOUND',
      hint: "Did you mean 'tea'?",
    });
  });
});

describe('a question', () => {
  it('gets sources, then the answer in parts', async () => {
    const events = await all(askCollection(options(), 'tea', { question: 'how hot is green tea' }));
    expect(events.map(({ type }) => type)).toEqual(['sources', 'delta', 'delta', 'done']);
    expect(events.at(-1)).toMatchObject({ model: 'fake', cited: [1] });
  });

  it('ends when nobody listens any more', async () => {
    const abort = new AbortController();
    const events = askCollection(options(), 'tea', { question: 'green tea' }, { signal: abort.signal });
    await events.next();
    abort.abort();
    await expect(all(events)).rejects.toThrow(/abort/);
  });
});

describe('a stream that is not whole', () => {
  const sent = (text: string) => ({ ...options(), fetch: async () => new Response(text) });
  const ask = (text: string) => all(askCollection(sent(text), 'tea', { question: 'x' }));

  it('is an error without its last event, or with something else than events', async () => {
    const start = 'event: delta\ndata: {"type":"delta","text":"Hel"}\n\n';
    await expect(ask(start)).rejects.toMatchObject({ code: 'SERVER_UNREACHABLE', message: /broke off/ });
    await expect(ask('data: {"type"\n\n')).rejects.toMatchObject({ message: /not JSON/ });
    await expect(ask('<html>')).rejects.toMatchObject({ code: 'SERVER_UNREACHABLE' });
  });

  it('keeps a code that it knows, and no other', async () => {
    const failure = (code: string) => `data: {"type":"error","code":"${code}","error":"no"}\n\n`;
    expect(await ask(failure('CHAT_REJECTED'))).toMatchObject([{ code: 'CHAT_REJECTED' }]);
    expect(await ask(failure('FROM_THE_FUTURE'))).toMatchObject([{ code: 'INTERNAL' }]);
  });
});
