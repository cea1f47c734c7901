import { createHash, randomBytes } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { tgzOf } from '../support/tar-archive.ts';
import { Sandbox } from './cli-process.ts';

const FIXTURE = new URL('../support/mcp-fixture.mjs', import.meta.url);
/** All parts together take longer than the wait for a program without progress. */
const PART_MS = 400;
const PARTS = 8;

/** An npm registry with one package, which it sends slowly. */
async function slowRegistry(): Promise<{ readonly url: string; readonly server: Server; downloads(): number }> {
  const tarball = tgzOf([
    {
      name: 'package/package.json',
      body: JSON.stringify({ name: 'slow-server', version: '1.0.0', type: 'module', bin: './server.mjs' }),
    },
    { name: 'package/server.mjs', body: `#!/usr/bin/env node\n${await readFile(FIXTURE, 'utf8')}` },
    { name: 'package/payload.bin', body: randomBytes(400_000) },
  ]);
  let downloads = 0;
  const server = createServer(async (request, response) => {
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    if (request.url === '/slow-server') {
      const integrity = `sha512-${createHash('sha512').update(tarball).digest('base64')}`;
      const dist = { tarball: `${url}/slow-server-1.0.0.tgz`, integrity };
      const version = { name: 'slow-server', version: '1.0.0', bin: { 'slow-server': './server.mjs' }, dist };
      response.setHeader('Content-Type', 'application/json');
      response.end(
        JSON.stringify({ name: 'slow-server', 'dist-tags': { latest: '1.0.0' }, versions: { '1.0.0': version } }),
      );
    } else if (request.url?.endsWith('.tgz')) {
      downloads++;
      const size = Math.ceil(tarball.length / PARTS);
      for (let from = 0; from < tarball.length; from += size) {
        await sleep(PART_MS);
        response.write(tarball.subarray(from, from + size));
      }
      response.end();
    } else response.writeHead(404).end('{}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { url, server, downloads: () => downloads };
}

let dir: string;
let sandbox: Sandbox;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'dowser-npx-'));
  sandbox = await Sandbox.open();
});
afterEach(async () => {
  await sandbox.close();
  await rm(dir, { recursive: true, force: true });
});

describe('dowser add -- npx', () => {
  it('waits for a package that is fetched slowly, says so, and fetches it once', { timeout: 60_000 }, async () => {
    const registry = await slowRegistry();
    try {
      const definition = join(dir, 'definition.json');
      await writeFile(definition, JSON.stringify({ name: 'slow', tools: [[{ name: 'wait' }]] }));
      const env = {
        npm_config_registry: registry.url,
        npm_config_cache: join(dir, 'cache'),
        DOWSER_SOURCE_CONNECT_MS: '2500',
        DOWSER_SOURCE_LIST_MS: '10000',
      };
      const add = ['add', '--env', 'npm_config_userconfig=/dev/null', '--', 'npx', '-y', 'slow-server', definition];
      const first = await sandbox.run(add, env);
      expect(first).toMatchObject({ code: 0, stdout: expect.stringContaining('added  mcp_server:/slow') });
      expect(first.stderr).toContain('The package is being fetched.');
      const second = await sandbox.run(add, env);
      expect(second.stdout).toContain('unchanged  mcp_server:/slow');
      expect(registry.downloads()).toBe(1);
    } finally {
      registry.server.closeAllConnections();
      registry.server.close();
    }
  });
});
