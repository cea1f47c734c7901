import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { runCommand } from '../../../test/support/command-run.ts';
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
