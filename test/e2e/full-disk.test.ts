import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { ask } from '../../bench/torture/ask.ts';
import { serveProcess } from '../../bench/torture/served-process.ts';

let root: string;
let data: string;
const children: ChildProcess[] = [];
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'dowser-full-'));
  data = join(root, 'data');
});
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
  rmSync(root, { recursive: true, force: true });
});

const OFF = { DOWSER_EMBEDDINGS_PROVIDER: 'off' };
const lamp = (n: number) => ({ type: 'skill', path: `/lamp-${n}`, name: `lamp ${n}`, description: 'Lights a lamp.' });

/** A command whose files may not grow beyond so many blocks of 512 bytes, as on a full disk. */
function startFull(blocks: number, ...args: readonly string[]): ChildProcess {
  const limited = ['-c', `trap "" XFSZ; ulimit -f ${blocks}; exec "$0" "$@"`];
  const command = [process.execPath, 'dist/cli/main.js', ...args, '--data', data];
  const child = spawn('sh', [...limited, ...command], {
    env: { ...process.env, ...OFF },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  children.push(child);
  return child;
}

async function ranFull(...args: readonly string[]): Promise<{ readonly code: number; readonly said: string }> {
  const child = startFull(0, ...args);
  let said = '';
  for (const stream of [child.stdout!, child.stderr!]) stream.on('data', (text) => (said += String(text)));
  const [code] = await once(child, 'close');
  return { code, said };
}

async function serveFull(blocks: number): Promise<string> {
  const child = startFull(blocks, 'serve', '--port', '0');
  let said = '';
  for (const stream of [child.stdout!, child.stderr!]) stream.on('data', (text) => (said += String(text)));
  const ended = once(child, 'exit').then(() => {
    throw new Error(`the server ended: ${said}`);
  });
  ended.catch(() => {});
  const started = (async () => {
    for (;;) {
      const url = /http:\/\/127\.0\.0\.1:\d+/.exec(said)?.[0];
      if (url !== undefined) return url;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  })();
  return Promise.race([started, ended]);
}

const TIMEOUT = { timeout: 120_000 };

// Without the space for its lock, a store is opened for reading only. A killed one has a log, which is read.
it.each([
  ['SIGTERM', 8],
  ['SIGKILL', 64],
] as const)('serves what was acknowledged before %s, refuses writes and says why', TIMEOUT, async (signal, blocks) => {
  const before = await serveProcess(data, OFF);
  const stored = await ask(before.url, 'POST', '/api/entities:batch', { entities: [1, 2, 3].map(lamp) });
  expect(stored.status).toBe(200);
  await before.end(signal);

  const url = await serveFull(blocks);
  const write = await ask<{ error: { code: string } }>(url, 'POST', '/api/entities', lamp(4));
  expect([write.status, write.body.error.code]).toEqual([507, 'STORE_FULL']);
  const list = await ask<{ entities: unknown[] }>(url, 'GET', '/api/entities');
  expect([list.status, list.body.entities.length]).toEqual([200, 3]);
  const health = await ask(url, 'GET', '/api/health');
  expect(health).toMatchObject({ status: 200, body: { status: 'degraded', store: { error: { code: 'STORE_FULL' } } } });
});

it('searches and reads without a server too, and says why a write fails', TIMEOUT, async () => {
  const before = await serveProcess(data, OFF);
  await ask(before.url, 'POST', '/api/entities:batch', { entities: [1, 2, 3].map(lamp) });
  await before.end('SIGTERM');
  rmSync(join(data, 'dowser.lock'), { force: true });
  expect(await ranFull('search', 'lamp')).toEqual({ code: 0, said: expect.stringMatching(/^3 results/) });
  expect(await ranFull('get', '/lamp-1')).toEqual({ code: 0, said: expect.stringContaining('Lights a lamp.') });
  const written = await ranFull('delete', '/lamp-1');
  expect(written).toEqual({ code: 1, said: expect.stringMatching(/^error\[STORE_FULL\]: .*\nhint: Free some space/) });
});
