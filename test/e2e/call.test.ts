import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { MAIN, Sandbox } from './cli-process.ts';
import { currentClient, previousClient } from './mcp-clients.ts';

// Each test starts a dozen processes, and a machine may be busy with others.
vi.setConfig({ testTimeout: 180_000 });

const published = (name: string) =>
  join(
    dirname(createRequire(import.meta.url).resolve(`@modelcontextprotocol/server-${name}/package.json`)),
    'dist',
    'index.js',
  );

interface Block {
  readonly type: string;
  readonly text?: string;
  readonly data?: string;
}
interface Result {
  readonly content: readonly Block[];
  readonly structuredContent?: unknown;
  readonly isError?: boolean;
  readonly _meta?: Readonly<Record<string, unknown>>;
}

/** Some answers say when they were made. */
const untimed = (result: object): unknown =>
  JSON.parse(JSON.stringify(result).replaceAll(/\d+:\d\d:\d\d [AP]M/g, 'TIME'));

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

let sandbox: Sandbox;
let files: string;
beforeEach(async () => {
  sandbox = await Sandbox.open();
  files = join(sandbox.dir, 'files');
  await mkdir(files);
  await writeFile(join(files, 'todo.txt'), 'Water the plants\n');
});
afterEach(() => sandbox.close());

const COMMANDS = (): Readonly<Record<string, readonly string[]>> => ({
  '/mcp-servers/everything': [published('everything')],
  '/secure-filesystem-server': [published('filesystem'), files],
  '/memory-server': [published('memory')],
});
/** The memory server writes beside itself otherwise. */
const env = (name: string) => ({ MEMORY_FILE_PATH: join(sandbox.dir, `${name}.jsonl`) });

async function addAll(): Promise<void> {
  for (const args of Object.values(COMMANDS())) {
    const added = await sandbox.run(
      [
        'add',
        ...(args[0]!.includes('server-memory') ? ['--env', 'MEMORY_FILE_PATH'] : []),
        '--',
        process.execPath,
        ...args,
      ],
      env('through'),
    );
    expect(added.code).toBe(0);
  }
}

/** A client of a published server itself. */
async function direct(path: string): Promise<Client> {
  const client = new Client({ name: 'direct', version: '1' });
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [...COMMANDS()[path]!],
    env: { PATH: process.env.PATH ?? '', ...env('direct') },
    stderr: 'ignore',
  });
  await client.connect(transport);
  return client;
}

/** Processes that a server of this sandbox has started, by the marks that they carry. */
function upstreams(): readonly string[] {
  return readdirSync('/proc').flatMap((pid) => {
    try {
      const isOurs = readFileSync(`/proc/${pid}/environ`, 'utf8').includes('DOWSER_SOURCE_RUN=');
      const line = readFileSync(`/proc/${pid}/cmdline`, 'utf8');
      return isOurs && (line.includes(sandbox.dir) || line.includes('server-')) ? [line] : [];
    } catch {
      return [];
    }
  });
}

/** A call of every tool of the published servers that answers the same each time. */
const CALLS = (): readonly (readonly [server: string, tool: string, args: object])[] => {
  const todo = join(files, 'todo.txt');
  const everything = '/mcp-servers/everything';
  const fs = '/secure-filesystem-server';
  const memory = '/memory-server';
  return [
    [everything, 'echo', { message: 'hello' }],
    [everything, 'get-annotated-message', { messageType: 'error', includeImage: true }],
    [everything, 'get-resource-links', { count: 3 }],
    [everything, 'get-resource-reference', { resourceType: 'Text', resourceId: 1 }],
    [everything, 'get-structured-content', { location: 'New York' }],
    [everything, 'get-sum', { a: 2, b: 3 }],
    [everything, 'get-tiny-image', {}],
    [everything, 'trigger-long-running-operation', { duration: 0.2, steps: 2 }],
    [fs, 'list_allowed_directories', {}],
    [fs, 'list_directory', { path: files }],
    [fs, 'read_text_file', { path: todo }],
    [fs, 'read_text_file', { path: join(sandbox.dir, 'elsewhere') }],
    [fs, 'read_multiple_files', { paths: [todo, join(files, 'none')] }],
    [fs, 'get_file_info', { path: todo }],
    [fs, 'search_files', { path: files, pattern: '**/*.txt' }],
    [fs, 'directory_tree', { path: files }],
    [memory, 'create_entities', { entities: [{ name: 'Ada', entityType: 'person', observations: ['likes tea'] }] }],
    [memory, 'add_observations', { observations: [{ entityName: 'Ada', contents: ['likes milk'] }] }],
    [memory, 'search_nodes', { query: 'tea' }],
    [memory, 'open_nodes', { names: ['Ada'] }],
    [memory, 'read_graph', {}],
    [memory, 'delete_entities', { entityNames: ['Ada'] }],
  ];
};

