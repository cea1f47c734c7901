import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface RerankRequest {
  readonly path: string;
  readonly authorization: string | undefined;
  readonly body: { readonly model?: string; readonly query: string; readonly documents: readonly string[] };
}

export interface FakeRerankServer {
  /** The address that ends in `/v1`. */
  readonly base: string;
  readonly requests: RerankRequest[];
  /** What it answers: JSON, a status with a text, or null to never answer. */
  answer: (request: RerankRequest) => unknown;
  close(): Promise<void>;
}

/** A refusal, for `answer`. */
export class Refusal {
  readonly status: number;
  readonly text: string;

  constructor(status: number, text: string) {
    this.status = status;
    this.text = text;
  }
}

/** Prefers the texts that have this word, as Cohere and Jina answer: best first, with shares. */
export const preferring =
  (word: string) =>
  ({ body }: RerankRequest) => ({
    results: body.documents
      .map((text, index) => ({ index, relevance_score: text.includes(word) ? 0.99 : 0.01 }))
      .sort((a, b) => b.relevance_score - a.relevance_score),
  });

export async function startFakeRerankServer(): Promise<FakeRerankServer> {
  const requests: RerankRequest[] = [];
  const server = createServer(async (request, response) => {
    let text = '';
    for await (const part of request) text += part;
    const { authorization } = request.headers;
    const asked: RerankRequest = { path: request.url ?? '', authorization, body: JSON.parse(text) };
    requests.push(asked);
    const said = fake.answer(asked);
    if (said === null) return;
    if (said instanceof Refusal) response.writeHead(said.status).end(said.text);
    else response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(said));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const fake: FakeRerankServer = {
    base: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    requests,
    answer: preferring('nothing'),
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
  return fake;
}
