// biome-ignore-all lint/suspicious/noTemplateCurlyInString: references of this shape are what is tested.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { McpServer as PreviousServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { SSEServerTransport } from '@modelcontextprotocol/sdk/server/sse.js';
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server';
import { afterEach, describe, expect, it } from 'vitest';
import { read } from '../../../test/support/read-mcp.ts';

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
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

describe('a server over HTTP', () => {
  it('reads a server over HTTP, with the headers it wants', async () => {
    const seen = new Set<string>();
    const answer = serverWith('mow_lawn');
    const url = await listen(async (request, response) => {
      seen.add(`${request.headers['x-api-key']} ${request.headers['user-agent']}`);
      await answer(request, response);
    });
    const { entity } = await read(
      { url: `${url}/mcp?token=\${KEY}`, headers: { 'X-Api-Key': '${KEY}' } },
      { env: { KEY: 'opensesame1' } },
    );
    expect([...seen]).toEqual(['opensesame1 dowser/0']);
    expect(entity).toMatchObject({
      deployment: 'remote',
      mcp_endpoint: `${url}/mcp?token=\${KEY}`,
      supported_transports: ['streamable-http'],
      tools: [{ name: 'mow_lawn' }],
    });
    const needed = { isRequired: true, isSecret: true };
    const remote = { type: 'streamable-http', url: `${url}/mcp?token={KEY}`, variables: { KEY: needed } };
    const headers = [{ name: 'X-Api-Key', ...needed }];
    expect(entity.metadata).toMatchObject({ remotes: [{ ...remote, headers }] });
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

  it('names a redirect to another site, also over the transport before', async () => {
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
    const agents = new Set<string | undefined>();
    const url = await listen(async (request, response) => {
      agents.add(request.headers['user-agent']);
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
    expect([...agents]).toEqual(['dowser/0']);
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
});
