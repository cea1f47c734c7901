import { type ChildProcess, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { createServer, type RequestListener, type Server } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { chromiumPath } from '../web/browser.ts';
import { Sandbox } from './cli-process.ts';
import { currentClient, type McpClient } from './mcp-clients.ts';

/**
 * Published servers that keep state, drive a browser or ask an API. None is left out: a machine where one does not run fails.
 * Everything they talk to is at a loopback address.
 */

// Each test starts a dozen processes, one of them a browser, and a machine may be busy with others.
vi.setConfig({ testTimeout: 240_000 });

const require = createRequire(import.meta.url);
const THINKING = join(
  dirname(require.resolve('@modelcontextprotocol/server-sequential-thinking/package.json')),
  'dist/index.js',
);
const CONTEXT7 = join(dirname(require.resolve('@upstash/context7-mcp/package.json')), 'dist/index.js');
const PLAYWRIGHT = join(dirname(require.resolve('@playwright/mcp/package.json')), 'cli.js');

interface Result {
  readonly content: readonly { readonly type: string; readonly text?: string; readonly data?: string }[];
  readonly structuredContent?: { readonly error?: { readonly code: string } };
  readonly isError?: boolean;
}
interface Tool {
  readonly name: string;
  readonly inputSchema: object;
}

let sandbox: Sandbox;
let agents: McpClient[];
let clients: Client[];
let servers: Server[];
let programs: ChildProcess[];
beforeEach(async () => {
  [agents, clients, servers, programs] = [[], [], [], []];
  sandbox = await Sandbox.open();
});
afterEach(async () => {
  await Promise.all([...agents, ...clients].map((client) => client.close()));
  for (const program of programs) {
    program.kill('SIGKILL');
    await once(program, 'close');
  }
  for (const server of servers) {
    server.closeAllConnections();
    server.close();
  }
  await sandbox.close();
});

async function listening(answer: RequestListener): Promise<string> {
  const server = createServer(answer);
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** The path that a server got, and how to call its tools through Dowser. */
async function added(args: readonly string[], env: NodeJS.ProcessEnv = {}) {
  const run = await sandbox.run(['add', '--json', ...args], env);
  expect([run.stderr, run.code]).toEqual([expect.any(String), 0]);
  const [source] = (JSON.parse(run.stdout) as { sources: { results: { path: string }[] }[] }).sources;
  const { path } = source!.results[0]!;
  const { url } = await sandbox.serve(['--call', 'destructive'], env);
  const agent = await currentClient(new URL(`${url}/mcp/call`));
  agents.push(agent);
  const call = async (tool: string, given: object, session = 'story') =>
    (await agent.call('call_tool', { path: `${path}#${tool}`, arguments: given, session })) as Result;
  const tools = async () => {
    const { stdout } = await sandbox.run(['get', path, '--json']);
    return (JSON.parse(stdout) as { entity: { tools: readonly Tool[] } }).entity.tools;
  };
  const upstreams = async () =>
    ((await (await fetch(`${url}/api/call/upstreams`)).json()) as { upstreams: readonly object[] }).upstreams;
  const stop = () => fetch(`${url}/api/call/stop`, { method: 'POST', body: '{}', headers: JSON_TYPE });
  return { call, tools, upstreams, stop };
}
const JSON_TYPE = { 'Content-Type': 'application/json' };

/** A client of the server itself, with a folder of its own for what the server writes. */
async function direct(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const cwd = join(sandbox.dir, 'direct');
  await mkdir(cwd, { recursive: true });
  const client = new Client({ name: 'direct', version: '1' });
  await client.connect(
    new StdioClientTransport({
      command: process.execPath,
      args: [...args],
      // As through Dowser: a server may color its errors for a terminal.
      env: { PATH: process.env.PATH ?? '', HOME: sandbox.dir, TMPDIR: sandbox.dir, TERM: '', ...env },
      cwd,
      stderr: 'ignore',
    }),
  );
  return asked(client);
}

function asked(client: Client) {
  clients.push(client);
  return {
    call: async (name: string, given: object) =>
      (await client.callTool({ name, arguments: { ...given } })) as unknown as Result,
    tools: async () => (await client.listTools()).tools as readonly Tool[],
  };
}

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

/** Files are named by their time. Images are compared by their bytes. */
const compared = ({ content, structuredContent, isError = false }: Result) => ({
  isError,
  ...(structuredContent === undefined ? {} : { structuredContent }),
  content: content.map(({ text, data, ...block }) => ({
    ...block,
    ...(text === undefined ? {} : { text: text.replaceAll(/\d{4}-\d\d-\d\dT[\d-]+Z/g, 'TIME') }),
    ...(data === undefined ? {} : { data: sha256(data) }),
  })),
});

const byName = (tools: readonly Tool[]) => [...tools].sort((a, b) => (a.name < b.name ? -1 : 1));
/** What the registry keeps of each tool, of those of the server. */
const definitions = (tools: readonly Tool[], wanted: readonly Tool[]) => ({
  got: byName(tools).map((tool) => tool as unknown as Readonly<Record<string, unknown>>),
  wanted: byName(wanted).map(({ name, inputSchema, ...tool }) => {
    const { title, description, annotations, outputSchema } = tool as Readonly<Record<string, unknown>>;
    const stated = Object.entries({ title, description, annotations, outputSchema });
    return expect.objectContaining({
      name,
      inputSchema,
      ...Object.fromEntries(stated.filter(([, value]) => value !== undefined)),
    });
  }),
});

describe('server-sequential-thinking', () => {
  it('lists the same, answers the same, and keeps the thoughts of each session apart', async () => {
    const through = await added(['--', process.execPath, THINKING]);
    const alone = await direct([THINKING]);
    const { got, wanted } = definitions(await through.tools(), await alone.tools());
    expect(got).toEqual(wanted);
    expect(got).toHaveLength(1);
    for (const thoughtNumber of [1, 2, 3]) {
      const thought = { thought: 'tea', thoughtNumber, totalThoughts: 3, nextThoughtNeeded: thoughtNumber < 3 };
      const answer = compared(await through.call('sequentialthinking', thought));
      expect(answer).toEqual(compared(await alone.call('sequentialthinking', thought)));
      expect(answer.structuredContent).toMatchObject({ thoughtHistoryLength: thoughtNumber });
    }
    const other = { thought: 'milk', thoughtNumber: 1, totalThoughts: 1, nextThoughtNeeded: false };
    const { structuredContent } = await through.call('sequentialthinking', other, 'another');
    expect(structuredContent).toMatchObject({ thoughtHistoryLength: 1 });
  });
});

describe('context7-mcp', () => {
  /** The API that the server asks, with an answer of each kind. */
  async function api() {
    const asks: string[] = [];
    const url = await listening((request, response) => {
      asks.push(request.url ?? '');
      const { pathname, searchParams } = new URL(request.url ?? '', 'http://127.0.0.1');
      if (searchParams.get('query') === 'too often') {
        response.writeHead(429, JSON_TYPE).end('{"message": "Slow down."}');
      } else if (pathname === '/api/v2/libs/search') {
        const found = { id: '/tea/tea', title: 'Tea', description: 'Brews tea', totalSnippets: 3, versions: [] };
        response.writeHead(200, JSON_TYPE).end(JSON.stringify({ results: [found] }));
      } else response.writeHead(200, { 'Content-Type': 'text/plain' }).end('Boil the water first.');
    });
    return { asks, env: { CONTEXT7_API_URL: `${url}/api`, OTEL_SDK_DISABLED: 'true' } };
  }
  const CALLS: readonly (readonly [string, object])[] = [
    ['resolve-library-id', { query: 'brew tea', libraryName: 'Tea' }],
    ['query-docs', { query: 'brew tea', libraryId: '/tea/tea' }],
    ['query-docs', { query: 'too often', libraryId: '/tea/tea' }],
    ['resolve-library-id', { query: 'too often', libraryName: 'Tea' }],
  ];
  type Asked = Pick<Awaited<ReturnType<typeof added>>, 'call' | 'tools'>;

  async function expectSame(through: Asked, alone: Asked, asks: readonly string[]): Promise<void> {
    const { got, wanted } = definitions(await through.tools(), await alone.tools());
    expect(got).toEqual(wanted);
    expect(got).toHaveLength(2);
    for (const [tool, args] of CALLS) {
      expect(compared(await through.call(tool, args)), tool).toEqual(compared(await alone.call(tool, args)));
    }
    expect(asks).toHaveLength(2 * CALLS.length);
    // The server refuses these itself. Dowser does not send them.
    const refused = await through.call('query-docs', { query: 3 });
    expect(refused).toMatchObject({ isError: true, structuredContent: { error: { code: 'INVALID_ARGUMENTS' } } });
    expect(await alone.call('query-docs', { query: 3 })).toMatchObject({ isError: true });
    expect(asks).toHaveLength(2 * CALLS.length);
  }

  it('lists and answers the same over standard input, also where its API refuses', async () => {
    const { asks, env } = await api();
    const names = Object.keys(env).flatMap((name) => ['--env', name]);
    const through = await added([...names, '--', process.execPath, CONTEXT7], env);
    await expectSame(through, await direct([CONTEXT7], env), asks);
  });

  it('lists and answers the same over HTTP in the revision without sessions, where all callers share a connection', async () => {
    const { asks, env } = await api();
    const program = spawn(process.execPath, [CONTEXT7, '--transport', 'http', '--port', '3700'], {
      env: { PATH: process.env.PATH, HOME: sandbox.dir, ...env },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    programs.push(program);
    const port = await new Promise<string>((resolve) => {
      let said = '';
      program.stderr.on('data', (part: Buffer) => {
        said += part.toString();
        const found = /localhost:(\d+)/.exec(said)?.[1];
        if (found !== undefined) resolve(found);
      });
    });
    const url = `http://127.0.0.1:${port}/mcp`;
    const through = await added([url]);
    const client = new Client(
      { name: 'direct', version: '1' },
      { versionNegotiation: { mode: { pin: '2026-07-28' } } },
    );
    await client.connect(new StreamableHTTPClientTransport(new URL(url)));
    await expectSame(through, asked(client), asks);
    await through.call(...CALLS[0]!, 'another');
    expect(await through.upstreams()).toMatchObject([{ transport: 'streamable-http', calls: CALLS.length + 1 }]);
  });
});

describe('playwright/mcp', () => {
  const PAGE = `<!doctype html><title>Tea</title><h1>Tea time</h1><input aria-label="Name">
    <button onclick="document.querySelector('h1').textContent = 'Poured'">Pour</button>`;

  /** Browsers that run in a folder of this test. */
  const browsers = () =>
    readdirSync('/proc').filter((pid) => {
      try {
        const isOurs = readlinkSync(`/proc/${pid}/cwd`).startsWith(sandbox.dir);
        return isOurs && readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('--headless');
      } catch {
        return false;
      }
    });

  it('drives a browser of its own for each session: pages, snapshots and screenshots are the same', async () => {
    const page = await listening((_, response) => response.writeHead(200, { 'Content-Type': 'text/html' }).end(PAGE));
    const program = await chromiumPath();
    expect(existsSync(program)).toBe(true);
    const args = [PLAYWRIGHT, '--headless', '--no-sandbox', '--isolated', '--executable-path', program];
    const through = await added(['--', process.execPath, ...args]);
    const alone = await direct(args);
    const { got, wanted } = definitions(await through.tools(), await alone.tools());
    expect(got).toEqual(wanted);
    expect(got.length).toBeGreaterThan(20);
    const steps: readonly (readonly [string, object])[] = [
      ['browser_navigate', { url: page }],
      ['browser_snapshot', {}],
      ['browser_take_screenshot', {}],
      ['browser_click', { element: 'the button', target: 'e4' }],
      ['browser_snapshot', {}],
      ['browser_click', { element: 'nothing', target: 'e99' }],
      // Nothing listens there.
      ['browser_navigate', { url: 'http://127.0.0.1:1/' }],
    ];
    const texts: string[] = [];
    const images: string[] = [];
    for (const [tool, given] of steps) {
      const answer = compared(await through.call(tool, given));
      expect(answer, tool).toEqual(compared(await alone.call(tool, given)));
      texts.push(answer.content.map(({ text }) => text).join(''));
      images.push(...answer.content.flatMap(({ data }) => data ?? []));
    }
    expect([texts[1], texts[4], images.length]).toEqual([
      expect.stringContaining('Tea time'),
      expect.stringContaining('Poured'),
      1,
    ]);
    const other = await through.call('browser_tabs', { action: 'list' }, 'another');
    expect(other.content[0]?.text).toContain('about:blank');
    expect(browsers().length).toBeGreaterThan(0);
    await Promise.all(clients.splice(0).map((client) => client.close()));
    await through.stop();
    await vi.waitFor(() => expect(browsers()).toEqual([]), { timeout: 60_000, interval: 100 });
  });
});
