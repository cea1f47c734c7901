// biome-ignore-all lint/suspicious/noTemplateCurlyInString: references of this shape are what is tested.
import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { McpServer as PreviousServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { SSEServerTransport } from '@modelcontextprotocol/sdk/server/sse.js';
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DEFAULT_LIMITS, type SourceItem } from '../source.ts';
import { type McpServerSpec, mcpServerSource, readMcpServer } from './mcp-source.ts';

const FIXTURE = fileURLToPath(new URL('../../../test/support/mcp-fixture.mjs', import.meta.url));
const MODERN = fileURLToPath(new URL('../../../test/support/mcp-modern-fixture.mjs', import.meta.url));

let dir: string;
const servers: Server[] = [];
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'dowser-mcp-'));
});
afterEach(async () => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
  await rm(dir, { recursive: true });
});

async function definition(value: unknown): Promise<string> {
  const file = join(dir, 'definition.json');
  await writeFile(file, JSON.stringify(value));
  return file;
}

const quick = { env: {}, version: '0', limits: { ...DEFAULT_LIMITS, connectMs: 5000 } };
const read = (spec: McpServerSpec, over: Partial<Parameters<typeof readMcpServer>[1]> = {}) =>
  readMcpServer(spec, { ...quick, signal: new AbortController().signal, subject: 'The server', ...over });
const fixture = async (value: unknown): Promise<McpServerSpec> => ({
  command: process.execPath,
  args: [FIXTURE, await definition(value)],
});

async function listen(handler: Parameters<typeof createServer>[1]): Promise<string> {
  const server = createServer(handler);
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const SERVER_INFO = { name: 'remote', version: '1.0.0' };

/** A server over HTTP with one tool. */
function serverWith(tool: string): (request: IncomingMessage, response: ServerResponse) => Promise<void> {
  const handler = createMcpHandler(() => {
    const server = new McpServer(SERVER_INFO);
    server.registerTool(tool, { description: 'Does one thing' }, () => ({ content: [] }));
    return server;
  });
  return async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const answer = await handler.fetch(
      new Request(`http://127.0.0.1${request.url}`, {
        method: request.method!,
        headers: Object.entries(request.headers) as [string, string][],
        ...(chunks.length === 0 ? {} : { body: Buffer.concat(chunks) }),
      }),
    );
    response.writeHead(answer.status, Object.fromEntries(answer.headers));
    response.end(Buffer.from(await answer.arrayBuffer()));
  };
}

