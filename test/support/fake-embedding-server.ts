import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface EmbeddingRequest {
  readonly path: string;
  readonly authorization: string | undefined;
  readonly body: { input: string[]; model: string; dimensions?: number; encoding_format?: string };
}

/** How to answer one request. `undefined` is a success in the OpenAI format. */
export type FakeAnswer =
  | undefined
  | 'hang'
  | { readonly status?: number; readonly headers?: Readonly<Record<string, string>>; readonly body: string }
  | ((request: EmbeddingRequest) => unknown);

export interface FakeEmbeddingServer {
  readonly base: string;
  readonly requests: EmbeddingRequest[];
  /** Answers for the next requests, in order; after them every request succeeds. */
  answer(...answers: readonly FakeAnswer[]): void;
  /** Answer for every request without one of its own. */
  otherwise(answer: FakeAnswer): void;
  close(): Promise<void>;
}

/** A vector that depends on the text alone: the counts of its letters, and one more so that it is never zero. */
export function fakeVector(text: string, dimensions: number): number[] {
  const vector = new Array<number>(dimensions).fill(0);
  vector[0] = 1;
  for (const char of text) vector[char.codePointAt(0)! % dimensions]! += 1;
  return vector;
}

/** The numbers of a list of vectors as an endpoint sends them: not normalized, with their indexes. */
export function fakeSuccess(
  request: EmbeddingRequest,
  dimensions: number,
): { data: { index: number; embedding: number[] }[] } {
  return { data: request.body.input.map((text, index) => ({ index, embedding: fakeVector(text, dimensions) })) };
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  return Buffer.concat(parts).toString('utf8');
}

/** An embedding endpoint on a port of its own, for tests over real HTTP. */
export async function startFakeEmbeddingServer(dimensions = 4): Promise<FakeEmbeddingServer> {
  const requests: EmbeddingRequest[] = [];
  const queue: FakeAnswer[] = [];
  let usual: FakeAnswer;
  const server = createServer(async (incoming, response) => {
    const request: EmbeddingRequest = {
      path: incoming.url ?? '',
      authorization: incoming.headers.authorization,
      body: JSON.parse(await bodyOf(incoming)),
    };
    requests.push(request);
    const answer = queue.length > 0 ? queue.shift() : usual;
    if (answer === 'hang') return;
    if (answer === undefined || typeof answer === 'function') {
      const body = answer === undefined ? fakeSuccess(request, dimensions) : answer(request);
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify(body));
    } else {
      response.writeHead(answer.status ?? 200, { 'content-type': 'application/json', ...answer.headers });
      response.end(answer.body);
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    base: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    requests,
    answer: (...answers) => void queue.push(...answers),
    otherwise: (answer) => {
      usual = answer;
    },
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}
