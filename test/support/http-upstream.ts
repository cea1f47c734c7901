import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server';
import { type StrictIssuer, strictIssuer } from './strict-issuer.ts';

/** How a server at an address speaks: with sessions, over one stream, or in the revision without sessions. */
export type Speech = 'streamable' | 'sse' | 'modern';
export const SPEECHES: readonly Speech[] = ['streamable', 'sse', 'modern'];

export interface HttpUpstream {
  readonly url: string;
  /** What it got, line by line: `session`, `call <tool>`, `cancelled <tool>`, `deleted`. */
  readonly log: string[];
  /** Every session is unknown from now on, as after a restart. */
  forget(): void;
  /** Requests are refused like this from now on. Null: answered. */
  refuse(status: number | null): void;
  /** From now on, only requests with a token of its issuer are answered. */
  requireSignIn(): StrictIssuer;
  close(): Promise<void>;
}

const READ = { annotations: { readOnlyHint: true } };
const WRITE = { annotations: { destructiveHint: false } };
const text = { type: 'object', properties: { text: { type: 'string' } } };
const REGION = { type: 'string', 'x-mcp-header': 'Region' };
/** `reset`: the connection breaks after the request. `drop`: the stream of the answer ends without it. */
const TOOLS = [
  { name: 'echo', ...READ, inputSchema: text },
  { name: 'write', ...WRITE, inputSchema: text },
  { name: 'count', ...READ },
  { name: 'token', ...READ },
  { name: 'progress', ...READ },
  { name: 'hang', ...READ },
  // Of the revision without sessions: the argument is sent as a header too.
  { name: 'region', ...READ, inputSchema: { type: 'object', properties: { region: REGION } } },
  { name: 'refuse', ...READ },
  { name: 'ask', ...READ },
  ...['reset', 'drop'].flatMap((fault) => [
    { name: `${fault}_read`, ...READ },
    { name: `${fault}_write`, ...WRITE },
  ]),
].map((tool) => ({ description: tool.name, inputSchema: { type: 'object' }, ...tool }));

interface Message {
  readonly id?: number;
  readonly method: string;
  readonly params?: {
    readonly name?: string;
    readonly arguments?: { readonly text?: string };
    readonly requestId?: number;
    readonly _meta?: { readonly progressToken?: number };
    readonly protocolVersion?: string;
  };
}
interface Called {
  readonly name: string;
  readonly args: { readonly text?: string };
  /** Sends progress to whoever called. */
  readonly tell: (progress: number) => void;
}

