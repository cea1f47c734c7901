import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { runCommand } from '../../../test/support/command-run.ts';
import { command as importCommand } from './import.ts';
import { command } from './search.ts';

let dir: string;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'dowser-search-'));
  const file = join(dir, 'clocks.jsonl');
  const lines = Array.from({ length: 7 }, (_, i) => {
    const tags = i < 3 ? ['time', 'wall'] : ['time'];
    return JSON.stringify({
      type: 'skill',
      path: `/clock-${i}`,
      name: `Clock ${i}`,
      description: 'Tells sundial',
      tags,
    });
  });
  await writeFile(file, lines.join('\n'));
  await runCommand(importCommand, ['import', file, '--data', join(dir, 'data')]);
});
afterAll(() => rm(dir, { recursive: true }));

it.each([
  [['--tag', 'time'], '1 of 7 results'],
  [['#time'], '1 of 7 results'],
  [['#Time', '#wall'], '1 of 3 results'],
  [['#time', '--tag', 'wall'], '1 of 3 results'],
  [['#time', '#sundial'], '1 result'],
  [['#sundial'], '1 result'],
  [['#time', 'clock'], '1 result'],
])('counts for %j all that have the tags, and not what is near to words', async (words, expected) => {
  const said = await runCommand(command, ['search', ...words, '--limit', '1', '--data', join(dir, 'data')]);
  expect(/^\d.*results?/m.exec(said)?.[0]).toBe(expected);
});
