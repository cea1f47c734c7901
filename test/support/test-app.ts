import { parseSettings } from '../../src/config.ts';
import { createApp } from '../../src/http/app.ts';
import type { AppOptions } from '../../src/http/context/app-options.ts';
import { serverLoad } from '../../src/http/load/server-load.ts';
import type { ErrorBody } from '../../src/model/errors/errors.ts';
import type { LocalRegistry } from '../../src/registry/contract/registry.ts';
import { memoryRegistry } from './memory-registry.ts';

interface Line {
  readonly level: string;
  readonly facts: Record<string, unknown>;
}

/** The server without a port over an empty registry, with the lines of its log. */
export async function appWith(overrides: Partial<LocalRegistry> = {}, options: Partial<AppOptions> = {}) {
  const registry = await memoryRegistry(overrides);
  const lines: Line[] = [];
  const write = (level: string) => (facts: object) => void lines.push({ level, facts: facts as Line['facts'] });
  const app = createApp({
    registry,
    version: '1.2.3',
    logger: { info: write('info'), warn: write('warn'), error: write('error') },
    load: serverLoad({ ...parseSettings({}), body_limit_bytes: 1000 }),
    logQueryText: false,
    loopbackOnly: false,
    remoteWrites: true,
    allowedHosts: ['box.test'],
    ...options,
  });
  const send = async (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) => {
    const isRaw = body === undefined || typeof body === 'string' || body instanceof Uint8Array;
    const text = isRaw ? (body as string | Uint8Array<ArrayBuffer> | undefined) : JSON.stringify(body);
    const all = new Headers({
      Host: 'localhost',
      ...(typeof text === 'string' ? { 'Content-Type': 'application/json' } : {}),
    });
    for (const [name, value] of Object.entries(headers)) all.set(name, value);
    const response = await app.request(`http://localhost${path}`, {
      method,
      headers: all,
      ...(text === undefined ? {} : { body: text }),
    });
    const answer = await response.text();
    const isJson = answer !== '' && response.headers.get('content-type')?.includes('json') === true;
    const json = isJson ? JSON.parse(answer) : undefined;
    return { response, status: response.status, text: answer, json, error: (json as ErrorBody | undefined)?.error };
  };
  return { send, lines };
}
