import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DEFAULT_LIMITS, type SourceItem } from '../source.ts';
import { clientConfigSource, readClientConfig } from './client-config.ts';

const FIXTURE = fileURLToPath(new URL('../../../test/support/mcp-fixture.mjs', import.meta.url));

describe('readClientConfig', () => {
  it.each([
    ['Claude and Cursor', { mcpServers: { a: { command: 'x', args: ['1', 2], env: { K: 'v', N: 1 } } } }],
    ['VS Code', { inputs: [], servers: { a: { type: 'stdio', command: 'x', args: ['1', 2], env: { K: 'v', N: 1 } } } }],
    ['VS Code settings', { mcp: { servers: { a: { command: 'x', args: ['1', 2], env: { K: 'v', N: 1 } } } } }],
    ['Zed', { context_servers: { a: { command: { path: 'x', args: ['1', 2], env: { K: 'v', N: 1 } } } } }],
  ])('reads the shape of %s', (_, config) => {
    expect(readClientConfig(config)).toEqual([
      { name: 'a', spec: { name: 'a', command: 'x', args: ['1', '2'], env: { K: 'v', N: '1' } } },
    ]);
  });

  it('reads remote servers, whatever the address is called', () => {
    const config = {
      mcpServers: {
        a: { url: 'https://a.example/mcp', headers: { X: 'y' } },
        b: { type: 'sse', url: 'https://b.example/sse' },
        c: { serverUrl: 'https://c.example' },
      },
    };
    expect(readClientConfig(config).map((server) => ('spec' in server ? server.spec : server))).toEqual([
      { name: 'a', url: 'https://a.example/mcp', headers: { X: 'y' } },
      { name: 'b', url: 'https://b.example/sse', headers: {}, transport: 'sse' },
      { name: 'c', url: 'https://c.example', headers: {} },
    ]);
  });

  it('passes over what is disabled and reports what cannot be used, without repeating a value', () => {
    const config = {
      mcpServers: {
        off: { command: 'x', disabled: true },
        off2: { command: 'x', enabled: false },
        empty: {},
        text: 'x',
        args: { command: 'x', args: 'secret-123' },
        env: { command: 'x', env: { KEY: { secret: 'secret-123' } } },
      },
    };
    const servers = readClientConfig(config);
    expect(
      servers.map((server) => ('skipped' in server ? 'skipped' : 'problem' in server ? server.problem.message : 'ok')),
    ).toEqual([
      'skipped',
      'skipped',
      "'empty' of the configuration has neither 'command' nor 'url'.",
      '\'text\' of the configuration is "x", not an object.',
      "'args.args' of the configuration must be a list of strings.",
      "'env.env.KEY' of the configuration must be text.",
    ]);
    expect(JSON.stringify(servers)).not.toContain('secret-123');
  });

  it('says of an entry without command and address what it needs and what it has', () => {
    const hints = readClientConfig({ mcpServers: { a: { cmd: 'secret-123', args: [] }, b: {} } }).map(
      (server) => 'problem' in server && server.problem.hint,
    );
    expect(hints).toEqual([
      expect.stringMatching(/'command' .* or its 'url'\. The entry has "cmd", "args"\.$/),
      expect.stringMatching(/The entry has no fields\.$/),
    ]);
  });

  it('says of a command that is no text what it must be', () => {
    const [server] = readClientConfig({ mcpServers: { a: { command: ['node', 'secret-123'] } } });
    const message = server !== undefined && 'problem' in server ? server.problem.message : '';
    expect(message).toBe(
      "'a.command' of the configuration must be text: the program alone, with its arguments in 'args'.",
    );
  });

  it('gives servers whose names would share a path names of their own', () => {
    const servers = readClientConfig({ mcpServers: { 'My Server': { command: 'a' }, 'my-server': { command: 'b' } } });
    expect(servers.map((server) => 'spec' in server && server.spec.name)).toEqual(['My Server', 'my-server-2']);
  });

  it.each([[{}], [[]], ['x'], [{ mcpServers: [] }]])('refuses %j', (config) => {
    expect(() => readClientConfig(config)).toThrow('no list of MCP servers');
  });
});

describe('clientConfigSource', () => {
  let dir: string;
  beforeEach(async () => {
    dir = await mkdtemp(join(tmpdir(), 'dowser-config-'));
  });
  afterEach(() => rm(dir, { recursive: true }));

  it('reads the servers side by side and gives them in order, the bad ones with their reason', async () => {
    const file = (name: string, value: unknown) => writeFile(join(dir, name), JSON.stringify(value));
    const started = join(dir, 'good-started');
    await file('good.json', { name: 'good', tools: [[{ name: 'g' }]], started });
    await file('hang.json', { mode: 'hang' });
    await file('crash.json', { mode: 'crash' });
    const server = (name: string) =>
      `{ "command": "${process.execPath}", "args": ["${FIXTURE}", "\${workspaceFolder}/${name}.json"] }`;
    await writeFile(
      join(dir, 'mcp.json'),
      `{ // kept by hand\n "servers": { "hanging": ${server('hang')}, "crashing": ${server('crash')},\n /* works */ "Good One": ${server('good')}, } }`,
    );
    const source = clientConfigSource(join(dir, 'mcp.json'), {
      env: {},
      version: '0',
      limits: { ...DEFAULT_LIMITS, connectMs: 1500 },
    });
    const items: SourceItem[] = [];
    for await (const item of source.read(new AbortController().signal)) {
      items.push(item);
      // Also with the first item: the last server started while the first one hung.
      expect(existsSync(started)).toBe(true);
    }
    expect(items.map((item) => [item.part, 'problem' in item ? item.problem.message : 'ok'])).toEqual([
      ['hanging', 'The server did not start within 1.5 s.'],
      ['crashing', expect.stringContaining('exited with code 3')],
      ['Good One', 'ok'],
    ]);
    expect(items[2]).toMatchObject({ entity: { path: '/good-one', tools: [{ name: 'g' }] } });
    expect(source.locator).toEqual({ file: join(dir, 'mcp.json') });
  });
});
