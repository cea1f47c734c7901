import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { Sandbox } from './cli-process.ts';

let sandbox: Sandbox;
const sockets: Socket[] = [];
beforeEach(async () => {
  sandbox = await Sandbox.open();
});
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await sandbox.close();
});

const BODY = JSON.stringify({ type: 'skill', path: '/last', name: 'last', description: 'The last write.' });
const HEAD = 'POST /api/entities HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n';

/** A connection that sends what it is told to, and keeps what comes back. */
async function open(url: string) {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  sockets.push(socket);
  let text = '';
  socket.setEncoding('utf8').on('data', (part) => {
    text += part;
  });
  socket.on('error', () => {});
  await once(socket, 'connect');
  return { send: (part: string) => socket.write(part), received: () => text, closed: once(socket, 'close') };
}

const running = async (url: string) => {
  const response = await fetch(`${url}/api/health`, { headers: { Connection: 'close' } });
  return ((await response.json()) as { server: { body_bytes: number } }).server.body_bytes;
};

it('ends the requests at work, refuses later ones with 503, and then ends itself', async () => {
  const server = await sandbox.serve();
  const working = await open(server.url);
  working.send(`${HEAD}Content-Length: ${BODY.length}\r\n\r\n${BODY.slice(0, 10)}`);
  await expect.poll(() => running(server.url)).toBeGreaterThan(0);
  // Its head is not complete when the server begins to stop.
  const late = await open(server.url);
  late.send('GET /ready HTTP/1.1\r\nHost: localhost\r\n');
  const ended = server.stop('SIGTERM');
  await expect
    .poll(() =>
      fetch(`${server.url}/health`).then(
        () => 'answered',
        () => 'refused',
      ),
    )
    .toBe('refused');
  late.send('\r\n');
  await late.closed;
  expect(late.received()).toMatch(/^HTTP\/1\.1 503 .*SERVER_STOPPING/s);
  expect(late.received().toLowerCase()).toContain('\r\nretry-after: 1\r\n');
  working.send(BODY.slice(10));
  await working.closed;
  expect(working.received()).toMatch(/^HTTP\/1\.1 201 /);
  expect(await ended).toBe(0);
  const { stdout } = await sandbox.run(['get', 'skill', '/last', '--json']);
  expect(stdout).toContain('The last write.');
});

it('does not wait longer than it may for a request that never ends', async () => {
  const server = await sandbox.serve([], { DOWSER_SHUTDOWN_WAIT_MS: '200' });
  const stuck = await open(server.url);
  stuck.send(`${HEAD}Content-Length: ${BODY.length}\r\n\r\n${BODY.slice(0, 10)}`);
  await expect.poll(() => running(server.url)).toBeGreaterThan(0);
  expect(await server.stop('SIGTERM')).toBe(0);
  await stuck.closed;
  expect(stuck.received()).toBe('');
});

it('answers on SIGTERM for as long as it drains, and says that it is not ready', async () => {
  const server = await sandbox.serve([], { DOWSER_DRAIN_MS: '8000' });
  const ended = server.stop('SIGTERM');
  await expect.poll(async () => (await fetch(`${server.url}/ready`)).status).toBe(503);
  expect((await fetch(`${server.url}/api/entities?limit=1`)).status).toBe(200);
  expect(await ended).toBe(0);
});
