import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { contract } from '../../src/api/contract.ts';
import { NOT_OFFERED } from '../../src/api/routes/not-offered-routes.ts';
import { OPERATION_RIGHTS } from '../../src/api/routes/rights.ts';
import { OPERATION_NAMES } from '../../src/api/routes/routes.ts';
import { STANDARD_NAMES, standardsContract, UNSUPPORTED_ROUTES } from '../../src/api/routes/standards-contract.ts';
import { TOOL_REFERENCE_FORMATS } from '../../src/api/tool-search/tool-references.ts';
import { errorBodySchema } from '../../src/api/wire/error-body.ts';
import { COMMANDS } from '../../src/cli/command-tables/command-table.ts';
import { SETTINGS } from '../../src/config.ts';
import { SERVICE_ROUTES } from '../../src/http/memory-service/service-routes.ts';
import { METRICS } from '../../src/http/metrics/metric-table.ts';
import { RULES } from '../../src/lint/rules.ts';
import { SERVICE_TOOLS } from '../../src/mcp/memory-service/service-tools.ts';
import { MCP_TOOLS } from '../../src/mcp/tools/tools.ts';
import { TOOLSET_PATHS, type ToolsetName } from '../../src/mcp/toolset-names.ts';
import { TOOLSETS } from '../../src/mcp/toolsets.ts';
import { searchMemoriesSchema } from '../../src/memories/contract/memory-requests.ts';
import { ENTITY_TYPES } from '../../src/model/entity.ts';
import { ENTITY_TYPE_TABLE, typesOfRole } from '../../src/model/entity-types/table.ts';
import { type DowserError, ERROR_CODES, toDowserError, toErrorBody } from '../../src/model/errors/errors.ts';
import { LIMITS } from '../../src/model/parse/limits.ts';
import { searchRequestSchema } from '../../src/model/query/query.ts';
import { PRESETS } from '../../src/search/plan/presets.ts';
import { ARD_TERMS } from '../../src/standards/ard/ard-filter.ts';
import { memoryRegistry } from '../support/memory-registry.ts';
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
    const rows = tableRows(page('errors.md')).filter((row) => row.length === 5);
    expect(rows.map((row) => row.slice(0, 4))).toEqual(expected);
    for (const row of rows) expect(row[4]).not.toBe('');
  });

  it('has a row for every field of the details, word for word, and no other', () => {
    const details = errorBodySchema.shape.error.shape.details.unwrap().shape;
    const expected = Object.entries(details).map(([name, schema]) => [code(name), schema.unwrap().description]);
    expect(tableRows(page('errors.md')).filter((row) => row.length === 2)).toEqual(expected);
  });

  it('shows an error as it is sent', async () => {
    const { search } = await memoryRegistry();
    const error = await search({ query: 'x', max_results: 51 }).catch(toDowserError);
    const docs = { hint: 'See GET /openapi.json for the fields of each request.', docs: '/openapi.json' };
    const [, example = ''] = /```json\n(.*?)```/s.exec(page('errors.md')) ?? [];
    expect(toErrorBody(error as DowserError, docs)).toEqual(JSON.parse(example));
  });
});

describe('docs/access.md', () => {
  it('has the right that every operation needs', () => {
    const rows = tableRows(section(page('access.md'), 'Scopes')).filter(([right]) =>
      ['`none`', '`read`', '`write`', '`metrics`', '`call:read`', '`admin`'].includes(right!),
    );
    const documented = rows.slice(-6).map(([right, names]) => [right, names!.split(', ')]);
    const expected = (['none', 'read', 'write', 'metrics', 'call:read', 'admin'] as const).map((right) => [
      code(right),
      OPERATION_NAMES.filter((name) => OPERATION_RIGHTS[name] === right).map(code),
    ]);
    expect(documented).toEqual(expected);
  });
});

describe('docs/operations.md', () => {
  it('has a row for every metric, word for word, and no other', () => {
    const expected = Object.entries(METRICS).map(([name, { type, labels, help }]) => [
      code(name),
      type,
      labels.map(code).join(', '),
      help,
    ]);
    expect(tableRows(section(page('operations.md'), 'Metrics')).filter((row) => row.length === 4)).toEqual(expected);
  });
});

