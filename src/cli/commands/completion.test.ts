import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { LOG_LEVELS } from '../../config.ts';
import { ENTITY_TYPES, STATUSES } from '../../model/entity.ts';
import { FACET_FIELDS } from '../../model/query/query.ts';
import { PRESETS } from '../../search/plan/presets.ts';
import { SOURCE_KINDS } from '../../sources/source.ts';
import { COMMANDS, type CommandInfo } from '../command-tables/command-table.ts';
import { toTerminal } from '../terminal/terminal.ts';
import { command } from './completion.ts';

async function scriptFor(shell: string): Promise<string> {
  let text = '';
  const out = toTerminal({ write: (part) => (text += part) }, {});
  await command.run({
    name: 'completion',
    out,
    err: out,
    env: {},
    signal: new AbortController().signal,
    args: [shell],
    options: {},
  });
  return text;
}

/** What bash offers for the last word of a command line. */
async function offered(...words: readonly string[]): Promise<readonly string[]> {
  const line = words.map((word) => `'${word}'`).join(' ');
  const ask = `COMP_WORDS=(${line}); COMP_CWORD=${words.length - 1}; _dowser; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const script = `${await scriptFor('bash')}\n${ask}`;
  const { stdout, stderr } = spawnSync('bash', ['--norc', '-u', '-c', script], { encoding: 'utf8' });
  expect(stderr).toBe('');
  return stdout.split('\n').filter((word) => word !== '');
}

describe('completion in bash', () => {
  it.each([
    [
      ['dowser', 'se'],
      ['serve', 'search'],
    ],
    [['dowser', 'rem'], ['remove']],
    [
      ['dowser', 'search', '--include'],
      ['--include-draft', '--include-deprecated', '--include-disabled'],
    ],
    [
      ['dowser', 'search', 'x', '--type', 'm'],
      ['mcp_server', 'memory'],
    ],
    [['dowser', 'remove', '--j'], ['--json']],
    [['dowser', 'list', 's'], ['skill']],
    [
      ['dowser', 'model', ''],
      ['status', 'pull', 'path', 'use'],
    ],
    [
      ['dowser', 'help', 'ex'],
      ['export', 'explain', 'examples'],
    ],
    [['dowser', 'import', ''], []],
    [['dowser', 'search', '--data', ''], []],
    [['dowser', 'nothing', ''], []],
  ])('offers for %j %j', async (words, expected) => {
    expect([...(await offered(...words))].sort()).toEqual([...expected].sort());
  });

  it('offers every command, and every option of each', async () => {
    const names = COMMANDS.flatMap(({ name, aliases = [] }: CommandInfo) => [name, ...aliases]);
    expect(await offered('dowser', '')).toEqual([...names, 'help', '--help', '--version']);
    for (const { name, options } of COMMANDS) {
      const flags = options.map(({ flags }) => flags.split(' ')[0]);
      expect(await offered('dowser', name, '-')).toEqual([...flags, '--help']);
    }
  });

  it('is what an interactive bash runs for the name dowser', async () => {
    const { stdout } = spawnSync('bash', ['--norc', '-c', `${await scriptFor('bash')}complete -p dowser`], {
      encoding: 'utf8',
    });
    expect(stdout).toBe('complete -o default -F _dowser dowser\n');
  });
});

describe('completion', () => {
  it.each([
    ['search', '--type', ENTITY_TYPES],
    ['list', '--status', STATUSES],
    ['serve', '--log-level', LOG_LEVELS],
    ['search', '--facets', FACET_FIELDS],
    ['search', '--preset', Object.keys(PRESETS)],
    ['add', '--kind', SOURCE_KINDS],
  ])('knows every value of %s %s', (name, flag, values) => {
    const info: CommandInfo = COMMANDS.find((other) => other.name === name)!;
    expect(info.options.find(({ flags }) => flags.startsWith(flag))?.choices).toEqual(values);
  });

  it('has a script for zsh that runs the one of bash, and for fish a line for each option', async () => {
    expect(await scriptFor('zsh')).toMatch(/^autoload .*bashcompinit\n_dowser\(\) \{/);
    const fish = await scriptFor('fish');
    expect(fish).toContain("complete -c dowser -f -n __fish_use_subcommand -a 'delete remove' -d 'delete one");
    expect(fish).toContain("-n '__fish_seen_subcommand_from list' -l status -x -a 'active beta deprecated draft' -d");
    expect(fish).toContain("-d 'send a header, \\'Name: value\\'; may be repeated'");
    for (const line of fish.trimEnd().split('\n')) expect(line).toMatch(/^complete -c dowser /);
  });

  it('names the shells it knows', async () => {
    await expect(scriptFor('constructor')).rejects.toMatchObject({ hint: 'Use one of bash, zsh, fish.' });
  });
});
