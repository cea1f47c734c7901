import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { Worker } from 'node:worker_threads';
import { afterEach, describe, expect, it } from 'vitest';
import { memoryRegistry } from '../../../test/support/memory-registry.ts';
import { parseSettings } from '../../config.ts';
import type { ErrorBody } from '../../model/errors/errors.ts';
import type { Health } from '../../registry/contract/answers.ts';
import type { LocalRegistry } from '../../registry/contract/registry.ts';
import type { Logger } from '../log/logger.ts';
import { type RunningServer, startServer } from '../server.ts';
import { serverLoad } from './server-load.ts';

/** What the kernel allows. Unknown: too little. */
const MAX_BACKLOG = existsSync('/proc/sys/net/core/somaxconn')
  ? Number(readFileSync('/proc/sys/net/core/somaxconn', 'utf8'))
  : 0;
const silent = { info() {}, warn() {}, error() {} };
const open: { close(): Promise<void> | void }[] = [];
afterEach(async () => {
  for (const one of open.splice(0).reverse()) await one.close();
});

async function start(
  settings: object,
  overrides: Partial<LocalRegistry> = {},
  logger: Logger = silent,
): Promise<RunningServer> {
  const registry = await memoryRegistry(overrides);
  const server = await startServer({
    registry,
    version: '1',
    logger,
    settings: parseSettings({ port: 0, ...settings }),
  });
  open.push(server);
  return server;
}

const search = (url: string, query: string) =>
  fetch(`${url}/api/search/semantic`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ query }),
  });
const health = async (url: string) => ((await (await fetch(`${url}/api/health`)).json()) as Health).server!;

/** A client that announces a body and sends some of it. */
async function upload(port: number, announced: number, sent: number, path = '/api/entities'): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => {});
  open.push({ close: () => void socket.destroy() });
  await once(socket, 'connect');
  const head = [
    `POST ${path} HTTP/1.1`,
    'Host: localhost',
    'Content-Type: application/json',
    `Content-Length: ${announced}`,
  ];
  socket.write(`${head.join('\r\n')}\r\n\r\n${'x'.repeat(sent)}`);
  return socket;
}

const answerOf = async (socket: Socket): Promise<string> => {
  let text = '';
  socket.on('data', (part) => {
    text += part;
  });
  await once(socket, 'close');
  return text;
};

describe('a server with more requests than it can serve', () => {
  it('answers 503 with Retry-After, keeps health apart, and serves those that wait', async () => {
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    const { search: find } = await memoryRegistry();
    const overrides: Partial<LocalRegistry> = {
      async search(request) {
        await held;
        return find(request);
      },
    };
    const { url } = await start({ max_running_requests: 2, max_waiting_requests: 3 }, overrides);
    const taken = Array.from({ length: 5 }, (_, i) => search(url, `q${i}`));
    await expect.poll(async () => (await health(url)).requests).toEqual({ running: 2, waiting: 3, refused: 0 });
    const refused = await search(url, 'one too many');
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '1']);
    expect(((await refused.json()) as ErrorBody).error.code).toBe('OVERLOADED');
    const standard = await fetch(`${url}/v0.1/servers`);
    expect([standard.status, standard.headers.get('retry-after')]).toEqual([503, '1']);
    expect((await health(url)).requests).toEqual({ running: 2, waiting: 3, refused: 2 });
    release();
    const answers = await Promise.all(taken);
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
    await expect.poll(async () => (await health(url)).requests.running).toBe(0);
  });

  it('keeps the connection of a refused client, unless much of its body may follow', async () => {
    const overrides: Partial<LocalRegistry> = { search: () => new Promise(() => {}) };
    const settings = { max_running_requests: 1, max_waiting_requests: 0, shutdown_wait_ms: 0 };
    const { url, port } = await start(settings, overrides);
    void search(url, 'held').catch(() => {});
    await expect.poll(async () => (await health(url)).requests.running).toBe(1);
    const [small, large] = [await upload(port, 100, 50), await upload(port, 100_000, 50)];
    let answers = '';
    small.on('data', (part) => {
      answers += part;
    });
    await expect.poll(() => answers).toContain('OVERLOADED');
    // The rest of the body is dropped, and the next request is answered.
    small.write(`${'x'.repeat(50)}GET /api/health HTTP/1.1\r\nHost: localhost\r\n\r\n`);
    await expect.poll(() => answers.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 503', 'HTTP/1.1 200']);
    expect(await answerOf(large)).toMatch(/^HTTP\/1\.1 503 .*connection: close/is);
  });

  it('counts a call over MCP until its tool has answered', async () => {
    const ends: (() => void)[] = [];
    const { search: find } = await memoryRegistry();
    const overrides: Partial<LocalRegistry> = {
      async search(request) {
        await new Promise<void>((resolve) => ends.push(resolve));
        return find(request);
      },
    };
    const { url } = await start({ max_running_requests: 2, max_waiting_requests: 0 }, overrides);
    const call = () =>
      fetch(`${url}/mcp`, {
        method: 'POST',
        headers: {
          'Content-Type': 'application/json',
          Accept: 'application/json, text/event-stream',
          'MCP-Protocol-Version': '2025-06-18',
          // Of another kind than the call: it must not make the call free.
          'Mcp-Method': 'subscriptions/listen',
        },
        body: JSON.stringify({
          jsonrpc: '2.0',
          id: 1,
          method: 'tools/call',
          params: { name: 'search_tools', arguments: { query: 'weather' } },
        }),
      });
    const taken = [await call(), await call()];
    expect(taken.map(({ status }) => status)).toEqual([200, 200]);
    await expect.poll(() => ends.length).toBe(2);
    expect((await health(url)).requests.running).toBe(2);
    expect((await call()).status).toBe(503);
    for (const end of ends) end();
    for (const response of taken) expect(await response.text()).toContain('"result"');
    await expect.poll(async () => (await health(url)).requests.running).toBe(0);
  });

  it('does not let unfinished uploads take a place or memory without end', async () => {
    const memory = 400_000;
    const settings = {
      max_running_requests: 1,
      max_waiting_requests: 0,
      body_limit_bytes: 200_000,
      body_memory_bytes: memory,
    };
    const { url, port } = await start(settings);
    await Promise.all(Array.from({ length: 20 }, () => upload(port, 200_000, 150_000)));
    await expect.poll(async () => (await health(url)).body_bytes).toBeGreaterThan(memory / 2);
    const late = await upload(port, 200_000, 199_999);
    expect(await answerOf(late)).toMatch(/^HTTP\/1\.1 503 /);
    expect((await health(url)).body_bytes).toBeLessThanOrEqual(memory);
    // Small requests reserve what they announce; those that wait for the rest of a body run nothing.
    expect((await health(url)).requests.running).toBe(0);
    expect((await fetch(`${url}/api/entities`)).status).toBe(200);
  });

  it.each([
    ['a small body', 100],
    ['a large body', 100_000],
  ])('ends %s that does not arrive in time, and gives its memory back', async (_, announced) => {
    const { url, port } = await start({ body_timeout_ms: 100 });
    const socket = await upload(port, announced, 10);
    const answer = await answerOf(socket);
    expect([answer.split('\r\n')[0], answer.includes('BODY_TOO_SLOW')]).toEqual(['HTTP/1.1 408 Request Timeout', true]);
    expect((await health(url)).body_bytes).toBe(0);
  });

  it('gives the memory of a body back when the request is answered, or its client is gone', async () => {
    const { url, port } = await start({});
    await search(url, 'x'.repeat(8000));
    const socket = await upload(port, 1_000_000, 500_000);
    await expect.poll(async () => (await health(url)).body_bytes).toBeGreaterThan(0);
    socket.destroy();
    await expect.poll(async () => (await health(url)).body_bytes).toBe(0);
  });
});

