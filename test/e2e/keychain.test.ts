// biome-ignore-all lint/suspicious/noTemplateCurlyInString: references of this shape are what is tested.
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { delimiter, join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { Sandbox } from './cli-process.ts';

vi.setConfig({ testTimeout: 120_000 });

let sandbox: Sandbox;
const sent: (string | undefined)[] = [];
/** A `server.json` that repeats what it was asked with. */
const host = createServer((request, response) => {
  sent.push(request.headers.authorization);
  const document = {
    name: 'io.github.acme/ledger',
    description: `Keeps a ledger for ${request.headers.authorization}`,
  };
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(document));
});
let url: string;
beforeEach(async () => {
  sandbox = await Sandbox.open();
  sent.length = 0;
  await new Promise<void>((resolve) => host.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(host.address() as AddressInfo).port}/server.json`;
});
afterEach(async () => {
  host.closeAllConnections();
  await new Promise((resolve) => host.close(resolve));
  await sandbox.close();
});

/** What reads the keychain here. */
const COMMAND = { darwin: 'security', win32: 'powershell.exe' }[process.platform as string] ?? 'secret-tool';

it('dowser add and refresh read a key from the keychain, and store the reference', async () => {
  const bin = join(sandbox.dir, 'bin');
  await mkdir(bin);
  await writeFile(join(bin, COMMAND), '#!/bin/sh\n[ "$DOWSER_KEYCHAIN_NAME" = acme-key ] && printf geheim99\n');
  await chmod(join(bin, COMMAND), 0o755);
  const env = { PATH: [bin, process.env.PATH].join(delimiter) };
  const header = 'Authorization: Bearer ${keychain:acme-key}';
  const added = await sandbox.run(['add', url, '--kind', 'server', '--header', header], env);
  expect([added.code, added.stderr]).toEqual([0, '']);
  const refreshed = await sandbox.run(['refresh'], env);
  expect([refreshed.code, [...new Set(sent)]]).toEqual([0, ['Bearer geheim99']]);
  const stored = await sandbox.run(['export'], env);
  expect(stored.stdout).toContain('Keeps a ledger for');
  for (const { stdout, stderr } of [added, refreshed, stored]) expect(stdout + stderr).not.toContain('geheim99');
  const missing = await sandbox.run(['refresh']);
  expect(missing.stdout + missing.stderr).toContain('${keychain:acme-key}');
  expect(missing.stdout + missing.stderr).toContain(COMMAND);
});
