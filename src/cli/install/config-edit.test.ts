// biome-ignore-all lint/suspicious/noTemplateCurlyInString: references of configurations
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readClientConfig } from '../../sources/client-config.ts';
import { parseJsonWithComments } from '../../sources/formats/json-with-comments.ts';
import { CLIENT_FORMATS, type ClientName } from '../../standards/client-files.ts';
import type { ServerStart } from '../../standards/server-start.ts';
import { entryNamed, isSameEntry, withEntry, withoutEntry } from './config-edit.ts';
import { changeBetween, undone } from './text-change.ts';

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
    const { text, written } = withEntry(fileOf(client, ''), 'desk', start);
    expect(written).toEqual(entry);
    const config = JSON.parse(text);
    expect(config).toEqual({ [CLIENT_FORMATS[client].list]: { desk: entry } });
    // `dowser add` reads the file back.
    expect(readClientConfig(config)).toMatchObject([
      { name: 'desk', spec: 'url' in start ? { url: start.url } : { command: 'npx' } },
    ]);
  });

  it('keeps comments, order, tabs and line ends', () => {
    const { text } = withEntry(fileOf('cursor', COMMENTED), 'desk', local);
    for (const part of ['// my servers', '/* keep */', '// the last one', '"other": [1,2 , 3], // untouched'])
      expect(text).toContain(part);
    expect(text).toContain('\n\t\t"desk": {\n\t\t\t"command": "npx"');
    const crlf = withEntry(fileOf('cursor', '{\r\n  "mcpServers": {}\r\n}\r\n'), 'desk', local).text;
    expect(crlf.replaceAll('\r\n', '')).not.toContain('\n');
  });

  it('writes a table of Codex, with variables by name', () => {
    const before = 'model = "x" # mine\n\n[mcp_servers.mine]\ncommand = "mine"\n';
    expect(withEntry(fileOf('codex', before), 'desk', local).text).toBe(
      `${before}\n[mcp_servers.desk]\ncommand = "npx"\nargs = ["-y", "desk-server@1.2.0"]\nenv_vars = ["DESK_TOKEN"]\nenv = { "LOG" = "info" }\n`,
    );
    expect(withEntry(fileOf('codex', ''), 'desk', remote).text).toBe(
      '[mcp_servers.desk]\nurl = "https://desk.example/mcp"\nbearer_token_env_var = "DESK_TOKEN"\nenv_http_headers = { "X-Team" = "DESK_TEAM" }\n',
    );
    const secret = { ...local, args: ['--key', '${DESK_KEY}'] };
    expect(() => withEntry(fileOf('codex', before), 'desk', secret)).toThrow('cannot fill variables');
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
          const before = commented ? `// a comment\n${plain} // the end\n` : plain;
          const { text, written } = withEntry(fileOf(which, before), 'desk', local);
          expect(isSameEntry(entryNamed(fileOf(which, text), 'desk'), written)).toBe(true);
          expect(undone(text, changeBetween(before, text))).toBe(before);
          const without = parseJsonWithComments(withoutEntry(fileOf(which, text), 'desk'), '') as Record<
            string,
            unknown
          >;
          expect({ [list]: {}, ...without }).toEqual({ [list]: {}, ...(parseJsonWithComments(before, '') as object) });
        },
      ),
    );
  });
});
