import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { contract } from '../../src/api/contract.ts';
import { OPERATION_NAMES } from '../../src/api/routes.ts';
import { COMMANDS } from '../../src/cli/command-table.ts';
import { SETTINGS } from '../../src/config.ts';
import { ENTITY_TYPES } from '../../src/model/entity.ts';
import { ERROR_CODES } from '../../src/model/errors.ts';
import { searchRequestSchema } from '../../src/model/query.ts';
import { headings, page, section, tableRows } from './page.ts';

const code = (text: string) => `\`${text}\``;

describe('docs/settings.md', () => {
  it('has a row for every setting, word for word, and no other', () => {
    const expected = SETTINGS.map(({ name, env, flag, fallback, meaning }) => [
      code(name),
      env.map(code).join(', '),
      flag === null ? '' : code(flag),
      fallback,
      meaning,
    ]);
    expect(tableRows(page('settings.md')).filter((row) => row.length === 5)).toEqual(expected);
  });
});

describe('docs/errors.md', () => {
  it('has a row for every code with its status, exit code and title, and no other', () => {
    const expected = Object.entries(ERROR_CODES).map(([name, { http, exit, title }]) => [
      code(name),
      String(http),
      String(exit),
      `${title}.`,
    ]);
    const rows = tableRows(page('errors.md'));
    expect(rows.map((row) => row.slice(0, 4))).toEqual(expected);
    for (const row of rows) expect(row[4]).not.toBe('');
  });
});

describe('docs/rest.md', () => {
  const rest = page('rest.md');

  it('has a row for every route, and no other', () => {
    const documented = tableRows(rest.slice(0, rest.indexOf('## '))).map(([route]) => route);
    const routes = OPERATION_NAMES.map((name) =>
      code(`${contract[name].method} ${contract[name].path.replace('*}', '}')}`),
    );
    expect(documented).toEqual([...routes, code('GET /')]);
  });

  it('documents every field of a search with its default, and no other', () => {
    const documented = new Map(
      tableRows(section(rest, 'Search')).flatMap(([fields, fallback]) =>
        fields!.split(', ').map((field) => [field.replaceAll('`', ''), fallback!] as const),
      ),
    );
    expect([...documented.keys()].sort()).toEqual(Object.keys(searchRequestSchema.shape).sort());
    const defaults: Record<string, unknown> = searchRequestSchema.parse({});
    for (const [field, fallback] of documented) {
      const value = defaults[field];
      expect([field, fallback]).toEqual([field, value === undefined ? "the preset's" : code(JSON.stringify(value))]);
    }
  });

  it('names every entity type', () => {
    for (const type of ENTITY_TYPES) expect(section(rest, 'Entities')).toContain(code(type));
  });
});

describe('docs/cli.md', () => {
  const cli = page('cli.md');

  it('has a section for every command, in the order of the help, and no other', () => {
    expect(headings(cli)).toEqual(COMMANDS.map(({ name }) => name));
  });

  it.each(COMMANDS.map((command) => [command.name, command] as const))(
    'documents %s and its flags, and no other',
    (name, info) => {
      const text = section(cli, name);
      expect(text).toContain(code(['dowser', name, ...info.args].join(' ')).slice(0, -1));
      const everywhere = ['--data <dir>', '--help'];
      const documented = tableRows(text).map(([flags]) => flags);
      const flags: readonly string[] = info.options.map((option) => option.flags);
      expect(documented).toEqual(flags.filter((option) => !everywhere.includes(option)).map(code));
      const shared = tableRows(cli.slice(0, cli.indexOf('## '))).map(([option]) => option);
      expect(shared).toEqual(everywhere.map(code));
    },
  );
});

describe('links between pages', () => {
  const docs = readdirSync(new URL('../../docs/', import.meta.url)).map((name) => `docs/${name}`);

  it.each(['README.md', 'ARCHITECTURE.md', 'CONTRIBUTING.md', ...docs])('of %s lead somewhere', (name) => {
    const from = new URL(`../../${name}`, import.meta.url);
    const targets = [...readFileSync(from, 'utf8').matchAll(/\]\(([^)#\s]+)(?:#[^)]*)?\)/g)].map(
      ([, target]) => target!,
    );
    const local = targets.filter((target) => !/^[a-z]+:/.test(target));
    expect(local.filter((target) => !existsSync(new URL(target, from)))).toEqual([]);
  });
});
