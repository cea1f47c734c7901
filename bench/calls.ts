import { mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { CALL_TOOLS, toListedCallTool } from '../src/mcp/calls/call-tools.ts';
import { toListedTool } from '../src/mcp/create-mcp-server.ts';
import { FINDING_TOOLS, whereCallable } from '../src/mcp/tools/tools.ts';
import { countTokens } from '../src/model/token-count.ts';
import { openRegistry } from '../src/open.ts';
import { sourceKeyOf } from '../src/registry/provenance/source-note.ts';
import { mcpServerSource } from '../src/sources/mcp/mcp-source.ts';
import { DEFAULT_LIMITS } from '../src/sources/source.ts';
import { trustSource } from '../src/sources/trusted-sources.ts';
import { calledRegistry } from '../test/support/called-registry.ts';

/**
 * What a call costs beside a direct one, and what an agent saves. By hand:
 *
 *   npx tsx bench/calls.ts [calls] [kills]
 *
 * Asks the published servers everything, filesystem and memory of the checkout. Starts and ends all of them.
 */
const [calls = 500, kills = 50] = process.argv.slice(2).map(Number);
const require = createRequire(import.meta.url);
const entry = (name: string) =>
  join(dirname(require.resolve(`@modelcontextprotocol/server-${name}/package.json`)), 'dist', 'index.js');

const dir = mkdtempSync(join(tmpdir(), 'dowser-bench-calls-'));
const SERVERS = [
  { command: process.execPath, args: [entry('everything')] },
  { command: process.execPath, args: [entry('filesystem'), dir] },
  { command: process.execPath, args: [entry('memory')] },
];
const ECHO = '/mcp-servers/everything#echo';

const quantile = (values: readonly number[], share: number) =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length * share)]!;
const shown = (values: readonly number[]) =>
  `p50 ${quantile(values, 0.5).toFixed(2)} ms, p95 ${quantile(values, 0.95).toFixed(2)} ms`;

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
  await client.connect(new StdioClientTransport({ ...server, stderr: 'ignore' }));
  await client.listTools();
  return client;
}

const registry = await openRegistry({
  engine: 'memory',
  data_dir: dir,
  embeddings_provider: 'off',
  call: 'destructive',
  call_queue_ms: 60_000,
  call_rate: 0,
});
for (const locator of SERVERS) {
  const context = { env: process.env, limits: DEFAULT_LIMITS, version: '1' };
  const { value: item } = await mcpServerSource(locator, context)
    .read(new AbortController().signal)
    [Symbol.asyncIterator]()
    .next();
  const source = { kind: 'mcp', locator: { ...locator, env: {} } };
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

// Cold: with the start of the server.
const direct = await timed(5, async () => {
  const client = await connected(SERVERS[0]!);
  await client.callTool({ name: 'echo', arguments: { message: 'x' } });
  await client.close();
});
const cold = await timed(5, async () => {
  await registry.call({ path: ECHO, arguments: { message: 'x' } });
  await registry.stopUpstreams();
});
console.log(`cold, with the end of the server: direct ${shown(direct)}; through Dowser ${shown(cold)}`);

// Warm.
const client = await connected(SERVERS[0]!);
const args = (at: number) => ({ message: `message ${at}` });
const alone = await timed(calls, (at) => client.callTool({ name: 'echo', arguments: args(at) }));
const through = await timed(calls, (at) => registry.call({ path: ECHO, arguments: args(at) }));
const over = (share: number) => quantile(through, share) - quantile(alone, share);
console.log(
  `warm: direct ${shown(alone)}; through Dowser ${shown(through)}; more ${over(0.5).toFixed(2)} and ${over(0.95).toFixed(2)} ms`,
);
await client.close();

// Eight callers at once: nothing is lost, crossed or above the cap.
let most = 0;
const watch = setInterval(async () => {
  const running = (await registry.upstreams()).filter(({ path }) => path === '/mcp-servers/everything');
  most = Math.max(most, running.length);
}, 100);
let wrong = 0;
await Promise.all(
  Array.from({ length: 8 }, async (_, at) => {
    const caller = registry.as({ readers: null, name: `caller${at}`, scopes: ['admin'] });
    for (let nth = 0; nth < calls; nth++) {
      const message = `${at} ${nth}`;
      const { result } = await caller.call({ path: ECHO, arguments: { message } });
      if (JSON.stringify(result.content) !== JSON.stringify([{ type: 'text', text: `Echo: ${message}` }])) wrong++;
    }
  }),
);
clearInterval(watch);
console.log(`8 callers x ${calls} calls: ${wrong} lost or crossed, at most ${most} instances`);
await registry.close();
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