/** Opens connections in a thread, and counts those that are open. */
const CONNECT = `
  const { connect } = require('node:net');
  const { parentPort, workerData: { port, connections, counts } } = require('node:worker_threads');
  const sockets = Array.from({ length: connections }, () => connect(port, '127.0.0.1', () => {
    if (Atomics.add(counts, 0, 1) + 1 === connections) Atomics.store(counts, 1, 1), Atomics.notify(counts, 1);
  }).on('error', () => {}));
  parentPort.once('message', () => { for (const socket of sockets) socket.destroy(); });
`;

it.runIf(MAX_BACKLOG >= 4096)(
  'takes more connections at once than Node does by default, also while it is busy',
  async () => {
    const { port } = await start({});
    const connections = 700;
    const counts = new Int32Array(new SharedArrayBuffer(8));
    const worker = new Worker(CONNECT, { eval: true, workerData: { port, connections, counts }, execArgv: [] });
    // Nothing is accepted meanwhile. Ends as soon as all are open.
    Atomics.wait(counts, 1, 0, 10_000);
    expect(counts[0]).toBe(connections);
    worker.postMessage('close');
    await once(worker, 'exit');
  },
);

describe('a client that leaves', () => {
  const errors: unknown[] = [];
  const ended: unknown[] = [];
  const logger: Logger = { info: (facts) => ended.push(facts), warn() {}, error: (facts) => errors.push(facts) };
  afterEach(() => {
    errors.length = 0;
    ended.length = 0;
  });

  it.each([
    ['a small body', 100],
    ['a large body', 100_000],
  ])('while it sends %s is no error of the server', async (_, announced) => {
    const { url, port } = await start({}, {}, logger);
    const socket = await upload(port, announced, 10);
    await expect.poll(async () => (await health(url)).body_bytes).toBeGreaterThan(0);
    socket.destroy();
    await expect.poll(() => ended).toContainEqual(expect.objectContaining({ code: 'BODY_INCOMPLETE' }));
    expect(errors).toEqual([]);
  });
});

it('reports the delay of the event loop', async () => {
  const { url } = await start({});
  expect((await health(url)).event_loop_delay_ms).toEqual({
    p50: expect.any(Number),
    p99: expect.any(Number),
    max: expect.any(Number),
  });
});

it('limits no single caller where only programs of this machine can ask, unless the settings do', () => {
  const { callers } = serverLoad(parseSettings({}));
  for (let i = 0; i < 5000; i++) callers.take('one');
  expect(callers.refused).toEqual({ rate: 0, in_flight: 0 });
  const limited = serverLoad(parseSettings({ rate_limit: 1 })).callers;
  for (let i = 0; i < 5; i++) limited.take('one');
  expect(() => limited.take('one')).toThrow('too many requests');
});

it.each([
  [{ rate_limit: 5 }, ['rate_limit']],
  [{ rate_limit: 5, max_requests_per_caller: 2 }, ['rate_limit', 'max_requests_per_caller']],
  [{ rate_limit: 0 }, []],
  [{}, []],
  [{ rate_limit: 5, allow_remote_writes: true, public_url: 'https://tools.example.com', open_access: true }, []],
])('says at its start that limits of callers do not hold where all are one person: %j', async (settings, names) => {
  const warnings: object[] = [];
  await start(settings, {}, { ...silent, warn: (facts) => warnings.push(facts) });
  expect(warnings.flatMap((facts) => ('settings' in facts ? facts.settings : []))).toEqual(names);
});
