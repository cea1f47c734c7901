// biome-ignore-all lint/suspicious/noTemplateCurlyInString: references of configurations
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseJsonWithComments } from '../../sources/formats/json-with-comments.ts';
import { readClientConfig } from '../../sources/mcp/client-config.ts';
import { CLIENT_FORMATS, type ClientName } from '../../standards/client-files.ts';
import type { ServerStart } from '../../standards/server-start.ts';
import { type ConfigFile, entryNamed, isSameEntry, withEntry, withoutEntry } from './config-edit.ts';
import { changed, diffLines, inverseOf } from './text-change.ts';

const local: ServerStart = {
  command: 'npx',
  args: ['-y', 'desk-server@1.2.0'],
  env: { DESK_TOKEN: '${DESK_TOKEN}', LOG: 'info' },
};
const remote: ServerStart = {
  url: 'https://desk.example/mcp',
  transport: 'http',
  headers: { Authorization: 'Bearer ${DESK_TOKEN}', 'X-Team': '${DESK_TEAM}' },
};
const fileOf = (client: ClientName, text: string) => ({ format: CLIENT_FORMATS[client], file: 'config', text });
const textWith = (config: ConfigFile, start: ServerStart) =>
  changed(config.text, withEntry(config, 'desk', start).changes);
const textWithout = (config: ConfigFile) => changed(config.text, withoutEntry(config, 'desk'));

const COMMENTED = `{
\t// my servers
\t"mcpServers": {
\t\t"mine": { "command": "mine", /* keep */ "args": [] }, // the last one
\t},
\t"other": [1,2 , 3], // untouched
}
`;

describe('withEntry', () => {
  it.each([
    ['cursor', local, { command: 'npx', args: local.args, env: { DESK_TOKEN: '${env:DESK_TOKEN}', LOG: 'info' } }],
    ['claude', local, { command: 'npx', args: local.args, env: { DESK_TOKEN: '${DESK_TOKEN}', LOG: 'info' } }],
    ['vscode', { ...local, env: {} }, { type: 'stdio', command: 'npx', args: local.args }],
    [
      'cursor',
      remote,
      {
        url: remote.url,
        headers: { Authorization: 'Bearer ${env:DESK_TOKEN}', 'X-Team': '${env:DESK_TEAM}' },
      },
    ],
    ['claude', { ...remote, headers: {} }, { type: 'http', url: remote.url }],
    ['vscode', { ...remote, transport: 'sse', headers: {} }, { type: 'sse', url: remote.url }],
  ] as const)('writes the entry of %s', (client, start, entry) => {
    const { changes, written } = withEntry(fileOf(client, ''), 'desk', start);
    const text = changed('', changes);
    expect(written).toEqual(entry);
    const config = JSON.parse(text);
    expect(config).toEqual({ [CLIENT_FORMATS[client].list]: { desk: entry } });
    // `dowser add` reads the file back.
    expect(readClientConfig(config)).toMatchObject([
      { name: 'desk', spec: 'url' in start ? { url: start.url } : { command: 'npx' } },
    ]);
  });

  it('keeps comments, order, tabs and line ends', () => {
    const added = `
\t\t"desk": {
\t\t\t"command": "npx",
\t\t\t"args": ["-y", "desk-server@1.2.0"],
\t\t\t"env": { "DESK_TOKEN": "\${env:DESK_TOKEN}", "LOG": "info" }
\t\t},`;
    expect(textWith(fileOf('cursor', COMMENTED), local)).toBe(
      COMMENTED.replace('// the last one', `// the last one${added}`),
    );
    const crlf = textWith(fileOf('cursor', '{\r\n  "mcpServers": {}\r\n}\r\n'), local);
    expect(crlf.replaceAll('\r\n', '')).not.toContain('\n');
  });

  it('writes a table of Codex, with variables by name', () => {
    const before = 'model = "x" # mine\n\n[mcp_servers.mine]\ncommand = "mine"\n';
    expect(textWith(fileOf('codex', before), local)).toBe(
      `${before}\n[mcp_servers.desk]\ncommand = "npx"\nargs = ["-y", "desk-server@1.2.0"]\nenv_vars = ["DESK_TOKEN"]\nenv = { "LOG" = "info" }\n`,
    );
    expect(textWith(fileOf('codex', ''), remote)).toBe(
      '[mcp_servers.desk]\nurl = "https://desk.example/mcp"\nbearer_token_env_var = "DESK_TOKEN"\nenv_http_headers = { "X-Team" = "DESK_TEAM" }\n',
    );
    const secret = { ...local, args: ['--key', '${DESK_KEY}'] };
    expect(() => withEntry(fileOf('codex', before), 'desk', secret)).toThrow('cannot fill variables');
  });

  it.each([
    ['{"mcpServers": {"a": {}}}', '{"mcpServers": {"a": {}, DESK}}'],
    ['{"mcpServers": {"a": {}, /* c */}}', '{"mcpServers": {"a": {}, DESK, /* c */}}'],
    [
      '{\n  "mcpServers": {\n    "a": {} // c\n    // d\n  }\n}',
      '{\n  "mcpServers": {\n    "a": {}, // c\n    DESK\n    // d\n  }\n}',
    ],
    ['{\n  "mcpServers": { // c\n  }\n}', '{\n  "mcpServers": { // c\n    DESK\n  }\n}'],
    [
      '{\n  "mcpServers": {\n    "desk": {}, // c\n    "a":{}\n  }\n}',
      '{\n  "mcpServers": {\n    DESK, // c\n    "a":{}\n  }\n}',
    ],
    ['\uFEFF{"a":1}', '\uFEFF{"a":1, "mcpServers": { DESK }}'],
  ])('puts the entry into %j and changes no other byte', (text, expected) => {
    const start = { url: 'http://d', transport: 'http', headers: {} } as const;
    const pattern = /"desk": \{\s*"url": "http:\/\/d"\s*\}/;
    expect(textWith(fileOf('cursor', text), start).replace(pattern, 'DESK')).toBe(expected);
  });

  it.each(['[1]', '{"mcpServers": []}', '{"mcpServers": '])('refuses %s, and changes nothing', (text) => {
    expect(() => entryNamed(fileOf('cursor', text), 'desk')).toThrow();
  });
});

