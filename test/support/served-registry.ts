import { parseSettings } from '../../src/config.ts';
import { startServer } from '../../src/http/server.ts';
import type { ErrorBody } from '../../src/model/errors/errors.ts';
import { type OpenOptions, openRegistry } from '../../src/open.ts';

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  // Tests look into answers of many shapes.
  // biome-ignore lint/suspicious/noExplicitAny: the shape is what is tested
  readonly json: any;
  readonly error: ErrorBody['error'] | undefined;
}

/** A registry that keeps nothing, behind a real server on a free port. */
export async function serveRegistry(options: OpenOptions = {}, settings: Record<string, unknown> = {}) {
  // Tests call only loopback addresses: a test of discovery turns it on.
  const all = { engine: 'memory', port: 0, tool_discovery: false, ...settings };
  const quiet = options.embedder === undefined ? { ...all, embeddings_provider: 'off' } : all;
  const registry = await openRegistry(quiet, options);
  const server = await startServer({
    registry,
    version: '0',
    logger: { info() {}, warn() {}, error() {} },
    settings: parseSettings(quiet),
  });

  async function ask(method: string, path: string, init: RequestInit = {}): Promise<Answer> {
    const response = await fetch(server.url + path, { method, ...init });
    const text = await response.text();
    const json: unknown = text === '' ? undefined : JSON.parse(text);
    return { status: response.status, headers: response.headers, json, error: (json as Partial<ErrorBody>)?.error };
  }

  return {
    url: server.url,
    registry,
    ask,
    /** With a JSON body. */
    send: (method: string, path: string, body?: unknown) =>
      ask(
        method,
        path,
        body === undefined ? {} : { headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) },
      ),
    /** With a form. */
    form: (path: string, fields: Record<string, string>) => ask('POST', path, { body: new URLSearchParams(fields) }),
    close: () => server.close(),
  };
}

export type ServedRegistry = Awaited<ReturnType<typeof serveRegistry>>;
