import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface ChatCall {
  readonly path: string;
  readonly authorization: string | undefined;
  readonly body: { model: string; stream: boolean; messages: { role: string; content: string }[] };
}

/** How the server answers: a function that writes to the response, and may leave it open. */
export type ChatReply = (response: ServerResponse, call: ChatCall) => void;

export interface FakeChatServer {
  readonly base: string;
  readonly calls: ChatCall[];
  reply: ChatReply;
  close(): Promise<void>;
}

const delta = (text: string) => `data: ${JSON.stringify({ choices: [{ delta: { content: text } }] })}\n\n`;

/** The parts of an answer as events. */
export const streaming =
  (...parts: readonly string[]): ChatReply =>
  (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' });
    for (const part of parts) response.write(delta(part));
    response.end('data: [DONE]\n\n');
  };

/** The start of an answer, and then whatever `then` does. */
export const startingWith =
  (part: string, then: (response: ServerResponse) => void): ChatReply =>
  (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(delta(part), () => then(response));
  };

export const replying =
  (status: number, body: string, type = 'application/json'): ChatReply =>
  (response) =>
    void response.writeHead(status, { 'content-type': type }).end(body);

/** A chat endpoint on a port of its own, for tests over real HTTP. */
export async function startFakeChatServer(): Promise<FakeChatServer> {
  const calls: ChatCall[] = [];
  const server = createServer(async (request, response) => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    const body = JSON.parse(Buffer.concat(parts).toString('utf8'));
    const call: ChatCall = { path: request.url ?? '', authorization: request.headers.authorization, body };
    calls.push(call);
    fake.reply(response, call);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const fake: FakeChatServer = {
    base: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    calls,
    reply: streaming('Hello.'),
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return fake;
}