describe('entryNamed', () => {
  it.each([
    [
      '[mcp_servers.desk]\ncommand = "x"\n\n[mcp_servers.desk.env]\nA = "b"\n\n# next\n[other]\n',
      '[mcp_servers.desk]\ncommand = "x"\n\n[mcp_servers.desk.env]\nA = "b"\n',
    ],
    ['[mcp_servers."desk"]\nurl = "x"', '[mcp_servers."desk"]\nurl = "x"'],
    ['[mcp_servers]\ndesk = { command = "x" }\n', ''],
    ['mcp_servers.desk = { command = "x" }\n', ''],
    ['[mcp_servers.desk2]\ncommand = "x"\n', undefined],
    ['[tools]\ndesk = 1\n', undefined],
  ])('finds the table in %j', (text, table) => {
    expect(entryNamed(fileOf('codex', text), 'desk')).toBe(table);
  });
});

describe('entryNamed of Codex', () => {
  it.each(['[[other]]\na = 1\n', '[projects."/a[b]"]\ntrust_level = "trusted"\n', '# mine\n'])(
    'does not count %j behind the table as part of it',
    (next) => {
      const own = '[mcp_servers.desk]\ncommand = "x"\n';
      expect(entryNamed(fileOf('codex', own + next), 'desk')).toBe(own);
      expect(textWithout(fileOf('codex', own + next))).toBe(next);
    },
  );

  it.each(['mcp_servers = { a = { command = "x" } }\n', '"mcp_servers" = {}\n', '[[mcp_servers]]\n'])(
    'refuses %j, to which no table can be added',
    (text) => {
      expect(() => entryNamed(fileOf('codex', text), 'desk')).toThrow('to which no table can be added');
    },
  );
});

