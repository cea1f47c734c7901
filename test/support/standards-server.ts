import { once } from 'node:events';
import { request as httpRequest } from 'node:http';
import { parseSettings } from '../../src/config.ts';
import { startServer } from '../../src/http/server.ts';
import type { LocalRegistry } from '../../src/registry/contract/registry.ts';
import { memoryRegistry } from './memory-registry.ts';

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: what came over the wire, whatever it is.
  readonly json: any;
}

export interface TestServer {
  readonly url: string;
  readonly host: string;
  readonly registry: LocalRegistry;
  readonly get: (path: string, headers?: Record<string, string>, method?: string) => Promise<Answer>;
  readonly post: (path: string, body: unknown) => Promise<Answer>;
  /** The request target as it is: no client in between that tidies it up. */
  readonly raw: (target: string) => Promise<{ readonly status: number; readonly text: string }>;
  readonly close: () => Promise<void>;
}

/** A real server on a free port of this machine, over a registry in memory. */
export async function standardsServer(
  entities: readonly unknown[] = [],
  settings: Record<string, unknown> = {},
  wrap: (registry: LocalRegistry) => LocalRegistry = (registry) => registry,
): Promise<TestServer> {
  const registry = wrap(await memoryRegistry());
  if (entities.length > 0) await registry.putMany(entities);
  const logger = { info() {}, warn() {}, error() {} };
  const server = await startServer({
    registry,
    version: '1.2.3',
    logger,
    settings: parseSettings({ port: 0, open_access: true, ...settings }),
  });
  const send = async (path: string, init: RequestInit): Promise<Answer> => {
    const response = await fetch(`${server.url}${path}`, init);
    const text = await response.text();
    const json =
      text !== '' && response.headers.get('content-type')?.includes('json') === true ? JSON.parse(text) : undefined;
    return { status: response.status, headers: response.headers, text, json };
  };
  return {
    url: server.url,
    host: new URL(server.url).hostname,
    registry,
    get: (path, headers = {}, method = 'GET') => send(path, { method, headers }),
    post: (path, body) =>
      send(path, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: typeof body === 'string' ? body : JSON.stringify(body),
      }),
    async raw(target) {
      const request = httpRequest({ host: '127.0.0.1', port: server.port, path: target });
      request.end();
      const [response] = await once(request, 'response');
      let text = '';
      for await (const part of response) text += part;
      return { status: response.statusCode, text };
    },
    close: () => server.close(),
  };
}
