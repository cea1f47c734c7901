import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { runCommand } from '../../../test/support/command-run.ts';
import { command as docs } from './docs.ts';
import { command as exportEntities } from './export.ts';
import { command } from './import.ts';

let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'dowser-import-'));
});
afterEach(() => rm(dir, { recursive: true }));

it.each([
  ['is not JSON', '{"type": "skill",', true],
  ['is a list', '[{"type": "skill", "path": "/a", "name": "a"}]', true],
  ['has an unknown type', '{"type": "gadget", "path": "/a", "name": "a"}', false],
  ['has a wrong field', '{"type": "skill", "path": "/a", "name": 5}', false],
])('says what a line must be where one %s', async (_, line, expected) => {
  const file = join(dir, 'lines.jsonl');
  await writeFile(file, `${line}\n`);
  const said = await runCommand(command, ['import', file, '--data', join(dir, 'data')]);
  expect(said).toContain('1 line rejected');
  expect(said.includes('hint: Each line must be one entity')).toBe(expected);
});

it('restores the collections of an export, and a scan goes on with their folder', async () => {
  const files = join(dir, 'handbook');
  await mkdir(files);
  await writeFile(join(files, 'tea.md'), '# Tea\nGreen tea needs 80 degrees.\n');
  await writeFile(join(files, 'cups.md'), '# Cups\nWash your cup.\n');
  const [file, before, after] = [join(dir, 'e.jsonl'), ['--data', join(dir, 'old')], ['--data', join(dir, 'new')]];
  await runCommand(docs, ['docs', 'add', files, '--note', 'The handbook.', ...before]);
  const listed = await runCommand(docs, ['docs', 'list', ...before]);
  await runCommand(exportEntities, ['export', '--out', file, ...before]);

  await runCommand(command, ['import', file, '--lexical', ...after]);
  expect(await runCommand(docs, ['docs', 'list', ...after])).toBe(listed);
  expect(await runCommand(docs, ['docs', 'list', 'handbook', ...after])).toBe('cups.md\ntea.md\n');
  expect(await runCommand(docs, ['docs', 'search', 'green tea', ...after])).toContain('handbook/tea.md, line 2');
  expect(await runCommand(docs, ['docs', 'show', 'handbook/tea.md', ...after])).toContain('80 degrees');

  await rm(join(files, 'cups.md'));
  expect(await runCommand(docs, ['docs', 'scan', ...after])).toContain('handbook: 1 read, 0 unchanged, 1 removed');
  // A second import of the file keeps what the scan noted about the collection.
  await runCommand(command, ['import', file, '--lexical', ...after]);
  const [{ scanned_at }] = JSON.parse(await runCommand(docs, ['docs', 'list', '--json', ...after])).collections;
  expect(scanned_at).not.toBeNull();
});
