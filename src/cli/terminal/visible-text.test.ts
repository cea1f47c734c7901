import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { runCommand } from '../../../test/support/command-run.ts';
import { command as get } from '../commands/get.ts';
import { command as add } from '../commands/import.ts';
import { command as list } from '../commands/list.ts';
import { command as search } from '../commands/search.ts';
import { reportFailure } from '../context/failure.ts';
import { toTerminal } from './terminal.ts';
import { visibleText } from './visible-text.ts';

const UNSEEN = ['\u202e', '\u2066', '\u200b', '\u200d', '\u009b', '\u0085', '\ufeff', '\u{e0041}', '\u2028'];
const HOSTILE = `lamp ${UNSEEN.join('x')} end`;
const found = (text: string) => UNSEEN.filter((char) => text.includes(char));

let root: string;
let data: readonly string[];
let imported: string;
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'dowser-visible-'));
  data = ['--data', join(root, 'data')];
  const file = join(root, 'tools.jsonl');
  const entity = { type: 'tool', path: '/lamp', name: HOSTILE, description: HOSTILE, tags: [HOSTILE], [HOSTILE]: 1 };
  await writeFile(file, JSON.stringify(entity));
  imported = await runCommand(add, ['import', file, ...data]);
});
afterAll(() => rm(root, { recursive: true }));

it.each([
  ['search', () => runCommand(search, ['search', 'lamp', ...data])],
  ['search --json', () => runCommand(search, ['search', 'lamp', '--json', ...data])],
  ['get', () => runCommand(get, ['get', '/lamp', ...data])],
  ['get --json', () => runCommand(get, ['get', '/lamp', '--json', ...data])],
  ['list', () => runCommand(list, ['list', ...data])],
  ['list --json', () => runCommand(list, ['list', '--json', ...data])],
  ['import', async () => imported],
])('%s shows no character that hides or reverses text', async (_, run) => {
  const text = await run();
  expect(text).toContain('lamp');
  expect(found(text)).toEqual([]);
});

it('shows none in an error', () => {
  const said: string[] = [];
  const terminal = toTerminal({ write: (text: string) => said.push(text) }, {});
  for (const json of [true, false])
    reportFailure(new Error(HOSTILE), terminal, { json, debug: true, readMore: HOSTILE });
  expect(found(said.join(''))).toEqual([]);
});

it('changes no JSON document', () => {
  const document = JSON.stringify({ [HOSTILE]: HOSTILE }, null, 2);
  expect(JSON.parse(visibleText(document))).toEqual({ [HOSTILE]: HOSTILE });
});

it.each(['Grüße, 世界 👋🏽', 'مرحبا بالعالم', 'naïve\ttabs\nlines', '\u001b[31mred\u001b[39m'])(
  'leaves %j as it is',
  (text) => {
    expect(visibleText(text)).toBe(text);
  },
);
