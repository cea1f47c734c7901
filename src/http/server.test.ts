import { once } from 'node:events';
import { request as httpRequest, Server } from 'node:http';
import { connect } from 'node:net';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { memoryRegistry } from '../../test/support/memory-registry.ts';
import { parseSettings } from '../config.ts';
import { DowserError, type ErrorBody } from '../model/errors/errors.ts';
import type { LocalRegistry } from '../registry/contract/registry.ts';
import type { Logger } from './log/logger.ts';
import { type RunningServer, startServer } from './server.ts';

const silent: Logger = { info() {}, warn() {}, error() {} };
const MEGABYTE = 1024 * 1024;
const running: RunningServer[] = [];

async function start(settings: Record<string, unknown> = {}, overrides: Partial<LocalRegistry> = {}) {
  const server = await startServer({
    registry: await memoryRegistry(overrides),
    version: '1.2.3',
    logger: silent,
    settings: parseSettings({ port: 0, ...settings }),
  });
  running.push(server);
  return server;
}

afterEach(async () => {
  vi.restoreAllMocks();
  await Promise.all(running.splice(0).map((server) => server.close()));
});

const post = (url: string, body: string | Uint8Array) =>
  fetch(`${url}/api/search/semantic`, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body });

const codeOf = async (response: Response) => ((await response.json()) as ErrorBody).error.code;

