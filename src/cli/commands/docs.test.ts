import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { runCommand } from '../../../test/support/command-run.ts';
import { temporaryFolder } from '../../../test/support/engine-fixtures.ts';
import { command } from './docs.ts';

let folder: ReturnType<typeof temporaryFolder>;
let files: string;
beforeEach(() => {
  folder = temporaryFolder();
  files = join(folder.path, 'My handbook');
  mkdirSync(join(files, 'guide'), { recursive: true });
  writeFileSync(join(files, 'guide', 'tea.md'), '# Tea\nGreen tea needs 80 degrees.\n\n# Mate\nMate needs a gourd.\n');
  writeFileSync(join(files, 'rules.txt'), 'Wash your cup.\n');
});
afterEach(() => folder.remove());

const run = (...args: readonly string[]) => runCommand(command, ['docs', ...args, '--data', join(folder.path, 'data')]);

it('adds a folder, searches it, shows lines, follows changes and removes it', async () => {
  expect(await run('add', files, '--note', 'The handbook.')).toContain('My-handbook: 2 read, 0 unchanged, 0 removed');
  expect(await run('list')).toMatch(/My-handbook {2}2 files, 3 chunks\n.*My handbook\n {2}The handbook\./);
  expect(await run('list', 'my-handbook')).toBe('guide/tea.md\nrules.txt\n');
  const found = await run('search', 'gourd', '--expand');
  expect(found).toMatch(
    /My-handbook\/guide\/tea\.md, line 5, confidence \d+%\n {2}The handbook\.\n {2}Mate\n {2}Mate needs a gourd\.\n {2}\[before\]/,
  );
  expect(await run('show', 'My-handbook/guide/tea.md', '--lines', '2:2')).toContain('\nGreen tea needs 80 degrees.\n');
  expect(await run('note', 'My-handbook/guide', 'For', 'guests.')).toContain('come with this note');
  expect(await run('search', 'gourd', '--json')).toContain('"For guests."');

  writeFileSync(join(files, 'rules.txt'), 'Wash your cup twice.\n');
  rmSync(join(files, 'guide'), { recursive: true });
  expect(await run('scan')).toContain('My-handbook: 1 read, 0 unchanged, 1 removed');
  expect(await run('add', files)).toContain('0 read, 1 unchanged');
  expect(await run('remove', 'My-handbook')).toContain('Removed My-handbook with 1 document.');
  expect(await run('list')).toContain('No collections.');
});

it('names the files that it skips, with the reason of each, and counts the rest', async () => {
  for (let i = 1; i <= 7; i++)
    writeFileSync(join(files, `latin-${i}.txt`), Buffer.from([0x47, 0x72, 0xfc, 0xdf, 0x65]));
  const said = await run('add', files, '--name', 'h');
  expect(said).toContain('h: 2 read');
  expect(said).toContain('7 files skipped:\n  latin-1.txt: latin-1.txt is neither UTF-8 nor UTF-16 text.');
  expect(said).toContain('  latin-5.txt: ');
  expect(said).not.toContain('latin-6.txt');
  expect(said).toContain('  and 2 more\n');
});

it('warns of a folder without files', async () => {
  const empty = join(folder.path, 'empty');
  mkdirSync(empty);
  const warning = "warning: No file found for 'empty'";
  expect(await run('add', empty)).toContain(warning);
  expect(await run('scan')).toContain(warning);
  expect(await run('add', files)).not.toContain('No file found');
});

it('answers a question with its sources where no chat model is set', async () => {
  await run('add', files, '--name', 'h');
  const answer = await run('ask', 'what does mate need');
  expect(answer).toContain('No chat model is set up');
  expect(answer).toMatch(/h\/guide\/tea\.md, line 5, confidence \d+%\n {2}Mate\n {2}Mate needs a gourd\.\n/);
});

it('takes typed wordings, patterns and chunk options', async () => {
  const options = ['--name', 'h', '--include', '*.md', '--strategy', 'fixed', '--chunk-size', '100', '--overlap', '10'];
  expect(await run('add', files, ...options)).toContain('h: 1 read');
  const found = JSON.parse(await run('search', '--search', 'keyword:gourd', '--intent', 'a gift', '--json'));
  expect(found.results[0].path).toBe('guide/tea.md');
  expect(JSON.parse(await run('list', '--json')).collections[0].chunking).toEqual({
    strategy: 'fixed',
    max_chars: 100,
    overlap_chars: 10,
  });
});

it.each([
  [['sing'], 'There is no action "sing".'],
  [['add'], 'The folder to add is missing.'],
  [['search'], 'The query is missing.'],
  [['ask', ' '], 'The question is missing.'],
  [['show'], 'The document, as collection/path, is missing.'],
  [['remove'], 'The name of the collection is missing.'],
  [['export', 'x'], 'The folder to write is missing.'],
  [['add', '/nowhere/at/all'], '/nowhere/at/all does not exist.'],
  [['add', '.', '--chunk-size', '100', '--overlap', '51'], 'must be at most half of the chunk size'],
  [['add', '.', '--chunk-size', 'x'], '--chunk-size is "x"'],
  [['search', 'x', '--collection', 'y'], 'There is no collection "y".'],
  [['search', '--search', 'other:x'], '--search is "other:x"'],
  [['show', 'x/y', '--lines', 'a'], '--lines is "a"'],
  [['show', 'x/y'], 'There is no document "x/y".'],
  [['remove', 'y'], 'There is no collection "y".'],
])('refuses %j', async (args, message) => {
  await expect(run(...args)).rejects.toThrow(message);
});

it('scans the other collections where a folder is gone', async () => {
  const other = join(folder.path, 'a-disk');
  mkdirSync(other);
  writeFileSync(join(other, 'milk.md'), 'Milk.');
  await run('add', other, '--name', 'a-disk');
  await run('add', files, '--name', 'h');
  rmSync(other, { recursive: true });
  const said = await run('scan');
  expect(said).toMatch(
    /warning: \S+a-disk does not exist\. The collection 'a-disk' keeps its documents\. Restore the folder/,
  );
  expect(said).toContain('h: 0 read, 2 unchanged');
  expect(await run('search', 'milk')).toContain('a-disk/milk.md');
  await expect(run('scan', 'a-disk')).rejects.toMatchObject({ code: 'NOT_FOUND' });
});

it('shows the sources where the chat model fails', async () => {
  await run('add', files, '--name', 'h');
  const endpoint = createServer((_request, response) => void response.writeHead(401).end('{}'));
  await new Promise<void>((resolve) => endpoint.listen(0, '127.0.0.1', resolve));
  const { port } = endpoint.address() as AddressInfo;
  const env = { DOWSER_CHAT_URL: `http://127.0.0.1:${port}`, DOWSER_CHAT_MODEL: 'none' };
  const said: string[] = [];
  const asked = runCommand(command, ['docs', 'ask', 'gourd', '--data', join(folder.path, 'data')], { env, said });
  await expect(asked).rejects.toMatchObject({ code: 'CHAT_REJECTED' });
  expect(said.join('')).toContain('[1] h/guide/tea.md, line 5');
  endpoint.close();
});

it('refuses a second folder under one name', async () => {
  await run('add', files, '--name', 'h');
  await expect(run('add', folder.path, '--name', 'h')).rejects.toMatchObject({ code: 'ALREADY_EXISTS' });
});

it('says which action was probably meant', async () => {
  await expect(run('serach', 'tea')).rejects.toMatchObject({ hint: expect.stringContaining('Did you mean search?') });
});
