import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { runCommand } from '../../../test/support/command-run.ts';
import { FileKeys } from '../../access/file-keys.ts';
import { parseSettings } from '../../config.ts';
import { startServer } from '../../http/server.ts';
import type { DowserError } from '../../model/errors/errors.ts';
import { openRegistry } from '../../open.ts';
import { inPlainWords } from '../context/plain-words.ts';
import { writeServerFile } from '../context/server-file.ts';
import { command as backup } from './backup.ts';
import { command as doctor } from './doctor.ts';
import { command as importFiles } from './import.ts';
import { command as list } from './list.ts';
import { command as migrate } from './migrate.ts';
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

it('backs up and restores everything that nothing can make again, and keeps what was there', async () => {
  const folder = join(root, 'data');
  const copy = join(root, 'copy');
  const { key } = new FileKeys(folder).create(
    { name: 'ci', groups: [], scopes: ['read'], expiresAt: null },
    new Date('2026-01-31T12:00:00Z'),
  );
  await writeFile(join(folder, 'config.json'), '{"port": 7481}', { mode: 0o600 });
  await writeFile(join(folder, 'sources.txt'), 'one\n');
  await writeFile(join(folder, 'calls.json'), '{}');
  await mkdir(join(folder, 'audit'));
  await writeFile(join(folder, 'audit', 'audit.jsonl'), '{"at": 1}\n');
  await writeFile(join(folder, 'sign-ins.json'), 'a token');
  const beside = 'keys.sqlite, config.json, sources.txt, calls.json';
  expect(await runCommand(backup, ['backup', '--all', copy, ...data])).toBe(
    `Backed up 2 entities to ${copy}, with ${beside}, audit, and checked the copy\n`,
  );
  expect((await readdir(copy)).sort()).toEqual(`audit, dowser.sqlite, ${beside}`.split(', ').sort());
  expect((await stat(copy)).mode & 0o777).toBe(0o700);
  expect((await stat(join(copy, 'keys.sqlite'))).mode & 0o777).toBe(0o600);
  expect(await runCommand(backup, ['backup', file, ...data])).toContain(`Not copied: ${beside}, audit. Use --all`);
  const again = await runCommand(backup, ['backup', '--all', copy, ...data]).catch((thrown: unknown) => thrown);
  expect(again).toMatchObject({ code: 'INVALID_FILE', message: `${copy} exists already.` });

  await writeFile(join(folder, 'config.json'), '{"port": 7482}');
  await writeFile(join(folder, 'audit', 'audit.jsonl'), '{"at": 1}\n{"at": 2}\n');
  const [restored, old] = (await runCommand(restore, ['restore', copy, ...data])).trim().split('\n');
  expect(restored).toBe(`Restored 2 entities to ${folder}, with ${beside}`);
  expect(await readFile(join(folder, 'config.json'), 'utf8')).toBe('{"port": 7481}');
  expect(await readFile(join(folder, 'audit', 'audit.jsonl'), 'utf8')).toContain('"at": 2');
  const kept = old!.replace('The old files are in ', '');
  expect(await readFile(join(kept, 'config.json'), 'utf8')).toBe('{"port": 7482}');

  await rm(folder, { recursive: true });
  expect(await runCommand(restore, ['restore', copy, ...data])).toContain(`${beside}, audit`);
  expect(new FileKeys(folder).find(key)).toMatchObject({ name: 'ci' });
});

it('leaves nothing of a folder that could not be backed up', async () => {
  const copy = join(root, 'copy');
  const nothing = ['--data', join(root, 'nothing')];
  const error = await runCommand(backup, ['backup', '--all', copy, ...nothing]).catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ code: 'NOT_FOUND' });
  expect((await readdir(root)).filter((name) => name.startsWith('copy'))).toEqual([]);
});

it.each([['--all', 'copy'], ['backup.sqlite']])(
  'does not touch what has the name of its unfinished copy: %s',
  async (...words) => {
    const target = join(root, words.at(-1)!);
    await mkdir(`${target}.part`);
    await writeFile(join(`${target}.part`, 'mine.txt'), 'mine');
    const argv = ['backup', ...words.slice(0, -1), target, ...data];
    const error = await runCommand(backup, argv).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'INVALID_FILE', message: `${target}.part exists already.` });
    expect(await readFile(join(`${target}.part`, 'mine.txt'), 'utf8')).toBe('mine');
  },
);

it('asks to stop a server before a restore and before a move', async () => {
  await runCommand(backup, ['backup', file, ...data]);
  const settings = parseSettings({ data_dir: join(root, 'data'), embeddings_provider: 'off', port: 0 });
  const logger = { info() {}, warn() {}, error() {} };
  const registry = await openRegistry(settings);
  const server = await startServer({ registry, version: '1', logger, settings, secret: 'abc' });
  try {
    await writeServerFile(settings.data_dir, { url: server.url, command: 'serve', secret: 'abc' });
    const move = ['migrate', '--from', settings.data_dir, '--to', 'postgres://dowser@127.0.0.1:1/dowser'];
    for (const start of [() => runCommand(restore, ['restore', file, ...data]), () => runCommand(migrate, move)]) {
      const error = await start().catch((thrown: unknown) => thrown);
      expect(inPlainWords(error as DowserError)).toMatchObject({
        code: 'STORE_LOCKED',
        message: `The server at ${server.url} is using the data folder ${settings.data_dir}.`,
        hint: expect.stringContaining('Stop the server first'),
      });
    }
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