describe('startServer', () => {
  it('answers at the address it gives', async () => {
    const { url } = await start();
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    expect((await fetch(`${url}/api/health`)).status).toBe(200);
  });

  it('goes on answering while it drains, is not ready meanwhile, and closes before the time is over', async () => {
    const server = await start({ drain_ms: 600_000 });
    expect((await fetch(`${server.url}/ready`)).status).toBe(200);
    const drained = server.drain();
    const ready = await fetch(`${server.url}/ready`);
    expect([ready.status, ready.headers.get('retry-after'), await codeOf(ready)]).toEqual([
      503,
      '1',
      'SERVER_STOPPING',
    ]);
    expect((await fetch(`${server.url}/health`)).status).toBe(200);
    expect((await post(server.url, '{"query":"copper"}')).status).toBe(200);
    await server.close();
    await drained;
  });

  it('names the address in use, and says what to do', async () => {
    const { port } = await start();
    const thrown = await start({ port }).catch((error: unknown) => error);
    expect(thrown).toBeInstanceOf(DowserError);
    expect(thrown).toMatchObject({ code: 'PORT_IN_USE', message: expect.stringContaining(`127.0.0.1:${port}`) });
    expect((thrown as DowserError).hint).toContain('--port');
  });

  it('names the setting when the host is not an address of this machine', async () => {
    const thrown = await start({ host: '192.0.2.1' }).catch((error: unknown) => error);
    expect(thrown).toMatchObject({ code: 'INVALID_SETTING', field: 'host' });
  });

  it('refuses a 10 MB body with Content-Length, and keeps running', async () => {
    const { url } = await start();
    const refused = await post(url, JSON.stringify({ query: 'x'.repeat(10 * MEGABYTE) }));
    expect([refused.status, await codeOf(refused)]).toEqual([413, 'BODY_TOO_LARGE']);
    expect((await post(url, '{"query":"x"}')).status).toBe(200);
  });

  it('refuses a 10 MB chunked body, and keeps running', async () => {
    const { url } = await start();
    const { port } = new URL(url);
    const request = httpRequest({
      port,
      host: '127.0.0.1',
      method: 'POST',
      path: '/api/search/semantic',
      headers: { 'Content-Type': 'application/json', 'Transfer-Encoding': 'chunked' },
    });
    for (let i = 0; i < 10; i++) request.write('x'.repeat(MEGABYTE));
    request.end();
    const [response] = await once(request, 'response');
    let text = '';
    for await (const part of response) text += part;
    expect([response.statusCode, (JSON.parse(text) as ErrorBody).error.code]).toEqual([413, 'BODY_TOO_LARGE']);
    expect((await post(url, '{"query":"x"}')).status).toBe(200);
  });

  it('accepts a small chunked body', async () => {
    const { url } = await start();
    const encoder = new TextEncoder();
    const body = new ReadableStream({
      start(controller) {
        for (const part of ['{"que', 'ry": "caf', 'é"}']) controller.enqueue(encoder.encode(part));
        controller.close();
      },
    });
    const response = await fetch(`${url}/api/search/semantic`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body,
      duplex: 'half',
    } as RequestInit);
    expect(await response.json()).toMatchObject({ query: 'café' });
  });

  it.each([
    ['bytes that are not UTF-8', new Uint8Array([0x22, 0xff, 0xfe, 0x22])],
    ['no body at all', new Uint8Array()],
    ['half an object', new TextEncoder().encode('{"query": "x"')],
  ])('refuses %s as malformed', async (_, bytes) => {
    const { url } = await start();
    const response = await post(url, bytes);
    expect([response.status, await codeOf(response)]).toEqual([400, 'MALFORMED_JSON']);
  });

  it('survives input that is not HTTP', async () => {
    const { url, port } = await start();
    for (const junk of [
      '\0\0\0\0',
      'GET / HTTP/1.1\r\nHost: \r\n\r\n',
      'GET /%zz HTTP/1.1\r\nHost: localhost\r\n\r\n',
    ]) {
      const socket = connect(port, '127.0.0.1');
      socket.on('error', () => {});
      socket.end(junk);
      socket.resume();
      await once(socket, 'close');
    }
    expect((await fetch(`${url}/api/health`)).status).toBe(200);
  });

  it('keeps connections open between requests', async () => {
    const { port } = await start();
    const socket = connect(port, '127.0.0.1');
    let seen = '';
    socket.on('data', (part) => {
      seen += part;
    });
    for (let i = 1; i <= 2; i++) {
      socket.write('GET /api/health HTTP/1.1\r\nHost: localhost\r\n\r\n');
      await expect.poll(() => seen.match(/HTTP\/1\.1 200/g)?.length ?? 0).toBe(i);
    }
    socket.destroy();
  });

  it('finishes running requests before it closes the registry, and accepts no new ones', async () => {
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    const { search } = await memoryRegistry();
    const happened: string[] = [];
    const server = await start(
      {},
      {
        async search(request) {
          happened.push('search began');
          await held;
          happened.push('search ended');
          return search(request);
        },
        async close() {
          happened.push('registry closed');
        },
      },
    );
    const slow = post(server.url, '{"query":"slow"}');
    await expect.poll(() => happened).toEqual(['search began']);
    const closed = server.close();
    await expect(fetch(`${server.url}/api/health`)).rejects.toThrow();
    release();
    const response = await slow;
    expect([response.status, response.headers.get('connection')]).toEqual([200, 'close']);
    await closed;
    expect(happened).toEqual(['search began', 'search ended', 'registry closed']);
  });

  it('does not wait for idle connections', async () => {
    const server = await start();
    await (await fetch(`${server.url}/api/health`)).text();
    const closeByForce = vi.spyOn(Server.prototype, 'closeAllConnections');
    await server.close();
    expect(closeByForce).not.toHaveBeenCalled();
  });

  it('does not wait for connections that nothing was sent over', async () => {
    const server = await start();
    const socket = connect(server.port, '127.0.0.1');
    await once(socket, 'connect');
    const closeByForce = vi.spyOn(Server.prototype, 'closeAllConnections');
    await Promise.all([server.close(), once(socket, 'close')]);
    expect(closeByForce).not.toHaveBeenCalled();
  });

  it('answers a hundred callers at once', async () => {
    const { url } = await start();
    const answers = await Promise.all(Array.from({ length: 100 }, (_, i) => post(url, `{"query":"q${i}"}`)));
    const queries = await Promise.all(
      answers.map(async (answer) => ((await answer.json()) as { query: string }).query),
    );
    expect(queries).toEqual(Array.from({ length: 100 }, (_, i) => `q${i}`));
  });
});
