import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { mkdir, rename, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { MAIN, Sandbox } from './cli-process.ts';
import { currentClient, type McpClient, previousClient } from './mcp-clients.ts';

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
  readonly resource?: { readonly text?: string; readonly blob?: string };
}
interface Result {
  readonly content: readonly Block[];
  readonly structuredContent?: unknown;
  readonly isError?: boolean;
  readonly _meta?: Readonly<Record<string, unknown>>;
}

const OF_ITS_CLIENT = ['DOWSER_SOURCE_RUN', 'SHELL', 'TERM', 'USER', 'LOGNAME'];

const withoutTime = (text: string | undefined) => text?.replaceAll(/\d+:\d\d:\d\d [AP]M/g, 'TIME');

/**
 * Some answers say when they were made. An environment has no order, and some variables of its client.
 */
const compared = ({ content, ...result }: Result): unknown => ({
  ...result,
  content: content.map(({ resource, ...block }) => {
    const text = withoutTime(block.text);
    if (resource !== undefined) {
      const blob = resource.blob === undefined ? undefined : Buffer.from(resource.blob, 'base64').toString('latin1');
      return { ...block, resource: { ...resource, text: withoutTime(resource.text), blob: withoutTime(blob) } };
    }
    if (text?.includes('"PATH":') !== true) return { ...block, text };
    const variables = Object.entries(JSON.parse(text) as object).filter(([name]) => !OF_ITS_CLIENT.includes(name));
    return { ...block, text: Object.fromEntries(variables) };
  }),
});

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

const TODO = 'Water the plants\n';

let sandbox: Sandbox;
let files: string;
beforeEach(async () => {
  sandbox = await Sandbox.open();
  files = join(sandbox.dir, 'files');
  await mkdir(files);
  await writeFile(join(files, 'todo.txt'), TODO);
  await writeFile(join(files, 'dot.png'), Buffer.from(PNG, 'base64'));
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
async function direct(path: string, given: Readonly<Record<string, string>>): Promise<Client> {
  const client = new Client({ name: 'direct', version: '1' });
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [...COMMANDS()[path]!],
    env: { ...given, ...(path === MEMORY ? env('direct') : {}) },
    stderr: 'ignore',
  });
  await client.connect(transport);
  return client;
}

/** Processes that a server of this sandbox has started: they carry a mark, and began in its folder. Others may run some, too. */
function upstreams(): readonly string[] {
  return readdirSync('/proc').flatMap((pid) => {
    try {
      const isMarked = readFileSync(`/proc/${pid}/environ`, 'utf8').includes('DOWSER_SOURCE_RUN=');
      const isOurs = isMarked && readlinkSync(`/proc/${pid}/cwd`) === sandbox.dir;
      return isOurs ? [readFileSync(`/proc/${pid}/cmdline`, 'utf8')] : [];
    } catch {
      return [];
    }
  });
}

const EVERYTHING = '/mcp-servers/everything';
const FILES = '/secure-filesystem-server';
const MEMORY = '/memory-server';
const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==';
const zipped = { name: 'x.gz', data: 'data:text/plain,hello', outputType: 'resource' };