describe('the alerts of docs/operations.md', () => {
  it('are about metrics that there are', () => {
    const named = [...page('operations.md').matchAll(/\bdowser_[a-z_]+\b/g)].map(([name]) => name);
    const known = Object.keys(METRICS);
    expect(named.length).toBeGreaterThan(known.length);
    expect(named.filter((name) => !known.includes(name.replace(/_bucket$/, '')))).toEqual([]);
  });
});

describe('docs/security.md', () => {
  it('has a row for every limit, word for word, and no other', () => {
    const expected = Object.entries(LIMITS).map(([name, { max, meaning }]) => [code(name), String(max), meaning]);
    expect(tableRows(section(page('security.md'), 'Limits'))).toEqual(expected);
  });
});

describe('docs/rest.md', () => {
  const rest = page('rest.md');

  it('has a row for every route with its summary, and no other', () => {
    const documented = tableRows(rest.slice(0, rest.indexOf('## '))).map(([route, summary]) => [route, summary]);
    const routes = OPERATION_NAMES.map((name) => {
      const { method, path, summary } = contract[name];
      return [code(`${method} ${path.replace('*}', '}')}`), summary];
    });
    expect(documented.slice(0, -1)).toEqual(routes);
    expect(documented.at(-1)?.[0]).toBe(code('GET /'));
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
      const known = value === undefined ? ["the preset's", "the setting's", 'none'] : [code(JSON.stringify(value))];
      expect(known, field).toContain(fallback);
    }
  });

  it('names every entity type, and the group of each in an answer', () => {
    for (const type of ENTITY_TYPES) expect(section(rest, 'Entities')).toContain(code(type));
    for (const { group } of Object.values(ENTITY_TYPE_TABLE)) expect(section(rest, 'Search')).toContain(code(group));
  });
});

describe('docs/ranking.md', () => {
  const presets = tableRows(section(page('ranking.md'), 'Presets'));

  it('says of every preset what it is, in their order, and of no other', () => {
    const named = presets.filter((row) => row.length === 2).flatMap(([names]) => names!.split(', '));
    expect(named).toEqual(Object.keys(PRESETS).map(code));
  });

  it('has the numbers of every preset', () => {
    const numbers = Object.values(PRESETS).map((preset) => {
      const { keyword, vector, fusion, weights, rrfK, perTypeCap, softCap, floor, anchors } = preset;
      const fetched = vector === null ? [] : [`${vector.limit(10)}${vector.perType ? ' of each type' : ''}`];
      const fixed = typeof weights === 'string' ? weights : `${weights.keyword} / ${weights.vector}`;
      const shared = perTypeCap === null ? String(softCap) : `${perTypeCap} in all`;
      return [
        code(preset.name),
        keyword.scorer,
        [keyword.limit(10), ...fetched].join(' / '),
        fusion,
        fixed,
        fusion === 'rrf' ? String(rrfK) : '',
        shared,
        String(floor),
        anchors,
      ];
    });
    expect(presets.filter((row) => row.length === 9)).toEqual(numbers);
  });
});

describe('docs/registry-api.md', () => {
  it('has a row for every route that is not offered, with the reason', () => {
    const documented = tableRows(section(page('registry-api.md'), 'Not offered'));
    expect(documented).toEqual(NOT_OFFERED.map(({ path, why }) => [code(path), why]));
  });

  it('names commands that exist, and the one that reads sources', () => {
    const whys = NOT_OFFERED.map(({ why }) => why).join(' ');
    const named = new Set([...whys.matchAll(/`dowser ([\w-]+)`/g)].map(([, name]) => name));
    expect([...named].sort()).toEqual(['add', 'key']);
    expect(COMMANDS.map(({ name }) => name)).toEqual(expect.arrayContaining([...named]));
  });
});

describe('docs/standards.md', () => {
  const standards = page('standards.md');

  it('has a row for every route that others specified, and no other', () => {
    const documented = tableRows(standards.slice(0, standards.indexOf('## '))).map(([route, what]) => [route, what]);
    const routes = STANDARD_NAMES.map((name) => standardsContract[name]);
    expect(documented).toEqual(routes.map(({ method, path, summary }) => [code(`${method} ${path}`), summary]));
  });

  it('has a row for every parameter of the list of servers, and for every route that is not taken', () => {
    const rows = tableRows(section(standards, 'The official MCP registry'));
    const parameters = rows.filter((row) => row.length === 3).map(([name]) => name);
    expect(parameters).toEqual(Object.keys(standardsContract.listServers.query.shape).map(code));
    const refused = rows.filter((row) => row.length === 1).map(([route]) => route);
    expect(refused).toEqual(UNSUPPORTED_ROUTES.map(({ method, path }) => code(`${method} ${path}`)));
  });

  it('names every term that ARD entries are filtered by, and every format of a tool search', () => {
    for (const term of ARD_TERMS) expect(section(standards, 'ARD')).toContain(code(term));
    const formats = tableRows(section(standards, 'Tool search of a model')).map(([format]) => format);
    expect(formats).toEqual(TOOL_REFERENCE_FORMATS.map(code));
  });
});

