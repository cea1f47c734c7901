import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client as CurrentClient, StreamableHTTPClientTransport as CurrentHttp } from '@modelcontextprotocol/client';
import { StdioClientTransport as CurrentStdio } from '@modelcontextprotocol/client/stdio';
import { Client as PreviousClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as PreviousStdio } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport as PreviousHttp } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { MAIN, Sandbox } from './cli-process.ts';

// Each test starts several processes, and a machine may be busy with others.
vi.setConfig({ testTimeout: 120_000 });

const FIXTURE = fileURLToPath(new URL('../support/call-fixture.mjs', import.meta.url));
const IDENTITY = { name: 'agent', version: '1' };

let sandbox: Sandbox;
let log: string;
beforeEach(async () => {
  sandbox = await Sandbox.open();
  log = join(sandbox.dir, 'log');
  const added = await sandbox.run(['add', '--name', 'bad', '--', process.execPath, FIXTURE, log]);
  expect(added.code).toBe(0);
});
afterEach(() => sandbox.close());

const lines = () => (existsSync(log) ? readFileSync(log, 'utf8').trim().split('\n') : []);
const overStdio = () => ({
  command: process.execPath,
  args: [MAIN, 'mcp', '--call', 'read', '--toolset', 'call'],
  env: {
    PATH: process.env.PATH ?? '',
    HOME: sandbox.dir,
    DOWSER_DATA: sandbox.data,
    EMBEDDINGS_PROVIDER: 'off',
  },
  stderr: 'ignore' as const,
});
const address = async () => new URL(`${(await sandbox.serve(['--call', 'read'])).url}/mcp/call`);

interface Progress {
  readonly progress: number;
  readonly total?: number | undefined;
}
/** The part of both official clients that these tests use. */
interface Agent {
  call(tool: string, options?: { signal?: AbortSignal; onprogress?: (progress: Progress) => void }): Promise<unknown>;
  close(): Promise<void>;
}

async function current(transport: CurrentHttp | CurrentStdio): Promise<Agent> {
  const client = new CurrentClient(IDENTITY, { versionNegotiation: { mode: { pin: '2026-07-28' } } });
  await client.connect(transport);
  return {
    call: (tool, options = {}) =>
      client.callTool({ name: 'call_read_tool', arguments: { path: `/bad#${tool}` } }, options),
    close: () => client.close(),
  };
}

async function previous(transport: PreviousHttp | PreviousStdio): Promise<Agent> {
  const client = new PreviousClient(IDENTITY);
  await client.connect(transport as Transport);
  return {
    call: (tool, options = {}) =>
      client.callTool({ name: 'call_read_tool', arguments: { path: `/bad#${tool}` } }, undefined, options),
    close: () => client.close(),
  };
}

const AGENTS: readonly (readonly [name: string, connect: () => Promise<Agent>])[] = [
  ['the current revision over HTTP', async () => current(new CurrentHttp(await address()))],
  ['the current revision over standard input', () => current(new CurrentStdio(overStdio()))],
  ['a revision before over HTTP', async () => previous(new PreviousHttp(await address()))],
  ['a revision before over standard input', () => previous(new PreviousStdio(overStdio()))],
];

it.each(AGENTS)('an agent is told the progress of a tool, under its own token: %s', async (_, connect) => {
  const agent = await connect();
  // Two at once: each must get its own, and one of them has another token than Dowser sent to the server.
  const both = await Promise.all(
    [0, 1].map(async () => {
      const told: Progress[] = [];
      const answer = await agent.call('progress', { onprogress: (progress) => void told.push(progress) });
      return { answer, told };
    }),
  );
  for (const { answer, told } of both) {
    expect(answer).toMatchObject({ content: [{ type: 'text', text: 'done' }] });
    expect(told[0]).toMatchObject({ progress: 1, total: 3 });
    expect(told.map(({ progress }) => progress)).toEqual([...new Set(told.map(({ progress }) => progress))].sort());
  }
  await agent.close();
});

it.each([AGENTS[0]!, AGENTS[1]!, AGENTS[3]!])(
  'an agent that cancels a call cancels it at the server of the tool, and no other: %s',
  async (_, connect) => {
    const agent = await connect();
    const [first, second] = [new AbortController(), new AbortController()];
    const calls = [first, second].map(({ signal }) => agent.call('hang', { signal }).catch((error: unknown) => error));
    const hanging = () => lines().filter((line) => line.startsWith('call hang '));
    await vi.waitFor(() => expect(hanging()).toHaveLength(2), { timeout: 60_000 });
    second.abort();
    const cancelled = () => lines().filter((line) => line.startsWith('cancelled '));
    await vi.waitFor(() => expect(cancelled()).toHaveLength(1), { timeout: 60_000 });
    expect(await calls[1]).toBeInstanceOf(Error);
    first.abort();
    await vi.waitFor(() => expect(cancelled()).toHaveLength(2), { timeout: 60_000 });
    // In this order, each under the id that it has there.
    const ids = hanging().map((line) => line.split(' ')[2]);
    expect(cancelled().map((line) => line.split(' ')[1])).toEqual([ids[1], ids[0]]);
    await agent.close();
  },
);

it('an agent of a revision before cancels over HTTP by closing its connection', async () => {
  const agent = await AGENTS[2]![1]();
  const call = agent.call('hang').catch((error: unknown) => error);
  await vi.waitFor(() => expect(lines().some((line) => line.startsWith('call hang '))).toBe(true), { timeout: 60_000 });
  await agent.close();
  await vi.waitFor(() => expect(lines().some((line) => line.startsWith('cancelled '))).toBe(true), { timeout: 60_000 });
  expect(await call).toBeInstanceOf(Error);
});