/** Of every tool of the published servers. Those after the first write are made once, in this order. */
const CALLS = (): readonly (readonly [server: string, tool: string, args: object])[] => {
  const todo = join(files, 'todo.txt');
  const made = join(files, 'made.txt');
  const relations = [{ from: 'Ada', to: 'Tea', relationType: 'drinks' }];
  return [
    [EVERYTHING, 'echo', { message: 'hello' }],
    [EVERYTHING, 'get-annotated-message', { messageType: 'error', includeImage: true }],
    [EVERYTHING, 'get-env', {}],
    [EVERYTHING, 'get-resource-links', { count: 3 }],
    [EVERYTHING, 'get-resource-reference', { resourceType: 'Text', resourceId: 1 }],
    [EVERYTHING, 'get-resource-reference', { resourceType: 'Blob', resourceId: 2 }],
    [EVERYTHING, 'get-structured-content', { location: 'New York' }],
    [EVERYTHING, 'get-sum', { a: 2, b: 3 }],
    [EVERYTHING, 'get-tiny-image', {}],
    [EVERYTHING, 'trigger-long-running-operation', { duration: 0.2, steps: 2 }],
    [EVERYTHING, 'gzip-file-as-resource', zipped],
    [EVERYTHING, 'simulate-research-query', { topic: 'tea' }],
    [FILES, 'list_allowed_directories', {}],
    [FILES, 'list_directory', { path: files }],
    [FILES, 'list_directory_with_sizes', { path: files, sortBy: 'size' }],
    [FILES, 'read_file', { path: todo }],
    [FILES, 'read_text_file', { path: todo }],
    [FILES, 'read_text_file', { path: join(sandbox.dir, 'elsewhere') }],
    [FILES, 'read_media_file', { path: join(files, 'dot.png') }],
    [FILES, 'read_multiple_files', { paths: [todo, join(files, 'none')] }],
    [FILES, 'get_file_info', { path: todo }],
    [FILES, 'search_files', { path: files, pattern: '**/*.txt' }],
    [FILES, 'directory_tree', { path: files }],
    [FILES, 'write_file', { path: made, content: 'made' }],
    [FILES, 'edit_file', { path: todo, edits: [{ oldText: 'plants', newText: 'trees' }] }],
    [FILES, 'create_directory', { path: join(files, 'more') }],
    [FILES, 'move_file', { source: made, destination: join(files, 'moved.txt') }],
    [EVERYTHING, 'toggle-simulated-logging', {}],
    [EVERYTHING, 'toggle-subscriber-updates', {}],
    [MEMORY, 'create_entities', { entities: [{ name: 'Ada', entityType: 'person', observations: ['likes tea'] }] }],
    [MEMORY, 'create_entities', { entities: [{ name: 'Tea', entityType: 'drink', observations: [] }] }],
    [MEMORY, 'create_relations', { relations }],
    [MEMORY, 'add_observations', { observations: [{ entityName: 'Ada', contents: ['likes milk'] }] }],
    [MEMORY, 'delete_observations', { deletions: [{ entityName: 'Ada', observations: ['likes milk'] }] }],
    [MEMORY, 'search_nodes', { query: 'tea' }],
    [MEMORY, 'open_nodes', { names: ['Ada'] }],
    [MEMORY, 'read_graph', {}],
    [MEMORY, 'delete_relations', { relations }],
    [MEMORY, 'delete_entities', { entityNames: ['Ada'] }],
  ];
};

/** What a direct call must find again that the same call through Dowser has changed. */
async function undoFileWrites(): Promise<void> {
  await writeFile(join(files, 'todo.txt'), TODO);
  await rename(join(files, 'moved.txt'), join(files, 'made.txt')).catch(() => {});
}

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

  it('gets the same answers as a direct client from every tool of three servers, images by their bytes', async () => {
    await addAll();
    const { url } = await sandbox.serve(['--call', 'destructive'], env('through'));
    const agents = [await currentClient(new URL(`${url}/mcp`)), await previousClient(new URL(`${url}/mcp`))];
    const through = async (agent: McpClient, server: string, tool: string, args: object) => {
      const path = `${server}#${tool}`;
      return (await agent.call('call_tool', { path, arguments: args, session: 'story' })) as Result;
    };
    // The direct servers get the same environment, so that `get-env` answers the same.
    const { content } = await through(agents[0]!, EVERYTHING, 'get-env', {});
    const { DOWSER_SOURCE_RUN: _, ...given } = JSON.parse(content[0]!.text!);
    const clients = new Map<string, Client>();
    for (const path of Object.keys(COMMANDS())) clients.set(path, await direct(path, given));
    const called = new Set<string>();
    const hashes: string[] = [];
    let isWriting = false;
    for (const [server, tool, args] of CALLS()) {
      isWriting ||= tool === 'write_file';
      const answers: Result[] = [];
      for (const agent of isWriting ? agents.slice(0, 1) : agents) {
        answers.push(await through(agent, server, tool, args));
      }
      if (server === FILES && isWriting) await undoFileWrites();
      const wanted = (await clients.get(server)!.callTool({ name: tool, arguments: { ...args } })) as Result;
      called.add(`${server}#${tool}`);
      for (const { _meta, ...got } of answers) {
        const { _meta: __, ...expected } = wanted;
        // What clients of each revision add or leave out of an answer without an error.
        expect(compared({ isError: false, ...got }), tool).toEqual(compared({ isError: false, ...expected }));
        for (const [at, { data }] of got.content.entries()) {
          if (data === undefined) continue;
          hashes.push(sha256(data));
          expect(sha256(data)).toBe(sha256(wanted.content[at]!.data!));
        }
      }
    }
    const listed: string[] = [];
    for (const [path, client] of clients) {
      listed.push(...(await client.listTools()).tools.map(({ name }) => `${path}#${name}`));
    }
    expect([...called].sort()).toEqual(listed.sort());
    expect([listed.length, hashes.length, hashes.includes(sha256(PNG))]).toEqual([36, 6, true]);
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
    expect(readdirSync(files)).toEqual(['dot.png', 'todo.txt']);
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