describe('docs/memory.md', () => {
  const memory = page('memory.md');

  it('has a row for every route of the memory service, in their order, and no other', () => {
    const documented = tableRows(section(memory, 'Clients of the memory service'));
    expect(documented).toEqual(SERVICE_ROUTES.map(({ method, path, summary }) => [code(`${method} ${path}`), summary]));
  });

  it('has a row for every tool of the memory service, in their order, and no other', () => {
    const documented = tableRows(section(memory, 'Tools of the memory service'));
    const tools = SERVICE_TOOLS.map(({ name, arguments: fields, description }) => {
      return [code(name), Object.keys(fields).map(code).join(', ') || 'none', description];
    });
    expect(documented).toEqual(tools);
  });

  it('documents only fields that a search has', () => {
    const fields = tableRows(section(memory, 'Search')).flatMap(([names]) => names!.split(', '));
    const known = Object.keys(searchMemoriesSchema.shape).map(code);
    expect(fields.filter((field) => !known.includes(field))).toEqual([]);
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

describe('README.md', () => {
  const readme = readFileSync(new URL('../../README.md', import.meta.url), 'utf8');
  const row = (what: string) => tableRows(readme).find(([name]) => name === what)?.[1];

  it('has the figures of the pages that measure them', () => {
    const [, servers, , questions, first] = tableRows(section(page('quality.md'), 'The first tool')).find(
      ([catalog]) => catalog === '10 servers',
    )!;
    expect(row('quality')).toBe(
      `the first tool is right for ${Math.round(100 * Number(first))} % of ${Number(questions).toLocaleString('en')} questions, in catalogs of ${servers} servers that no model was trained on`,
    );
    const sizes = ['1,000 units', '100,000 units'].map(
      (size) => tableRows(section(page('speed.md'), size)).find(([who]) => who === 'Dowser')!,
    );
    const openMs = sizes.map((cells) => Math.round(Number(cells[10])));
    expect(row('speed')).toBe(`${sizes[1]![1]} ms for a hybrid search among 100,000 units, on two cores`);
    expect(row('start')).toBe(`${openMs[0]} ms to open 1,000 units, ${openMs[1]} ms to open 100,000`);
  });

  it('gives the time of a whole search, with the model, as docs/numbers.md does', () => {
    const [, whole] = tableRows(page('numbers.md')).find(([part]) => part!.startsWith('a whole search'))!;
    expect(row('with the model')).toMatch(new RegExp(`^${whole} for a whole search`));
  });

  it('proposes a program that the package has', () => {
    const { scripts, bin } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
    expect([scripts.dowser, bin.dowser]).toEqual(['node dist/cli/main.js', 'dist/cli/main.js']);
    expect(readme).toContain('$ npm run -s dowser -- search "find a tool that reads PDFs" --limit 3\n');
  });
});

describe('docs/numbers.md', () => {
  const rows = tableRows(page('numbers.md'));
  const figure = (what: string) => rows.find(([name]) => name === what)?.[1];
  const quality = page('quality.md');
  const names = tableRows(section(quality, 'Rankings')).map(([name]) => name!);
  const sets = names.slice(0, names.indexOf('**mean**')).filter((name) => /^\w+$/.test(name) && name !== 'set');

  it.each([
    ['the first result is right', 6],
    ['a right one is among the first five', 4],
  ])('has the mean of docs/quality.md: %s', (what, column) => {
    const all = tableRows(quality.split('### All figures')[1]!);
    const mean = (preset: string) => {
      const of = sets.map((set) => Number(all.find(([name, ran]) => name === set && ran === preset)![column]));
      return (of.reduce((sum, one) => sum + one, 0) / of.length).toFixed(3);
    };
    const [, ...shown] = rows.find(([name]) => name === what)!;
    expect(shown).toEqual(['hybrid', 'keyword', 'vector'].map(mean));
  });

  it('has the times of docs/speed.md, and the cost of the list that docs/mcp.md gives', () => {
    for (const size of ['1,000 units', '100,000 units']) {
      const measured = tableRows(section(page('speed.md'), size)).find(([who]) => who === 'Dowser')![1];
      expect(figure(`the search alone, ${size}`)).toBe(`${measured} ms`);
    }
    expect(page('mcp.md')).toContain(`about ${figure('the tool list of Dowser at `/mcp`')} tokens`);
  });
});

describe('docs/mcp.md', () => {
  const mcp = page('mcp.md');

  it('has a section for every tool, in their order, and no other of such a name', () => {
    expect(headings(mcp).filter((heading) => /^[a-z]+(?:_[a-z]+)*$/.test(heading))).toEqual(
      MCP_TOOLS.map(({ name }) => name),
    );
  });

  it.each(MCP_TOOLS.map((tool) => [tool.name, tool] as const))(
    'documents every argument of %s with its default, and every field of its answer',
    (name, { input, output }) => {
      const text = section(mcp, name);
      const rows = tableRows(text).map(([argument, fallback]) => [argument!.replaceAll('`', ''), fallback] as const);
      expect(rows.map(([argument]) => argument)).toEqual(Object.keys(input.shape));
      for (const [argument, fallback] of rows) {
        const parsed = input.shape[argument]!.safeParse(undefined);
        if (!parsed.success) expect([argument, fallback]).toEqual([argument, 'required']);
        else if (parsed.data !== undefined)
          expect([argument, fallback]).toEqual([argument, code(JSON.stringify(parsed.data))]);
      }
      const totals = /^total_|^error$/;
      for (const field of Object.keys(output.shape).filter((key) => !totals.test(key)))
        expect(text).toContain(code(field));
    },
  );
});

describe('the toolsets of docs/mcp.md', () => {
  it('are those that are served', () => {
    const rows = tableRows(section(page('mcp.md'), 'Toolsets'));
    const served = Object.entries(TOOLSET_PATHS) as [ToolsetName, string][];
    expect(rows).toEqual(served.map(([name, path]) => [code(name), code(path), TOOLSETS[name].summary]));
  });
});

describe('what search_tools looks for', () => {
  it('is by default what the page says', () => {
    const [, kinds] = tableRows(section(page('mcp.md'), 'search_tools')).find(([name]) => name === code('kinds'))!;
    expect(kinds!.split(', ').sort()).toEqual(typesOfRole('capability').map(code).sort());
  });
});

describe('docs/lint.md', () => {
  it('has a section for every rule with its level, and no other', () => {
    const rules = section(page('lint.md'), 'Rules').split(/^### /m).slice(1);
    const documented = rules.map((text) => [text.split('\n')[0], /^(\w+)\./m.exec(text)?.[1]?.toLowerCase()]);
    expect(documented).toEqual(Object.entries(RULES).map(([rule, { level }]) => [rule, level]));
  });
});

describe('CONTRIBUTING.md', () => {
  it('names no file that is not there', () => {
    const root = new URL('../../', import.meta.url);
    const named = [
      ...readFileSync(new URL('CONTRIBUTING.md', root), 'utf8').matchAll(/`((?:src|test|docs)\/[\w./-]+)`/g),
    ];
    expect(named.map(([, name]) => name!).filter((name) => !existsSync(new URL(name, root)))).toEqual([]);
    expect(named.length).toBeGreaterThan(20);
  });
});

describe('links between pages', () => {
  const docs = readdirSync(new URL('../../docs/', import.meta.url), { recursive: true })
    .map((name) => `docs/${String(name).replaceAll('\\', '/')}`)
    .filter((name) => name.endsWith('.md'));

  it.each(['README.md', 'ARCHITECTURE.md', 'CONTRIBUTING.md', ...docs])('of %s lead somewhere', (name) => {
    const from = new URL(`../../${name}`, import.meta.url);
    const targets = [...readFileSync(from, 'utf8').matchAll(/\]\(([^)#\s]+)(?:#[^)]*)?\)/g)].map(
      ([, target]) => target!,
    );
    const local = targets.filter((target) => !/^[a-z]+:/.test(target));
    expect(local.filter((target) => !existsSync(new URL(target, from)))).toEqual([]);
  });
});