/** An ended process stays in the table until its parent asks for it, and some parents take their time. */
const isRunning = (pid: number) => {
  try {
    process.kill(pid, 0);
    return !existsSync(`/proc/${pid}/stat`) || !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
};

describe('readMcpServer', () => {
  it('reads every page of tools, and what else the server says of itself', async () => {
    const spec = await fixture({
      mode: 'greet',
      name: 'acme/tide-tables',
      title: 'Tide Tables',
      instructions: 'Ask for a harbour first.',
      tools: [
        [{ name: 'list_harbours', description: 'List harbours', inputSchema: { type: 'object' } }],
        [{ name: '' }, { name: 'high_water', annotations: { readOnlyHint: true }, outputSchema: { type: 'object' } }],
      ],
      prompts: [{ name: 'plan_trip', description: 'Plan a trip by boat' }],
      resources: [{ uri: 'tide://brest', name: 'Brest', description: 'Tides of Brest' }],
    });
    const { entity, warnings } = await read(spec);
    expect(entity).toMatchObject({
      type: 'mcp_server',
      path: '/acme/tide-tables',
      name: 'Tide Tables',
      description: 'Ask for a harbour first.',
      version: '1.2.3',
      deployment: 'local',
      supported_transports: ['stdio'],
      metadata: { prompts: ['plan_trip: Plan a trip by boat'], resources: ['Brest: Tides of Brest'] },
    });
    expect(entity.tools).toEqual([
      { name: 'list_harbours', description: 'List harbours', inputSchema: { type: 'object' } },
      { name: 'high_water', annotations: { readOnlyHint: true }, outputSchema: { type: 'object' } },
    ]);
    expect(warnings).toEqual(['Tool 1 of the server has no name and was dropped.']);
  });

  it('keeps the tools if another list hangs', async () => {
    const spec = await fixture({ tools: [[{ name: 'now' }]], silent: 'prompts/list' });
    const { entity, warnings } = await read(spec, { limits: { ...DEFAULT_LIMITS, listMs: 2000 } });
    expect(entity.tools).toEqual([{ name: 'now' }]);
    expect(warnings).toContain("'prompts/list' failed: it took too long.");
  });

  it('says that a list was cut, and drops a schema that is too large', async () => {
    const tools = Array.from({ length: 6 }, (_, page) =>
      Array.from({ length: 1000 }, (_, n) => ({ name: `t${page}_${n}`, inputSchema: { type: 'object' } })),
    );
    const properties = Object.fromEntries(Array.from({ length: 3000 }, (_, n) => [`p${n}`, {}]));
    tools[0]![0] = { name: 'huge', inputSchema: { type: 'object', properties } as never };
    const prompts = Array.from({ length: 150 }, (_, n) => ({ name: `p${n}` }));
    const { entity, warnings } = await read(await fixture({ mode: 'greet', name: 'many', tools, prompts }));
    expect([(entity.tools as unknown[]).length, (entity.tools as object[])[0]]).toEqual([5000, { name: 'huge' }]);
    expect(warnings).toEqual([
      "The list 'tools/list' has more than 5000 items: only the first 5000 were read.",
      "The list 'prompts/list' has more than 100 items: only the first 100 were read.",
      "The 'inputSchema' of tool 'huge' is too large and was dropped.",
    ]);
  });

  it('withholds what was filled in from what a failing server writes', async () => {
    const script = 'console.error("no access with", process.argv[1]); process.exit(3)';
    const spec = { command: process.execPath, args: ['-e', script, '${PASSPHRASE}'] };
    await expect(read(spec, { env: { PASSPHRASE: 'open sesame' } })).rejects.toMatchObject({
      message: expect.stringContaining('no access with [redacted]'),
    });
  });

  it('reads a server that knows the newest revision only', async () => {
    const { entity } = await read({ command: process.execPath, args: [MODERN] });
    expect(entity).toMatchObject({ name: 'modern-fixture', metadata: { protocol_version: '2026-07-28' } });
    expect(entity.tools).toMatchObject([{ name: 'fold_paper' }]);
  });

  it('reads a server over HTTP, with the headers it wants', async () => {
    const seen = new Set<string | undefined>();
    const answer = serverWith('mow_lawn');
    const url = await listen(async (request, response) => {
      seen.add(request.headers['x-api-key'] as string | undefined);
      await answer(request, response);
    });
    const { entity } = await read(
      { url: `${url}/mcp?token=\${KEY}`, headers: { 'X-Api-Key': '${KEY}' } },
      { env: { KEY: 'opensesame1' } },
    );
    expect([...seen]).toEqual(['opensesame1']);
    expect(entity).toMatchObject({
      deployment: 'remote',
      mcp_endpoint: `${url}/mcp?token=\${KEY}`,
      supported_transports: ['streamable-http'],
      tools: [{ name: 'mow_lawn' }],
    });
  });

  it('follows a redirect within a site, and takes a key to no other', async () => {
    const stolen: (string | undefined)[] = [];
    const thief = await listen((request, response) => {
      stolen.push(request.headers['x-api-key'] as string | undefined);
      response.writeHead(404).end();
    });
    const answer = serverWith('ring_bell');
    const url = await listen(async (request, response) => {
      const leadsTo = { '/mcp': '/mcp/', '/away': `${thief}/mcp`, '/round': '/round', '/odd': 'http://[' }[
        request.url!
      ];
      if (leadsTo === undefined) await answer(request, response);
      else response.writeHead(307, { location: leadsTo }).end();
    });
    const at = (path: string) =>
      read({ url: `${url}${path}`, headers: { 'X-Api-Key': '${KEY}' } }, { env: { KEY: 'opensesame1' } });
    expect((await at('/mcp')).entity).toMatchObject({ tools: [{ name: 'ring_bell' }] });
    await expect(at('/away')).rejects.toMatchObject({
      code: 'SOURCE_UNREACHABLE',
      message: `The server redirects to another site (${thief}).`,
    });
    expect(stolen).toEqual([]);
    await expect(at('/round')).rejects.toThrow('redirects more than 5 times');
    await expect(at('/odd')).rejects.toThrow("redirects to 'http://[', which is not an address");
  });

  it('says of a redirect to another site that it is one, also over the transport before', async () => {
    const other = await listen((_, response) => void response.writeHead(404).end());
    const url = await listen((request, response) => {
      if (request.method === 'POST') response.writeHead(405).end();
      else response.writeHead(302, { location: `${other}/sse` }).end();
    });
    for (const transport of ['sse', undefined] as const) {
      await expect(read({ url: `${url}/sse`, ...(transport && { transport }) })).rejects.toMatchObject({
        message: `The server redirects to another site (${other}).`,
      });
    }
  });

  it('tells a connection that breaks from a server that refuses the stream it need not have', async () => {
    const url = await listen(async (request, response) => {
      if (request.method !== 'POST') return void response.writeHead(405).end();
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      const { id, method, params } = JSON.parse(Buffer.concat(chunks).toString());
      // Late enough for the answer to the GET to be there.
      if (method === 'tools/list') return void setTimeout(() => request.socket.destroy(), 100);
      if (id === undefined) return void response.writeHead(202).end();
      const isHello = method === 'initialize';
      const hello = { protocolVersion: params?.protocolVersion, capabilities: { tools: {} }, serverInfo: SERVER_INFO };
      const said = isHello ? { result: hello } : { error: { code: -32601, message: 'no' } };
      response
        .writeHead(200, { 'content-type': 'application/json' })
        .end(JSON.stringify({ jsonrpc: '2.0', id, ...said }));
    });
    await expect(read({ url: `${url}/mcp` })).rejects.toThrow(/does not answer \(\w+\)/);
  });

  it('falls back to the transport before', async () => {
    const transports = new Map<string, SSEServerTransport>();
    const url = await listen(async (request, response) => {
      const { pathname, searchParams } = new URL(request.url!, 'http://127.0.0.1');
      if (pathname === '/message')
        return transports.get(searchParams.get('sessionId')!)?.handlePostMessage(request, response);
      if (request.method !== 'GET') return response.writeHead(404).end();
      const server = new PreviousServer({ name: 'previous', version: '1.0.0' });
      server.registerTool('wind_clock', { description: 'Wind the clock' }, () => ({ content: [] }));
      const transport = new SSEServerTransport('/message', response);
      transports.set(transport.sessionId, transport);
      await server.connect(transport);
    });
    const { entity } = await read({ url: `${url}/sse` });
    expect(entity).toMatchObject({ supported_transports: ['sse'], tools: [{ name: 'wind_clock' }] });
  });

  it('gives up on a server that does not answer, and leaves no process of it behind', async () => {
    const pids = join(dir, 'pids.json');
    const spec = await fixture({ mode: 'stubborn', pids });
    await expect(read(spec, { limits: { ...DEFAULT_LIMITS, connectMs: 1500 } })).rejects.toMatchObject({
      code: 'SOURCE_UNREACHABLE',
      message: 'The server did not start within 1.5 s.',
    });
    const [own, child] = JSON.parse(await readFile(pids, 'utf8')) as [number, number];
    await expect.poll(() => [isRunning(own), isRunning(child)]).toEqual([false, false]);
  });

  it.each(['fetch', ...(process.platform === 'linux' ? ['unpack'] : [])])(
    'waits for a program as long as it makes progress: %s',
    async (mode) => {
      const notices: string[] = [];
      const { entity } = await read(await fixture({ mode, parts: join(dir, 'parts'), part_count: 6 }), {
        limits: { ...DEFAULT_LIMITS, connectMs: 1000 },
        onNotice: (title, notice) => notices.push(`${title}: ${notice}`),
      });
      expect(entity).toMatchObject({ name: 'fixture' });
      const notice =
        mode === 'fetch'
          ? 'The package is being fetched. The first start can take minutes.'
          : 'Waiting for the server to start.';
      expect(notices).toEqual([`The server: ${notice}`]);
    },
  );

  it('gives up on a program that never gets ready, and a second try goes on where the first one ended', async () => {
    const parts = join(dir, 'parts');
    const spec = await fixture({ mode: 'fetch', parts, part_count: 6 });
    await expect(read(spec, { limits: { ...DEFAULT_LIMITS, startMs: 1200 } })).rejects.toMatchObject({
      message: 'The server was still fetching its package after 1.2 s.',
      hint: expect.stringContaining('Run the same command again'),
    });
    const before = (await readFile(parts, 'utf8')).split('\n').length - 1;
    expect(before).toBeGreaterThan(0);
    await read(spec);
    expect(await readFile(parts, 'utf8')).toBe([0, 1, 2, 3, 4, 5].map((part) => `part ${part}\n`).join(''));
  });

  it('says that a program prints text in place of messages', async () => {
    const spec = await fixture({ mode: 'help' });
    await expect(read(spec, { limits: { ...DEFAULT_LIMITS, connectMs: 1000 } })).rejects.toMatchObject({
      message:
        'The server did not start within 1 s. It printed text that is not JSON-RPC on stdout: Usage: fixture <folder> Serving on port 3000',
      hint: expect.stringContaining('only JSON-RPC on stdout'),
    });
    const print = (code: string) => read({ command: process.execPath, args: ['-e', code] });
    await expect(print("process.stdout.write('no newline'); process.exitCode = 2")).rejects.toThrow(
      'The server exited with code 2. It printed text that is not JSON-RPC on stdout: no newline',
    );
    await expect(print('console.log(\'{"level": "info"}\')')).rejects.toThrow('JSON-RPC on stdout: {"level": "info"}');
  });

  it('stops when it is told to', async () => {
    const stop = new AbortController();
    const reading = read(await fixture({ mode: 'hang' }), { signal: stop.signal });
    setTimeout(() => stop.abort(new Error('enough')), 300);
    await expect(reading).rejects.toThrow('enough');
  });

  it('says how a server ended and what it wrote, but not the secrets it was given', async () => {
    const spec = { ...(await fixture({ mode: 'crash' })), env: { FIXTURE_KEY: 'hush-hush-77' } };
    await expect(read(spec)).rejects.toMatchObject({
      code: 'SOURCE_UNREACHABLE',
      message: 'The server exited with code 3. It wrote: cannot start: no license for [redacted]',
    });
  });

  it.each([
    ['a program that is not there', { command: 'no-such-program-here' }, /program 'no-such-program-here' not found/],
    [
      'an address nobody answers at',
      { url: 'http://127.0.0.1:9/mcp' },
      /does not answer \((?:ECONNREFUSED|bad port)\)/,
    ],
    ['an address of another kind', { url: 'ftp://example.com/x' }, /not an http or https address/],
  ])('says so of %s', async (_, spec, message) => {
    await expect(read(spec)).rejects.toThrow(message);
  });

  it('says that a server requires authorization', async () => {
    const url = await listen((_, response) => response.writeHead(401).end());
    await expect(read({ url })).rejects.toMatchObject({
      code: 'FORBIDDEN',
      message: 'The server requires authorization.',
      hint: expect.stringContaining('--header'),
    });
  });

  it.each([
    ['a web page', 200, 'text/html; charset=utf-8', '<html></html>', /with a web page, not with MCP\.$/],
    ['JSON of another kind', 200, 'application/json', '{"a": 1}', /answers, but not with MCP\.$/],
    ['an error page', 404, 'text/html', 'no', /answers 404, not with MCP\.$/],
    ['a failure', 500, 'text/plain', 'no', /answers 500, not with MCP\.$/],
  ])('says that %s is no MCP server', async (_, status, type, body, message) => {
    const url = await listen((_request, response) => {
      response.writeHead(status, { 'content-type': type });
      response.end(body);
    });
    const hint = type.startsWith('text/html') ? /of an MCP server .*agent.*registry.*SKILL\.md/ : /supports MCP/;
    await expect(read({ url })).rejects.toMatchObject({
      code: 'SOURCE_UNREACHABLE',
      message: expect.stringMatching(message),
      hint: expect.stringMatching(hint),
    });
  });

  it('needs the variables that it refers to', async () => {
    await expect(read({ command: process.execPath, env: { A: '${NOT_SET_ANYWHERE}' } })).rejects.toMatchObject({
      code: 'INVALID_SETTING',
      field: 'NOT_SET_ANYWHERE',
    });
  });
});

describe('mcpServerSource', () => {
  it('keeps nothing secret in what is stored, and can be read again from that', async () => {
    const given = await fixture({
      name: 'echo',
      instructions: 'Signed in as',
      echo_env: 'API_TOKEN',
      tools: [[{ name: 'x' }]],
    });
    const source = mcpServerSource(
      { ...given, env: { API_TOKEN: 'tok-12345678' }, args: [...given.args!, '--password', 'pw-9876543'] },
      quick,
    );
    const items: SourceItem[] = [];
    for await (const item of source.read(new AbortController().signal)) items.push(item);
    const stored = JSON.stringify([source.locator, source.title, items]);
    expect(stored).not.toMatch(/tok-12345678|pw-9876543/);
    expect(stored).toContain('Signed in as [redacted]');
    expect(source.locator).toMatchObject({ env: { API_TOKEN: '${API_TOKEN}' } });

    const again = mcpServerSource(source.locator as McpServerSpec, {
      ...quick,
      env: { API_TOKEN: 'tok-new-1', PASSWORD: 'p' },
    });
    expect(again.locator).toEqual(source.locator);
    for await (const item of again.read(new AbortController().signal)) expect('entity' in item).toBe(true);
  });
});
