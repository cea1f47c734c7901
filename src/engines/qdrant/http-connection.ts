import { Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';

export interface HttpAnswer {
  readonly status: number;
  readonly text: string;
}

export interface HttpQuestion {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
  readonly timeoutMs: number;
}

/** Errors of a request over a connection that the server has closed. */
const CLOSED: ReadonlySet<string> = new Set(['ECONNRESET', 'EPIPE']);

/** No answer came. */
export class NoAnswer extends Error {
  /** The server had closed the connection before it got anything: it closes idle ones. */
  readonly isStale: boolean;
  readonly isTimeout: boolean;

  constructor(message: string, { isStale = false, isTimeout = false, cause }: Partial<NoAnswer>) {
    super(message, { cause });
    this.isStale = isStale;
    this.isTimeout = isTimeout;
  }
}

/**
 * Connections to one server, kept for the next request. Not `fetch`: it sends headers and body apart, and the body then
 * waits 40 ms for the server to confirm the headers.
 */
export class HttpConnection {
  readonly #url: string;
  readonly #isTls: boolean;
  readonly #agent: HttpAgent;

  constructor(url: string) {
    this.#url = url;
    this.#isTls = url.startsWith('https:');
    this.#agent = this.#isTls ? new HttpsAgent({ keepAlive: true }) : new HttpAgent({ keepAlive: true });
  }

  /** Rejects with NoAnswer. */
  send(path: string, { method, headers, body, timeoutMs }: HttpQuestion): Promise<HttpAnswer> {
    const length = body === null ? {} : { 'content-length': String(Buffer.byteLength(body)) };
    const options = { agent: this.#agent, method, headers: { ...headers, ...length } };
    return new Promise((resolve, reject) => {
      const send = this.#isTls ? httpsRequest : httpRequest;
      const request = send(`${this.#url}${path}`, options, (response) => {
        readText(response).then(
          (text) => resolve({ status: response.statusCode ?? 0, text }),
          // The request has ended by then, and says nothing of it.
          (error: NodeJS.ErrnoException) => reject(toNoAnswer(error, false)),
        );
      });
      // An answer that came while this process was busy is read before the time is up.
      const timer = setTimeout(() => setImmediate(() => setImmediate(giveUp)), timeoutMs);
      const giveUp = () => request.destroy(new NoAnswer('it did not answer in time', { isTimeout: true }));
      request.on('error', (error: NodeJS.ErrnoException) => {
        const isStale = request.reusedSocket && CLOSED.has(error.code ?? '');
        if (isStale) this.#closeIdle();
        reject(toNoAnswer(error, isStale));
      });
      request.on('close', () => clearTimeout(timer));
      request.end(body ?? undefined);
    });
  }

  /** A server that closed one idle connection has closed the others too. Without them the next request opens a new one. */
  #closeIdle(): void {
    for (const sockets of Object.values(this.#agent.freeSockets)) for (const socket of sockets ?? []) socket.destroy();
  }

  close(): void {
    this.#agent.destroy();
  }
}

function toNoAnswer(error: NodeJS.ErrnoException, isStale: boolean): NoAnswer {
  return error instanceof NoAnswer ? error : new NoAnswer(error.code ?? error.message, { isStale, cause: error });
}

async function readText(response: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of response) parts.push(part as Buffer);
  return Buffer.concat(parts).toString('utf8');
}
