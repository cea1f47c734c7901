import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { runCommand } from '../../../test/support/command-run.ts';
import { temporaryFolder } from '../../../test/support/engine-fixtures.ts';
import { command as importFiles } from './import.ts';
import { command } from './memory.ts';

let folder: ReturnType<typeof temporaryFolder>;
beforeEach(() => {
  folder = temporaryFolder();
});
afterEach(() => folder.remove());

const run = (...args: readonly string[]) =>
  runCommand(command, ['memory', ...args, '--data', join(folder.path, 'data')]);
const hashIn = (text: string) => /hash: ([0-9a-f]{64})/.exec(text)?.[1] ?? 'none';

it('warns of a memory that seems to be a secret, without repeating it', async () => {
  const said = await run('add', 'The key of the robot is AKIAABCDEFGHIJKLMNOP');
  expect(said).toMatch(/warning: The memory seems to contain a secret \(AWS access key\)\..*forget it for good/);
  expect(said).not.toContain('AKIA');
  expect(await run('add', 'The robot is blue')).not.toContain('secret');
});

it('adds, finds, corrects, restores and forgets', async () => {
  const hash = hashIn(await run('add', 'The staging server is on port 8080', '--tag', 'ops', '--type', 'fact'));
  expect(await run('search', 'staging', 'port')).toMatch(
    new RegExp(`\n${hash.slice(0, 12)}  The staging server is on port 8080\n +confidence \\d+% \\S+ fact user #ops\n$`),
  );
  const corrected = await run(
    'supersede',
    hash.slice(0, 10),
    'The staging server is on port 9090',
    '--reason',
    'moved',
  );
  expect(corrected).toContain('Stored and superseded the old memory');
  expect(await run('search', 'staging')).not.toContain('8080');
  expect(await run('list', '--all')).toMatch(/2 of 2[\s\S]*superseded by [0-9a-f]{12}/);
  expect(await run('show', hash)).toContain(': moved');
  expect(await run('supersede', hash, '--undo')).toContain('current again');
  expect(await run('list', '--tag', 'ops', '--json')).toContain('"total": 2');
  expect(await run('forget', '--tag', 'ops', '--dry-run')).toContain('Would forget 2 memories');
  expect(await run('forget', hash)).toContain('Forgot 1 memory');
  expect(await run('list')).toContain('1 of 1');
});

it('refuses a query without a word, and searches by filters alone', async () => {
  await run('add', 'The robot is blue', '--tag', 'robots');
  await expect(run('search', ' ')).rejects.toMatchObject({ code: 'EMPTY_SEARCH' });
  expect(await run('search', '--tag', 'robots')).toContain('The robot is blue');
});

it('shows what it would forget, also a memory that was registered under a name', async () => {
  const hash = hashIn(await run('add', 'The staging server is on port 8080', '--tag', 'ops'));
  const file = join(folder.path, 'memory.jsonl');
  const named = { type: 'memory', path: '/notes/release-process', content: 'Releases are on Tuesdays', tags: ['ops'] };
  writeFileSync(file, `${JSON.stringify(named)}\n`);
  await runCommand(importFiles, ['import', file, '--data', join(folder.path, 'data')]);
  const said = await run('forget', '--tag', 'ops', '--dry-run');
  expect(said).toContain(`${hash.slice(0, 12)}  The staging server is on port 8080\n`);
  expect(said).toMatch(/[0-9a-f]{12} {2}Releases are on Tuesdays\n/);
  expect(said).not.toContain('/notes/');
  const done = await run('forget', '--tag', 'ops');
  expect(done).toContain('\n  /notes/release-process\n');
  expect(await run('forget', '--tag', 'ops', '--purge', '--dry-run')).toContain(`\n  ${hash.slice(0, 12)}\n`);
});

it('imports a file of another tool, and audits one without storing it', async () => {
  const file = join(folder.path, 'graph.jsonl');
  const lines = ['port 8080', 'port 9090'].map((port) => `listens on ${port} behind the proxy of the office`);
  writeFileSync(
    file,
    `${JSON.stringify({ type: 'entity', name: 'Staging', entityType: 'server', observations: lines })}\n`,
  );
  expect(await run('audit', file)).toMatch(
    /2 {2}memories[\s\S]*1 {2}contradictions, not marked[\s\S]*supersede {2}Staging 1 by Staging 2/,
  );
  expect(await run('import', file, '--dry-run')).toBe('Would import 2 (reference memory server)\n');
  expect(await run('import', file, '--source', 'document')).toContain('Imported 2, duplicates: 0');
  expect(await run('import', file)).toContain('Imported 0, duplicates: 2');
  expect(await run('list', '--source', 'document')).toContain('2 of 2');
  expect(await run('audit', '--json')).toContain('"share": 1');
});

it('imports a chain of superseded memories in any order, under any names, once', async () => {
  const file = join(folder.path, 'list.json');
  const list = [
    { id: 'b', content: 'Office: Oslo', superseded_by: 'c' },
    { id: 'c', content: 'Office: Rome' },
    { id: 'a', content: 'Office: Lima', superseded_by: 'b' },
    { id: 'x', content: 'Lunch at one', superseded_by: 'gone' },
  ];
  writeFileSync(file, JSON.stringify(list));
  for (const flags of [[], ['--namespace', 'ops']]) {
    expect(await run('import', file, ...flags)).toMatch(
      /^Imported 4, duplicates: 0, superseded: 2 .*\n {2}x: .*\bgone\b/,
    );
    expect(await run('import', file, ...flags)).toMatch(/^Imported 0, duplicates: 4, superseded: 0 .*\n {2}x: .*\n$/);
    const listed = JSON.parse(await run('list', ...flags, '--json'));
    const contents = listed.memories.map(({ content }: { readonly content: string }) => content);
    expect(new Set(contents)).toEqual(new Set(['Office: Rome', 'Lunch at one']));
  }
});

it.each([
  [['sing'], 'There is no action "sing".'],
  [['add'], 'Say what to remember.'],
  [['show', 'zzz'], 'must be the hash of a memory'],
  [['forget'], 'The request does not say which memories to forget.'],
])('refuses %j with a sentence', async (args, sentence) => {
  await expect(run(...args)).rejects.toThrow(sentence);
});

it('says which action was probably meant', async () => {
  await expect(run('serach', 'tea')).rejects.toMatchObject({ hint: expect.stringContaining('Did you mean search?') });
});
