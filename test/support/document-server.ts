import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Answer {
  readonly status?: number;
  readonly type?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: unknown;
}

/** A site of documents on a local port. What it does not have is 404; every request is kept to be looked at. */
export class DocumentServer {
  readonly requests: { readonly url: string; readonly headers: IncomingHttpHeaders }[] = [];
  readonly #server: Server;
  #answer: (url: URL) => Answer | undefined;

  private constructor(answer: (url: URL) => Answer | undefined) {
    this.#answer = answer;
    this.#server = createServer((request, response) => {
      this.requests.push({ url: request.url ?? '', headers: request.headers });
      const found = this.#answer(new URL(request.url ?? '', this.url)) ?? { status: 404, body: 'Not found' };
      const text = typeof found.body === 'string' ? found.body : JSON.stringify(found.body);
      const type = found.type ?? (typeof found.body === 'string' ? 'text/plain' : 'application/json');
      response.writeHead(found.status ?? 200, { 'Content-Type': type, ...found.headers });
      response.end(text);
    });
  }

  static async open(answer: (url: URL) => Answer | undefined = () => undefined): Promise<DocumentServer> {
    const site = new DocumentServer(answer);
    await new Promise<void>((resolve) => site.#server.listen(0, '127.0.0.1', resolve));
    return site;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** From now on. */
  answer(answer: (url: URL) => Answer | undefined): void {
    this.#answer = answer;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}