describe('an agent that knows only Dowser', () => {
  it('finds a tool, calls it as the search says, and gets what the server answers', async () => {
    await addAll();
    const { url } = await sandbox.serve(['--call', 'destructive'], env('through'));
    const agent = await currentClient(new URL(`${url}/mcp/call`));
    expect((await agent.listTools()).map(({ name }) => name)).toEqual([
      'search_tools',
      'get_details',
      'call_read_tool',
      'call_tool',
      'read_result',
    ]);
    const found = (await agent.call('search_tools', { query: 'add two numbers', kinds: ['tool'], k: 3 })) as Result;
    const [best] = (
      found.structuredContent as { results: { path: string; call: string; arguments: string; definition: string }[] }
    ).results;
    expect(best).toMatchObject({ path: '/mcp-servers/everything#get-sum', call: 'read', arguments: 'a*, b*' });
    const { path, definition } = best!;
    const sum = (await agent.call('call_read_tool', { path, definition, arguments: { a: 2, b: 3 } })) as Result;
    expect(sum.content).toEqual([{ type: 'text', text: 'The sum of 2 and 3 is 5.' }]);
    expect(sum._meta?.['io.dowser/call']).toMatchObject({ path, class: 'read', definition, cut: false });
    await agent.close();
  });

  it('gets the same answers as a direct client, images by their bytes', async () => {
    await addAll();
    const { url } = await sandbox.serve(['--call', 'destructive'], env('through'));
    const agents = [await currentClient(new URL(`${url}/mcp`)), await previousClient(new URL(`${url}/mcp`))];
    const clients = new Map<string, Client>();
    for (const path of Object.keys(COMMANDS())) clients.set(path, await direct(path));
    let images = 0;
    for (const [server, tool, args] of CALLS()) {
      const wanted = (await clients.get(server)!.callTool({ name: tool, arguments: { ...args } })) as Result;
      const isWrite = server === '/memory-server' && !/read|search|open/.test(tool);
      for (const agent of isWrite ? agents.slice(0, 1) : agents) {
        const { _meta, ...got } = (await agent.call('call_tool', {
          path: `${server}#${tool}`,
          arguments: args,
          session: 'story',
        })) as Result;
        const { _meta: _, ...expected } = wanted;
        // What clients of each revision add or leave out of an answer without an error.
        expect(untimed({ isError: false, ...got }), `${server}#${tool}`).toEqual(
          untimed({ isError: false, ...expected }),
        );
        for (const [at, { data }] of got.content.entries()) {
          if (data === undefined) continue;
          images++;
          expect(sha256(data)).toBe(sha256(wanted.content[at]!.data!));
        }
      }
    }
    expect(images).toBe(4);
    await Promise.all([...clients.values(), ...agents].map((client) => client.close()));
  });

  it('is refused what the operator does not allow, however it asks', async () => {
    await addAll();
    const { url } = await sandbox.serve(['--call', 'read'], env('through'));
    const agent = await currentClient(new URL(`${url}/mcp`));
    const target = join(files, 'new.txt');
    const args = { path: target, content: 'x' };
    const write = '/secure-filesystem-server#write_file';
    const ways: readonly (readonly [string, object])[] = [
      ['call_tool', { path: write, arguments: args }],
      ['call_read_tool', { path: write, arguments: args }],
      ['call_tool', { name: 'secure-filesystem-server__write_file', args }],
      ['call_tool', { path: 'call_tool', arguments: { path: write, arguments: args } }],
      ['call_tool', { tool_name: 'mcp__secure_filesystem_server__write_file', arguments: JSON.stringify(args) }],
      ['call_tool', { arguments: { name: 'secure-filesystem-server:write_file', arguments: args } }],
      ['call_tool', { path: ` ${write} `, arguments: args, read_only: false }],
    ];
    for (const [tool, given] of ways) {
      const { isError, structuredContent } = (await agent.call(tool, given)) as Result;
      expect([isError, structuredContent]).toMatchObject([
        true,
        { error: { code: 'CLASS_REFUSED', retryable: false } },
      ]);
    }
    expect(readdirSync(files)).toEqual(['todo.txt']);
    expect(upstreams()).toEqual([]);
    await agent.close();
  });
});