describe('withoutEntry', () => {
  it.each([
    ['{"mcpServers": {"a": 1, "desk": {}}}', '{"mcpServers": {"a": 1}}'],
    ['{"mcpServers": {"desk": {}, "a":1}}', '{"mcpServers": { "a":1}}'],
    ['{"mcpServers": {"desk": {} /* c */ , "a":1}}', '{"mcpServers": { /* c */  "a":1}}'],
    [
      '{"mcpServers": {\n  "a": 1, // c\n  "desk": {}\n  // d\n}, "b":[1,2]}',
      '{"mcpServers": {\n  "a": 1 // c\n  // d\n}, "b":[1,2]}',
    ],
    ['{"mcpServers": {\r\n  "a": 1, // c\r\n  "desk": {}, \r\n}}', '{"mcpServers": {\r\n  "a": 1, // c\r\n}}'],
    ['{"mcpServers": {\n  "desk": {}, // c\n  "a": 1\n}}', '{"mcpServers": {\n   // c\n  "a": 1\n}}'],
  ])('takes the entry out of %j', (before, after) => {
    expect(textWithout(fileOf('cursor', before))).toBe(after);
  });
});

describe('diffLines', () => {
  it.each([
    ['codex', '[mcp_servers.a]\nenv = { "TOKEN" = "ghp_1" }\n'],
    ['cursor', '{\n  "mcpServers": {\n    "a": { "env": { "TOKEN": "ghp_1" } } // ghp_1\n  }\n}\n'],
    ['claude', '{"mcpServers":{"a":{"env":{"TOKEN":"ghp_1"}}}}'],
  ] as const)('shows and keeps nothing of the other servers of %s', (client, before) => {
    const config = fileOf(client, before);
    const { changes } = withEntry(config, 'desk', local);
    const shown = [
      ...diffLines(before, changes),
      ...diffLines(changed(before, changes), inverseOf(changes)),
      ...diffLines(changed(before, changes), withoutEntry({ ...config, text: changed(before, changes) }, 'desk')),
    ];
    expect(shown).toContain('  …');
    expect(shown.some((line) => line.startsWith('+') && line.includes('desk'))).toBe(true);
    expect(shown.some((line) => line.startsWith('-') && line.includes('desk'))).toBe(true);
    expect(JSON.stringify([shown, changes])).not.toContain('ghp_1');
  });
});

describe('what was installed', () => {
  const name = fc.stringMatching(/^[a-z]{1,8}$/);
  const value = fc.oneof(fc.integer(), fc.string(), fc.boolean(), fc.array(fc.integer(), { maxLength: 3 }));
  const client = fc.constantFrom('cursor', 'claude', 'vscode' as const);

  it('is taken back byte by byte from an unchanged file, and leaves other values alone in a changed one', () => {
    fc.assert(
      fc.property(
        client,
        fc.dictionary(name, value),
        fc.dictionary(name, fc.constant({ command: 'x' })),
        fc.constantFrom('', ' ', '\t', '  '),
        fc.boolean(),
        (which, others, servers, indent, commented) => {
          const { list } = CLIENT_FORMATS[which];
          const { [list]: _, ...rest } = others;
          const { desk: __, ...kept } = servers;
          const plain = JSON.stringify(
            { ...rest, ...(Object.keys(kept).length > 0 ? { [list]: kept } : {}) },
            null,
            indent,
          );
          const before = commented ? `// a comment\n${plain.replaceAll('\n', ' // "a": {, /*\n')} // the end\n` : plain;
          const { changes, written } = withEntry(fileOf(which, before), 'desk', local);
          const text = changed(before, changes);
          expect(isSameEntry(entryNamed(fileOf(which, text), 'desk'), written)).toBe(true);
          // Every byte of before is still there, in its place: the rest is what was put in.
          expect(changes.map(({ removed }) => removed).join('')).toBe('');
          expect(changed(text, inverseOf(changes))).toBe(before);
          const without = parseJsonWithComments(textWithout(fileOf(which, text)), '') as Record<string, unknown>;
          expect({ [list]: {}, ...without }).toEqual({ [list]: {}, ...(parseJsonWithComments(before, '') as object) });
        },
      ),
    );
  });
});
