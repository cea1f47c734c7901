import { afterEach, describe, expect, it, vi } from 'vitest';
import { type AccessServer, accessServer, NOW } from '../support/access-server.ts';
import { type FakeChatServer, startFakeChatServer, startingWith } from '../support/fake-chat-server.ts';

const VERSION = '2026-07-28';
let server: AccessServer;
let chat: FakeChatServer | undefined;
const open: Response[] = [];
afterEach(async () => {
  for (const { body } of open.splice(0)) if (body?.locked === false) await body.cancel();
  await chat?.close();
  chat = undefined;
  await server.close();
  vi.restoreAllMocks();
});

async function post(path: string, key: string, body: object, headers: Record<string, string> = {}): Promise<Response> {
  const response = await fetch(server.url + path, {
    method: 'POST',
    headers: {
      Authorization: `Bearer ${key}`,
      'Content-Type': 'application/json',
      Accept: 'application/json, text/event-stream',
      ...headers,
    },
    body: JSON.stringify(body),
  });
  open.push(response);
  return response;
}
const subscribe = (key: string) => {
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': VERSION,
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  const method = 'subscriptions/listen';
  const params = { notifications: { toolsListChanged: true, resourcesListChanged: true }, _meta };
  const headers = { 'MCP-Protocol-Version': VERSION, 'Mcp-Method': method };
  return post('/mcp', key, { jsonrpc: '2.0', id: 1, method, params }, headers);
};
const list = async (key: string) => (await server.ask('GET', '/api/entities', { key })).status;
const running = async (key: string) =>
  (await server.ask('GET', '/api/health', { key })).json.server.requests.running as number;

it('a subscription over MCP ends with the key of its caller', async () => {
  const every = globalThis.setInterval;
  // The catalog is looked at every 10 seconds.
  const often = (work: () => void, ms: number) => every(work, ms === 10_000 ? 20 : ms);
  vi.spyOn(globalThis, 'setInterval').mockImplementation(often as typeof setInterval);
  server = await accessServer({ shutdown_wait_ms: 100 });
  const skill = (n: number) => ({ type: 'skill', path: `/s${n}`, name: `s${n}`, description: 'x' });
  await server.registry.put(skill(0));
  const heard = { lost: '', kept: '' };
  for (const name of ['lost', 'kept'] as const) {
    const stream = await subscribe(server.key({ name }));
    void (async () => {
      for await (const part of stream.body!.pipeThrough(new TextDecoderStream())) heard[name] += part;
      heard[name] += 'END';
    })().catch(() => {});
  }
  server.keys.revoke('lost', NOW);
  await server.registry.put(skill(1));
  await expect.poll(() => heard.kept).toContain('list_changed');
  await expect.poll(() => heard.lost).toContain('END');
  expect(heard.lost).not.toContain('list_changed');
  expect(heard.kept).not.toContain('END');
});

describe('the requests of a caller at once', () => {
  it('count an answer that a model still writes', async () => {
    chat = await startFakeChatServer();
    const ends: (() => void)[] = [];
    chat.reply = startingWith('Tea', (response) => ends.push(() => response.end('data: [DONE]\n\n')));
    const settings = { max_requests_per_caller: 2, rate_limit: 0, chat_url: chat.base, chat_model: 'small' };
    server = await accessServer(settings);
    const key = server.key({ name: 'heavy', scopes: ['write'] });
    await server.ask('POST', '/api/collections', { key, body: { name: 'teas' } });
    await server.ask('POST', '/api/collections/teas/files?path=tea.md', { key, body: '# Tea\nTea needs water.' });
    const ask = () => post('/api/collections/teas/chat', key, { question: 'What does tea need?', stream: true });
    const first = await ask();
    expect([first.status, (await ask()).status]).toEqual([200, 200]);
    await expect.poll(() => ends.length).toBe(2);
    expect([(await ask()).status, await list(key)]).toEqual([429, 429]);
    expect([await running(key), await list(server.key({ name: 'light' }))]).toEqual([2, 200]);
    for (const end of ends) end();
    await first.text();
    await expect.poll(() => list(key)).toBe(200);
  });

  it('count a stream without an end, which takes no place of others', async () => {
    server = await accessServer({
      max_requests_per_caller: 2,
      rate_limit: 0,
      max_running_requests: 1,
      shutdown_wait_ms: 100,
    });
    const key = server.key({ name: 'heavy' });
    const subscription = await subscribe(key);
    const events = await fetch(`${server.url}/api/events`, { headers: { Authorization: `Bearer ${key}` } });
    open.push(events);
    expect([subscription.status, events.status]).toEqual([200, 200]);
    expect([await list(key), await running(key), await list(server.key({ name: 'light' }))]).toEqual([429, 0, 200]);
    for (const response of open.splice(0)) await response.body?.cancel();
    await expect.poll(() => list(key)).toBe(200);
  });
});
