import { createServer, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { QdrantClient } from './qdrant-client.ts';

const closing: (() => void)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

async function listen(handler: Parameters<typeof createServer>[1]): Promise<{ server: Server; url: string }> {
  const server = createServer(handler);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closing.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

function clientOf(...urls: readonly string[]): QdrantClient {
  const client = new QdrantClient({ urls, shown: 'the test' }, 'hunter2');
  closing.push(() => client.close());
  return client;
}

const ok = (result: unknown) => JSON.stringify({ result });
const get = (client: QdrantClient, timeoutMs = 5000) => client.ask('GET', '/x', { timeoutMs });

it('sends the request again on a connection that the server had closed', async () => {
  let requests = 0;
  const { server, url } = await listen((_, response) => {
    requests++;
    response.end(ok(requests));
  });
  const client = clientOf(url);
  expect(await get(client)).toBe(1);
  // The next request meets a dead connection.
  for (let n = 2; n < 5; n++) {
    server.closeIdleConnections();
    expect(await get(client)).toBe(n);
  }
});

it('opens a new connection when the server has closed many idle ones', async () => {
  const idle = new Set<Socket>();
  let areClosed = false;
  const answers: (() => void)[] = [];
  const { url } = await listen(({ socket }, response) => {
    if (areClosed && idle.has(socket)) return void socket.destroy();
    if (areClosed) return void response.end(ok('new'));
    idle.add(socket);
    answers.push(() => response.end(ok('old')));
    // All at once, so that each request has its own connection.
    if (answers.length === 8) for (const answer of answers) answer();
  });
  const client = clientOf(url);
  await Promise.all(Array.from({ length: 8 }, () => get(client)));
  areClosed = true;
  expect([idle.size, await get(client)]).toEqual([8, 'new']);
});

it('asks the next node when one is lost, and stays with it', async () => {
  const lost = await listen(() => {});
  lost.server.close();
  let requests = 0;
  const { url } = await listen((_, response) => {
    requests++;
    response.end(ok('here'));
  });
  const client = clientOf(lost.url, url);
  lost.server.closeAllConnections();
  expect([await get(client), await get(client), requests]).toEqual(['here', 'here', 2]);
});

it('asks the next node when one fails or does not answer in time', async () => {
  const failing = await listen((_, response) => {
    response.statusCode = 500;
    response.end('{"status":{"error":"no peer"}}');
  });
  const silent = await listen(() => {});
  const { url } = await listen((_, response) => response.end(ok('here')));
  expect(await get(clientOf(failing.url, silent.url, url), 100)).toBe('here');
  await expect(get(clientOf(failing.url))).rejects.toMatchObject({
    code: 'VECTORS_UNAVAILABLE',
    message: 'Qdrant at the test cannot be used: 500 no peer.',
  });
  await expect(get(clientOf(silent.url), 100)).rejects.toMatchObject({
    message: 'Qdrant at the test cannot be reached: it did not answer in time.',
    details: { reason: 'timeout' },
  });
});

it('does not wait for the rest of an answer when the server goes away in the middle of it', async () => {
  const { url } = await listen((_, response) => {
    response.writeHead(200, { 'content-length': '100' });
    response.write('{"result":');
    setTimeout(() => response.destroy(), 20);
  });
  await expect(get(clientOf(url), 60_000)).rejects.toMatchObject({
    code: 'VECTORS_UNAVAILABLE',
    details: { reason: 'connection' },
  });
});

it('takes a server without the pages of Qdrant for another server', async () => {
  const { url } = await listen((_, response) => {
    response.statusCode = 404;
    response.end();
  });
  await expect(clientOf(url).check()).rejects.toMatchObject({ hint: "Check the setting 'vectors'." });
});

it.each(['<html>hunter2</html>', '"text"', 'null', '{}', '{"result":null}', ''])(
  'takes %s for the answer of another server',
  async (body) => {
    const { url } = await listen((_, response) => response.end(body));
    const error: unknown = await get(clientOf(url)).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'VECTORS_UNAVAILABLE', hint: "Check the setting 'vectors'." });
    expect(JSON.stringify([String(error), error])).not.toContain('hunter2');
  },
);

it.each([
  [401, '', 'it does not accept the API key', 'vectors_api_key'],
  [403, '{}', 'it does not accept the API key', 'vectors_api_key'],
  [400, '{"status":{"error":"Wrong input: x"}}', '400 Wrong input: x', 'log of Qdrant'],
  [400, 'you sent api-key: hunter2', '400 you sent api-key: ***', 'log of Qdrant'],
  [500, '{"status":{"error":"No space left on device"}}', '500 No space left on device', 'Free some space'],
])('says what an answer of %i means, without the key', async (status, body, reason, hint) => {
  const { url } = await listen((_, response) => {
    response.statusCode = status;
    response.end(body);
  });
  const error: unknown = await get(clientOf(url)).catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ message: expect.stringContaining(reason), hint: expect.stringContaining(hint) });
  expect(JSON.stringify([String(error), error])).not.toContain('hunter2');
});

it.each([
  ['1.11.9', false],
  ['1.12.0', true],
  ['2.0.0', true],
  ['0.9', false],
  ['', false],
])('takes version "%s": %s', async (version, isTaken) => {
  const { url } = await listen((request, response) => {
    response.end(request.url === '/' ? JSON.stringify({ version }) : ok({ collections: [] }));
  });
  const checked = clientOf(url).check();
  if (isTaken) await checked;
  else await expect(checked).rejects.toMatchObject({ details: { reason: 'version' } });
});