/** A server at an address, with tools that misbehave. */
export async function httpUpstream(speech: Speech): Promise<HttpUpstream> {
  const log: string[] = [];
  const sessions = new Set<string>();
  let refusal: number | null = null;
  let count = 0;
  /** Undefined: there is no answer. */
  const answerOf = async ({ name, args, tell }: Called): Promise<object | undefined> => {
    log.push(`call ${name}`);
    const said = (value: unknown) => ({ result: { content: [{ type: 'text', text: String(value) }] } });
    if (name === 'echo' || name === 'write' || name === 'region') return said(args.text ?? '');
    if (name === 'count') return said(++count);
    if (name === 'token') return said(`You sent ${issuer?.current().access_token}.`);
    if (name === 'refuse') return { error: { code: -32_602, message: 'no such thing' } };
    if (name === 'ask') return { error: { code: -32_021, message: 'sampling is needed' } };
    if (name !== 'progress') return undefined;
    for (const progress of [1, 2, 3]) {
      tell(progress);
      // A notification that comes with the answer is dropped by the library.
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    return said('done');
  };
  const handle = { streamable, sse, modern }[speech];
  let issuer: StrictIssuer | undefined;
  const server = createServer((request, response) => {
    if (issuer?.answers(request, response) === true) return;
    if (refusal !== null) return void response.writeHead(refusal).end();
    handle(request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));

  const tools = () => ({ result: { tools: TOOLS } });
  const hello = ({ params }: Message) => ({
    result: {
      protocolVersion: params?.protocolVersion,
      capabilities: { tools: {} },
      serverInfo: { name: 'remote', version: '1' },
    },
  });
  /** Of the tools that are hanging, by the id of their call. */
  const hanging = new Map<string, string>();
  const cancel = (session: string, id: unknown) => {
    const name = hanging.get(`${session} ${String(id)}`);
    if (name !== undefined) log.push(`cancelled ${name}`);
  };

  async function streamable(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const session = String(request.headers['mcp-session-id'] ?? '');
    if (request.method === 'DELETE') {
      if (sessions.delete(session)) log.push('deleted');
      return void response.writeHead(200).end();
    }
    if (request.method !== 'POST') return void response.writeHead(405).end();
    const message = await bodyOf(request);
    const { id, method, params = {} } = message;
    const json = (body: object, headers = {}) =>
      response
        .writeHead(200, { 'Content-Type': 'application/json', ...headers })
        .end(JSON.stringify({ jsonrpc: '2.0', id, ...body }));
    if (method === 'initialize') {
      const opened = randomUUID();
      sessions.add(opened);
      log.push('session');
      return void json(hello(message), { 'Mcp-Session-Id': opened });
    }
    if (!sessions.has(session)) return void response.writeHead(404).end('Session not found');
    if (method === 'notifications/cancelled') cancel(session, params.requestId);
    if (id === undefined) return void response.writeHead(202).end();
    if (method === 'tools/list') return void json(tools());
    if (method !== 'tools/call') return void json({ error: { code: -32_601, message: 'unknown method' } });
    const { name = '', arguments: args = {}, _meta } = params;
    const send = (part: object) => response.write(`data: ${JSON.stringify({ jsonrpc: '2.0', ...part })}\n\n`);
    const progressToken = _meta?.progressToken;
    const tell = (progress: number) => send({ method: 'notifications/progress', params: { progressToken, progress } });
    if (name.startsWith('reset')) {
      log.push(`call ${name}`);
      return void request.socket.destroy();
    }
    response.writeHead(200, { 'Content-Type': 'text/event-stream' });
    response.flushHeaders();
    if (name === 'hang') hanging.set(`${session} ${id}`, name);
    const answer = await answerOf({ name, args, tell });
    if (answer !== undefined) send({ id, ...answer });
    if (name !== 'hang') response.end();
  }

  async function sse(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://127.0.0.1');
    if (request.method === 'GET') {
      const session = randomUUID();
      log.push('session');
      streams.set(session, response);
      response.on('close', () => streams.delete(session));
      response.writeHead(200, { 'Content-Type': 'text/event-stream' });
      return void response.write(`event: endpoint\ndata: /messages?session=${session}\n\n`);
    }
    if (request.method !== 'POST' || pathname !== '/messages') return void response.writeHead(405).end();
    const session = searchParams.get('session') ?? '';
    const stream = streams.get(session);
    if (stream === undefined) return void response.writeHead(404).end('Session not found');
    const message = await bodyOf(request);
    const { id, method, params = {} } = message;
    const send = (part: object) =>
      stream.write(`event: message\ndata: ${JSON.stringify({ jsonrpc: '2.0', ...part })}\n\n`);
    const { name = '', arguments: args = {}, _meta } = params;
    if (method === 'notifications/cancelled') cancel(session, params.requestId);
    if (name.startsWith('reset')) {
      log.push(`call ${name}`);
      return void request.socket.destroy();
    }
    response.writeHead(202).end();
    if (id === undefined) return;
    if (method === 'initialize') return void send({ id, ...hello(message) });
    if (method === 'tools/list') return void send({ id, ...tools() });
    if (method !== 'tools/call') return void send({ id, error: { code: -32_601, message: 'unknown method' } });
    const progressToken = _meta?.progressToken;
    const tell = (progress: number) => send({ method: 'notifications/progress', params: { progressToken, progress } });
    if (name === 'hang') hanging.set(`${session} ${id}`, name);
    const answer = await answerOf({ name, args, tell });
    if (answer !== undefined) send({ id, ...answer });
    if (name.startsWith('drop')) stream.end();
  }
  const streams = new Map<string, ServerResponse>();

  const library = createMcpHandler(() => {
    const made = new McpServer({ name: 'remote', version: '1' });
    for (const { name, description, inputSchema, annotations } of TOOLS) {
      const schema = { input: () => inputSchema, output: () => inputSchema };
      const validate = (value: unknown) => ({ value });
      const input = { '~standard': { version: 1 as const, vendor: 'test', validate, jsonSchema: schema } };
      made.registerTool(name, { description, annotations, inputSchema: input as never }, (async (
        args: { text?: string },
        { mcpReq }: { mcpReq: { signal: AbortSignal; _meta?: object; notify: (message: object) => Promise<void> } },
      ) => {
        const { progressToken } = (mcpReq._meta ?? {}) as { progressToken?: number };
        const tell = (progress: number) =>
          void mcpReq.notify({ method: 'notifications/progress', params: { progressToken, progress } });
        const answer = (await answerOf({ name, args, tell })) as { result: object } | undefined;
        if (answer !== undefined) return answer.result;
        mcpReq.signal.addEventListener('abort', () => log.push(`cancelled ${name}`));
        return new Promise(() => {});
      }) as never);
    }
    return made;
  });

  async function modern(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const message = request.method === 'POST' ? await bodyOf(request) : undefined;
    const name = message?.method === 'tools/call' ? (message.params?.name ?? '') : '';
    if (message?.method === 'server/discover') log.push('session');
    if (name === 'region') {
      const { region } = (message?.params?.arguments ?? {}) as { readonly region?: string };
      log.push(`region ${region} ${request.headers['mcp-param-region']}`);
    }
    if (name === 'refuse' || name === 'ask') {
      const answer = await answerOf({ name, args: {}, tell: () => {} });
      response.writeHead(200, { 'Content-Type': 'application/json' });
      return void response.end(JSON.stringify({ jsonrpc: '2.0', id: message?.id, ...answer }));
    }
    if (/^(reset|drop)/.test(name)) {
      log.push(`call ${name}`);
      if (name.startsWith('reset')) return void request.socket.destroy();
      return void response.writeHead(200, { 'Content-Type': 'text/event-stream' }).end(': bye\n\n');
    }
    const left = new AbortController();
    response.on('close', () => left.abort());
    const asked = new Request(`http://127.0.0.1${request.url}`, {
      method: request.method!,
      headers: Object.entries(request.headers) as [string, string][],
      signal: left.signal,
      ...(message === undefined ? {} : { body: JSON.stringify(message) }),
    });
    const answer = await library.fetch(asked);
    response.writeHead(answer.status, Object.fromEntries(answer.headers));
    response.flushHeaders();
    if (answer.body !== null) for await (const chunk of answer.body) response.write(chunk);
    response.end();
  }

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/${speech}`,
    log,
    forget() {
      sessions.clear();
      for (const stream of streams.values()) stream.end();
      streams.clear();
    },
    refuse(status) {
      refusal = status;
    },
    requireSignIn() {
      issuer = strictIssuer(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
      return issuer;
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function bodyOf(request: IncomingMessage): Promise<Message> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return JSON.parse(Buffer.concat(chunks).toString()) as Message;
}
