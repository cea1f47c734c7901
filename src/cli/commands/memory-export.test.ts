import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { runCommand } from '../../../test/support/command-run.ts';
import { callerOf } from '../../model/caller/caller.ts';
import type { CommandModule } from '../context/context.ts';
import { command as memory } from './memory.ts';

let root: string;
let pages: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'dowser-export-'));
  pages = join(root, 'pages');
  await run(memory, 'add', 'Staging is on port 8080', '--namespace', 'ops');
  await run(memory, 'export', pages);
});
afterEach(() => rm(root, { recursive: true }));

const run = (command: CommandModule, ...words: readonly string[]) =>
  runCommand(command, ['memory', ...words, '--data', join(root, 'data')]);
const withKey = (scope: 'read' | 'admin'): CommandModule => ({
  run: (given) => {
    const caller = async () => callerOf({ name: 'key:ci', groups: [], scopes: [scope] });
    return memory.run({ ...given, key: { secret: 'x', caller } });
  },
});

it('removes files only for a caller who sees all memories', async () => {
  expect(await run(withKey('read'), 'export', pages)).toContain('Wrote 0, removed: 0, unchanged: 0');
  await run(memory, 'forget', '--namespace', 'ops');
  expect(await run(withKey('read'), 'export', pages)).toContain('removed: 0');
  expect(await run(withKey('admin'), 'export', pages)).toContain('removed: 1');
});

it('leaves an earlier export alone where there is no data folder', async () => {
  const elsewhere = ['memory', 'export', pages, '--data', join(root, 'misspelled')];
  await expect(runCommand(memory, elsewhere)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  expect(await readdir(join(pages, 'ops'))).toHaveLength(1);
});
