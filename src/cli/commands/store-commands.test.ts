import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { runCommand } from '../../../test/support/command-run.ts';
import { parseSettings } from '../../config.ts';
import { startServer } from '../../http/server.ts';
import type { DowserError } from '../../model/errors.ts';
import { openRegistry } from '../../open.ts';
import { inPlainWords } from '../plain-words.ts';
import { writeServerFile } from '../server-file.ts';
import { command as backup } from './backup.ts';
import { command as doctor } from './doctor.ts';
import { command as importFiles } from './import.ts';
import { command as list } from './list.ts';
import { command as restore } from './restore.ts';

let root: string;
let data: readonly string[];
let file: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'dowser-store-'));
  data = ['--data', join(root, 'data')];
  file = join(root, 'backup.sqlite');
  const lines = join(root, 'tools.jsonl');
  const tools = ['/lamp', '/oil'].map((path) =>
    JSON.stringify({ type: 'tool', path, name: path, description: 'A tool' }),
  );
  await writeFile(lines, tools.join('\n'));
  await runCommand(importFiles, ['import', lines, ...data]);
});
afterEach(() => rm(root, { recursive: true }));

it('backs up, restores, and says what it did', async () => {
  expect(await runCommand(backup, ['backup', file, ...data])).toBe(
    `Backed up 2 entities to ${file}, and checked the copy\n`,
  );
  await rm(join(root, 'data'), { recursive: true });
  const said = await runCommand(restore, ['restore', file, ...data]);
  expect(said).toBe(`Restored 2 entities to ${join(root, 'data')}\n`);
  expect(await runCommand(list, ['list', ...data])).toContain('/lamp');
});

it('asks to stop a server before a restore', async () => {
  await runCommand(backup, ['backup', file, ...data]);
  const settings = parseSettings({ data_dir: join(root, 'data'), embeddings_provider: 'off', port: 0 });
  const logger = { info() {}, warn() {}, error() {} };
  const registry = await openRegistry(settings);
  const server = await startServer({ registry, version: '1', logger, settings, secret: 'abc' });
  try {
    await writeServerFile(settings.data_dir, { url: server.url, command: 'serve', secret: 'abc' });
    const error = await runCommand(restore, ['restore', file, ...data]).catch((thrown: unknown) => thrown);
    expect(inPlainWords(error as DowserError)).toMatchObject({
      code: 'STORE_LOCKED',
      message: `The server at ${server.url} is using the data folder ${settings.data_dir}.`,
      hint: expect.stringContaining('Stop the server first'),
    });
  } finally {
    await server.close();
  }
});

it('is checked by doctor, which names a lost database, and repairs it on request', async () => {
  expect(await runCommand(doctor, ['doctor', '--deep', ...data])).toMatch(/ok {4}deep check +2 entities can be read/);
  await rm(join(root, 'data', 'dowser.sqlite'));
  const broken = await runCommand(doctor, ['doctor', '--deep', ...data]);
  expect(broken).toMatch(/fail {2}database .* is missing: it had 2 entities .*\[STORE_LOST_WRITES\]/);
  expect(broken).toMatch(/fail {2}deep check/);
  const repaired = await runCommand(doctor, ['doctor', '--repair', ...data]);
  expect(repaired).toMatch(/warn {2}repair .*Kept 0 entities, 2 entities lost/);
  expect(repaired).not.toContain('fail  database');
});
