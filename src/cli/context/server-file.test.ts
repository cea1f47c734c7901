import { once } from 'node:events';
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { parseSettings } from '../../config.ts';
import { startServer } from '../../http/server.ts';
import { openRegistry } from '../../open.ts';
import { findServer, writeServerFile } from './server-file.ts';

let dir: string;
const open: { close(): Promise<void> | void }[] = [];
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'dowser-note-'));
});
afterEach(async () => {
  for (const one of open.splice(0).reverse()) await one.close();
  await rm(dir, { recursive: true });
});

/** A real server of the folder, with a secret. */
async function serve(secret: string, settings: object = {}): Promise<string> {
  const all = parseSettings({ data_dir: dir, embeddings_provider: 'off', port: 0, ...settings });
  const logger = { info() {}, warn() {}, error() {} };
  const registry = await openRegistry(all);
  const server = await startServer({ registry, version: '1', logger, settings: all, secret });
  open.push(server);
  return server.url;
}

const note = (url: string, secret?: string) => writeServerFile(dir, { url, command: 'serve', secret });

it('takes a note whose address is none for no server', async () => {
  await note('nowhere', 'abc');
  expect(await findServer(dir)).toBeUndefined();
});

it('writes the note for the user alone, whatever the umask', async () => {
  const before = process.umask(0);
  try {
    await note('http://127.0.0.1:1', 'abc');
  } finally {
    process.umask(before);
  }
  expect((await stat(join(dir, 'server.json'))).mode & 0o777).toBe(0o600);
  expect(JSON.parse(await readFile(join(dir, 'server.json'), 'utf8'))).toMatchObject({ secret: 'abc' });
});

it('finds a server that proves the secret of the note, and writes to it', async () => {
  await note(await serve('abc'), 'abc');
  const found = await findServer(dir);
  await found!.registry.put({ type: 'document', path: '/a', name: 'a' });
  expect((await found!.registry.get('document', '/a')).entity.name).toBe('a');
});

it('writes with the key where others may only read', async () => {
  const url = await serve('abc', { host: '0.0.0.0', open_access: true });
  await note(url, 'abc');
  const entity = { type: 'document', path: '/a', name: 'a' } as const;
  await (await findServer(dir))!.registry.put(entity);
  const headers = { 'Content-Type': 'application/json' };
  const send = (more: object) =>
    fetch(`${url}/api/entities`, { method: 'POST', headers: { ...headers, ...more }, body: JSON.stringify(entity) });
  expect([(await send({})).status, (await send({ 'x-dowser-key': 'abc' })).status]).toEqual([403, 403]);
  expect((await fetch(`${url}/api/entities`)).status).toBe(200);
});

it.each([
  ['a note without a secret', undefined],
  ['another secret', 'xyz'],
])('does not trust %s', async (_, secret) => {
  await note(await serve('abc'), secret);
  expect(await findServer(dir)).toBeUndefined();
});

it('sends an impostor on the port nothing but a health check', async () => {
  const seen: IncomingMessage[] = [];
  const impostor = createServer((request, response) => {
    seen.push(request);
    response.setHeader('Content-Type', 'application/json');
    response.end(JSON.stringify({ store: { path: dir } }));
  });
  impostor.listen(0, '127.0.0.1');
  await once(impostor, 'listening');
  open.push({ close: () => void impostor.close() });
  await note(`http://127.0.0.1:${(impostor.address() as AddressInfo).port}`, 'the secret');
  expect(await findServer(dir)).toBeUndefined();
  expect(seen.map(({ method, url }) => `${method} ${url}`)).toEqual(['GET /health']);
  expect(JSON.stringify(seen[0]!.rawHeaders)).not.toContain('the secret');
  expect(seen[0]!.headers).not.toHaveProperty('x-dowser-key');
});
