import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { getDefaultEnvironment, StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { parseSettings } from '../src/config.ts';
import { startServer } from '../src/http/server.ts';
import { CALL_TOOLS, toListedCallTool } from '../src/mcp/calls/call-tools.ts';
import { toListedTool } from '../src/mcp/server/create-mcp-server.ts';
import { FINDING_TOOLS, whereCallable } from '../src/mcp/tools/tools.ts';
import { countTokens } from '../src/model/text/token-count.ts';
import { openRegistry } from '../src/open.ts';
import { sourceKeyOf } from '../src/registry/notes/source-note.ts';
import { mcpServerSource } from '../src/sources/mcp/mcp-source.ts';
import { DEFAULT_LIMITS } from '../src/sources/source.ts';
import { trustSource } from '../src/sources/trusted-sources.ts';
import { calledRegistry } from '../test/support/called-registry.ts';
import { chromiumPath } from '../test/web/browser.ts';

/**
 * What a call costs beside a direct one, and what an agent saves. By hand:
 *
 *   npx tsx bench/calls.ts [calls] [kills]
 *
 * Asks the published servers everything, filesystem and memory of the checkout, and cold also sequential-thinking, Context7
 * (which asks an API in this process) and Playwright (which starts a browser). Starts and ends all of them.
 */
const [calls = 500, kills = 50] = process.argv.slice(2).map(Number);
const require = createRequire(import.meta.url);
const inside = (name: string, file: string) => join(dirname(require.resolve(`${name}/package.json`)), file);
const entry = (name: string) => inside(`@modelcontextprotocol/server-${name}`, 'dist/index.js');

const api = createServer((_, response) => response.end('Boil the water first.'));
await new Promise<void>((resolve) => api.listen(0, '127.0.0.1', resolve));
const API_ENV = {
  CONTEXT7_API_URL: `http://127.0.0.1:${(api.address() as AddressInfo).port}/api`,
  OTEL_SDK_DISABLED: 'true',
};

const dir = mkdtempSync(join(tmpdir(), 'dowser-bench-calls-'));
const program = (...args: string[]) => ({ command: process.execPath, args, env: {} });
const SERVERS = [program(entry('everything')), program(entry('filesystem'), dir), program(entry('memory'))];
const browser = ['--headless', '--no-sandbox', '--isolated', '--executable-path', await chromiumPath()];
/** Asked once each, from nothing. */
const MORE = [
  program(entry('sequential-thinking')),
  { ...program(inside('@upstash/context7-mcp', 'dist/index.js')), env: API_ENV },
  program(inside('@playwright/mcp', 'cli.js'), ...browser),
];
const ECHO = '/mcp-servers/everything#echo';

const quantile = (values: readonly number[], share: number) =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length * share)]!;
async function timed(count: number, work: (at: number) => Promise<unknown>): Promise<readonly number[]> {
  const times: number[] = [];
  for (let at = 0; at < count; at++) {
    const began = performance.now();
    await work(at);
    times.push(performance.now() - began);
  }
  return times;
}

async function connected(server: (typeof SERVERS)[number]): Promise<Client> {
  const client = new Client({ name: 'bench', version: '1' });
  const env = { ...getDefaultEnvironment(), ...server.env };
  await client.connect(new StdioClientTransport({ ...server, env, stderr: 'ignore', cwd: dir }));
  await client.listTools();
  return client;
}

const registry = await openRegistry({
  engine: 'memory',
  data_dir: dir,
  embeddings_provider: 'off',
  call: 'destructive',
  call_queue_ms: 600_000,
  call_rate: 0,
});
for (const server of [...SERVERS, ...MORE]) {
  const locator = { ...server, cwd: dir };
  const context = { env: process.env, limits: DEFAULT_LIMITS, version: '1' };
  const { value: item } = await mcpServerSource(locator, context)
    .read(new AbortController().signal)
    [Symbol.asyncIterator]()
    .next();
  const source = { kind: 'mcp', locator };
  await trustSource(dir, sourceKeyOf(source));
  await registry.observe({ source, live: true, entities: [{ part: '', entity: item.entity }] });
}

// Tokens: the lists of the servers themselves, and those of Dowser with one search and one call.
const lists: object[] = [];
for (const server of SERVERS) {
  const client = await connected(server);
  lists.push(...(await client.listTools()).tools);
  await client.close();
}
const own = [
  ...whereCallable(FINDING_TOOLS).map((tool) => toListedTool(tool, '', 'lean')),
  ...CALL_TOOLS.map(toListedCallTool),
];
const search = whereCallable(FINDING_TOOLS)[0]!;
const found = await search.run(
  registry as never,
  search.input.parse({ query: 'add two numbers', kinds: ['tool'], k: 3 }),
);
const called = JSON.stringify(CALL_TOOLS.map(toListedCallTool)).length;
console.log(`${lists.length} tools of ${SERVERS.length} servers: ${countTokens(JSON.stringify(lists))} tokens`);
console.log(
  `/mcp/call: ${own.length} tools, ${JSON.stringify(own).length} characters (${called} of them for calls), ${countTokens(JSON.stringify(own))} tokens; one search: ${countTokens(found.text)} tokens`,
);

/** The median of rounds, each of which asks one after the other, so that a busy moment of the machine meets both. */
const median = (values: readonly number[]) => quantile(values, 0.5);
const signed = (ms: number) => `${ms < 0 ? '' : '+'}${ms.toFixed(2)} ms`;

