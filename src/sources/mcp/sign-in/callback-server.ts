import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { DowserError } from '../../../model/errors/errors.ts';

export interface CallbackServer {
  /** The redirect address. */
  readonly url: string;
  /** The parameters of the first redirect with this state. */
  parameters(state: string, signal: AbortSignal): Promise<URLSearchParams>;
  close(): Promise<void>;
}

const PAGE_HEADERS = {
  'Content-Type': 'text/html; charset=utf-8',
  'Content-Security-Policy': "default-src 'none'",
  'Cache-Control': 'no-store',
  Connection: 'close',
};
const page = (text: string) => `<!doctype html><title>Dowser</title><p>${text}</p>\n`;

/** Receives the redirect of a browser on this machine, and nothing else. */
export async function openCallbackServer(port: number): Promise<CallbackServer> {
  let expected: string | undefined;
  let receive: (parameters: URLSearchParams) => void = () => {};
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://127.0.0.1');
    if (request.method !== 'GET' || url.pathname !== '/callback') {
      response.writeHead(404, PAGE_HEADERS).end(page('Not found.'));
      return;
    }
    // Another page of the browser could send a code of its own.
    if (expected === undefined || url.searchParams.get('state') !== expected) {
      response.writeHead(400, PAGE_HEADERS).end(page('This is not the sign-in that Dowser waits for.'));
      return;
    }
    const text = url.searchParams.has('code') ? 'Return to the terminal. You may close this page.' : 'Not signed in.';
    response.writeHead(200, PAGE_HEADERS).end(page(text));
    receive(url.searchParams);
  });
  await listen(server, port);
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/callback`,
    parameters(state, signal) {
      return new Promise((resolve, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason), { once: true });
        expected = state;
        receive = resolve;
      });
    },
    async close() {
      const closed = new Promise((resolve) => server.close(resolve));
      // A browser may keep a connection open that it never uses.
      server.closeAllConnections();
      await closed;
    },
  };
}

function listen(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (cause: NodeJS.ErrnoException) => {
      reject(
        new DowserError('INVALID_REQUEST', `Cannot listen on port ${port} (${cause.code ?? cause.message}).`, {
          cause,
        }),
      );
    });
    server.listen(port, '127.0.0.1', resolve);
  });
}