describe('with calls off', () => {
  it('nothing starts, no tool is listed, and the list is the same to the byte', async () => {
    await addAll();
    const listed = async (args: readonly string[]) => {
      const server = await sandbox.serve(args, env('through'));
      const list = await (
        await fetch(`${server.url}/mcp`, {
          method: 'POST',
          headers: { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' },
          body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} }),
        })
      ).text();
      const call = await fetch(`${server.url}/api/call`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify({ path: '/mcp-servers/everything#echo', arguments: { message: 'x' } }),
      });
      const answer = [call.status, ((await call.json()) as { error?: { code: string } }).error?.code];
      await server.stop('SIGTERM');
      return { list, answer };
    };
    const before = await listed([]);
    const off = await listed(['--call', 'off']);
    const on = await listed(['--call', 'destructive']);
    expect(off).toEqual(before);
    expect(off.answer).toEqual([409, 'NOT_CALLABLE']);
    expect(off.list).not.toMatch(/call_tool|call_read_tool|read_result/);
    expect(on.list).toContain('call_read_tool');
    expect(on.answer).toEqual([200, undefined]);
    expect(upstreams()).toEqual([]);
  });
});

describe('the servers that calls have started', () => {
  const gone = () => vi.waitFor(() => expect(upstreams()).toEqual([]), { timeout: 60_000, interval: 100 });

  it.each(['SIGTERM', 'SIGKILL'] as const)('end with Dowser, also by %s', async (signal) => {
    await addAll();
    const server = await sandbox.serve(['--call', 'destructive'], env('through'));
    for (const [at] of Object.entries(COMMANDS())) {
      const tool =
        { '/mcp-servers/everything': 'echo', '/memory-server': 'read_graph' }[at] ?? 'list_allowed_directories';
      const answer = await fetch(`${server.url}/api/call`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify({ path: `${at}#${tool}`, arguments: tool === 'echo' ? { message: 'x' } : {} }),
      });
      expect([at, answer.status]).toEqual([at, 200]);
    }
    expect(upstreams()).toHaveLength(3);
    await server.stop(signal);
    await gone();
  });

  it('end when nobody calls them', async () => {
    await addAll();
    const { url } = await sandbox.serve(['--call', 'read'], { ...env('through'), DOWSER_CALL_IDLE_MS: '200' });
    const called = await sandbox.run(['call', '/memory-server#read_graph', '--json']);
    expect(called.code).toBe(0);
    await gone();
    // The process is gone a moment before the pool has noted its end.
    const status = async () => (await (await fetch(`${url}/api/call/upstreams`)).json()) as object;
    await vi.waitFor(async () => expect(await status()).toEqual({ upstreams: [] }), { timeout: 60_000, interval: 100 });
    expect((await sandbox.run(['call', '/memory-server#read_graph'])).code).toBe(0);
  });
});

it('a client over standard input finds and calls too', async () => {
  await addAll();
  const client = new Client({ name: 'agent', version: '1' });
  await client.connect(
    new StdioClientTransport({
      command: process.execPath,
      args: [MAIN, 'mcp', '--call', 'read', '--toolset', 'call'],
      env: {
        PATH: process.env.PATH ?? '',
        HOME: sandbox.dir,
        DOWSER_DATA: sandbox.data,
        EMBEDDINGS_PROVIDER: 'off',
        ...env('through'),
      },
      stderr: 'ignore',
    }),
  );
  const result = (await client.callTool({
    name: 'call_read_tool',
    arguments: { path: '/secure-filesystem-server#read_text_file', arguments: { path: join(files, 'todo.txt') } },
  })) as Result;
  expect(result.content[0]).toEqual({ type: 'text', text: 'Water the plants\n' });
  await client.close();
  await vi.waitFor(() => expect(upstreams()).toEqual([]), { timeout: 60_000, interval: 100 });
});