// Cold: from nothing to the first answer, with the start of the server.
const FIRST = [
  { path: ECHO, tool: 'echo', args: { message: 'x' } },
  { path: '/secure-filesystem-server#list_allowed_directories', tool: 'list_allowed_directories', args: {} },
  { path: '/memory-server#read_graph', tool: 'read_graph', args: {} },
  {
    path: '/sequential-thinking-server#sequentialthinking',
    tool: 'sequentialthinking',
    args: { thought: 'tea', thoughtNumber: 1, totalThoughts: 1, nextThoughtNeeded: false },
  },
  { path: '/context7#query-docs', tool: 'query-docs', args: { libraryId: '/tea/tea', query: 'brew' } },
  { path: '/playwright#browser_tabs', tool: 'browser_tabs', args: { action: 'list' } },
];
for (const [at, { path, tool, args }] of FIRST.entries()) {
  const alone: number[] = [];
  const through: number[] = [];
  for (let round = 0; round < 7; round++) {
    let client: Client | undefined;
    alone.push(
      ...(await timed(1, async () => {
        client = await connected([...SERVERS, ...MORE][at]!);
        await client.callTool({ name: tool, arguments: args });
      })),
    );
    await client?.close();
    through.push(...(await timed(1, () => registry.call({ path, arguments: args }))));
    await registry.stopUpstreams();
  }
  const more = signed(median(through) - median(alone));
  console.log(
    `cold, ${path}: direct ${median(alone).toFixed(0)} ms, through Dowser ${median(through).toFixed(0)} ms, ${more}`,
  );
}

// Warm: a direct call, one through the library, and one of an agent that asks Dowser over HTTP.
const client = await connected(SERVERS[0]!);
const settings = parseSettings({ data_dir: dir, embeddings_provider: 'off', port: 0, call: 'destructive' });
const logger = { info() {}, warn() {}, error() {} };
const server = await startServer({ registry, version: '1', logger, settings });
const agent = new Client({ name: 'agent', version: '1' }, { versionNegotiation: { mode: { pin: '2026-07-28' } } });
await agent.connect(new StreamableHTTPClientTransport(new URL(`${server.url}/mcp/call`)));
const args = (at: number) => ({ message: `message ${at}` });
const WAYS: readonly (readonly [string, (at: number) => Promise<unknown>])[] = [
  ['direct', (at) => client.callTool({ name: 'echo', arguments: args(at) })],
  ['library', (at) => registry.call({ path: ECHO, arguments: args(at) })],
  ['over HTTP', (at) => agent.callTool({ name: 'call_read_tool', arguments: { path: ECHO, arguments: args(at) } })],
];
const rounds = WAYS.map((): { p50: number; p95: number; cpu: number }[] => []);
for (let round = 0; round < 7; round++) {
  for (const [at, [, call]] of WAYS.entries()) {
    const cpu = process.cpuUsage();
    const times = await timed(calls, call);
    const { user, system } = process.cpuUsage(cpu);
    // The first round compiles.
    if (round > 0) {
      rounds[at]!.push({ p50: quantile(times, 0.5), p95: quantile(times, 0.95), cpu: (user + system) / 1000 / calls });
    }
  }
}
const [direct] = rounds;
for (const [at, [name]] of WAYS.entries()) {
  const of = (key: 'p50' | 'p95' | 'cpu', found = rounds[at]!) => median(found.map((round) => round[key]));
  const more = (key: 'p50' | 'p95') => signed(of(key) - of(key, direct));
  const beside = at === 0 ? '' : `; p50 ${more('p50')}, p95 ${more('p95')}`;
  console.log(
    `warm, ${name}: p50 ${of('p50').toFixed(2)} ms, p95 ${of('p95').toFixed(2)} ms, ${of('cpu').toFixed(2)} ms of CPU in this process${beside}`,
  );
}
await agent.close();
await client.close();

// Eight callers at once: nothing is lost, crossed or above the cap.
let most = 0;
const watch = setInterval(async () => {
  const running = (await registry.upstreams()).filter(({ path }) => path === '/mcp-servers/everything');
  most = Math.max(most, running.length);
}, 100);
let wrong = 0;
const each = Math.max(calls, 1000);
await Promise.all(
  Array.from({ length: 8 }, async (_, at) => {
    const caller = registry.as({ readers: null, name: `caller${at}`, scopes: ['admin'] });
    for (let nth = 0; nth < each; nth++) {
      const message = `${at} ${nth}`;
      const { result } = await caller.call({ path: ECHO, arguments: { message } });
      if (JSON.stringify(result.content) !== JSON.stringify([{ type: 'text', text: `Echo: ${message}` }])) wrong++;
    }
  }),
);
clearInterval(watch);
console.log(`8 callers x ${each} calls: ${wrong} lost or crossed, at most ${most} instances`);
// Closes the registry too.
await server.close();
api.close();
rmSync(dir, { recursive: true });

// A server that dies between a call and its answer.
let unknown = 0;
let twice = 0;
for (let at = 0; at < kills; at++) {
  const bad = await calledRegistry();
  await bad.registry.call({ path: '/bad#crash_write' }).catch(({ code }: { code: string }) => {
    if (code === 'OUTCOME_UNKNOWN') unknown++;
  });
  if (bad.log().filter((line) => line.startsWith('call ')).length !== 1) twice++;
  await bad.close();
}
console.log(
  `${kills} kills after a write was sent: ${unknown} times OUTCOME_UNKNOWN, ${twice} times not sent exactly once`,
);
