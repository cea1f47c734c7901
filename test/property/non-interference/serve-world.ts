import type { Access } from '../../../src/access/open-access.ts';
import { parseSettings } from '../../../src/config.ts';
import { createApp } from '../../../src/http/app.ts';
import type { AppOptions } from '../../../src/http/context/app-options.ts';
import { serverLoad } from '../../../src/http/load/server-load.ts';
import type { MemoryService } from '../../../src/memories/create-memories.ts';
import type { Caller } from '../../../src/model/caller/caller.ts';
import { entityId } from '../../../src/model/entity.ts';
import type { LocalRegistry } from '../../../src/registry/contract/registry.ts';

/** Sends a request. The answer has what a client sees of it. */
export type Ask = (
  method: string,
  path: string,
  body?: unknown,
  headers?: Readonly<Record<string, string>>,
) => Promise<unknown>;

/** Headers that say something about the registry. */
const SEEN_HEADERS = ['etag', 'link', 'retry-after', 'www-authenticate', 'content-type', 'dowser-revision', 'location'];

/** A server with access on, to which every request comes from this caller. */
export function serveWorld(all: LocalRegistry, memories: MemoryService, caller: Caller): Ask {
  const isPossible = caller.readers?.includes('public') === true;
  const app = createApp({
    version: '0',
    logger: { info() {}, warn() {}, error() {} },
    load: serverLoad(parseSettings({})),
    logQueryText: false,
    loopbackOnly: true,
    ...(isPossible ? accessFor(all, memories, caller) : scopedTo(all, memories, caller)),
  });
  return async (method, path, body, more = {}) => {
    const headers = {
      host: '127.0.0.1',
      authorization: 'Bearer any',
      accept: 'application/json, text/event-stream',
      'content-type': 'application/json',
      ...more,
    };
    const init = body === undefined ? { method, headers } : { method, headers, body: JSON.stringify(body) };
    const response = await app.request(`http://127.0.0.1${path}`, init);
    const text = await response.text();
    const seen = SEEN_HEADERS.map((name) => response.headers.get(name));
    return { status: response.status, seen, body: parsed(text) };
  };
}

type Served = Pick<AppOptions, 'registry' | 'openMemories' | 'access'>;

function accessFor(registry: LocalRegistry, memories: MemoryService, caller: Caller): Served {
  const access: Access = {
    required: true,
    anonymousRead: false,
    issuer: null,
    webSignIn: null,
    trail: null,
    identify: async () => caller,
    readAudit: async () => [],
    close() {},
  };
  return { registry, openMemories: () => memories, access };
}

/** Routes of standards show what is public, which this caller does not see elsewhere. So here every surface asks as the caller. */
function scopedTo(all: LocalRegistry, service: MemoryService, caller: Caller): Served {
  const registry = all.as(caller);
  const memories = service.as(caller);
  return {
    registry: {
      ...registry,
      as: () => registry,
      changes: all.changes,
      follow: (key, toValue) => ({
        read: async () => {
          const notes = await registry.annotated('document', key);
          return new Map(Array.from(notes, ([path, note]) => [entityId('document', path), toValue(note)]));
        },
      }),
      callLimit: all.callLimit,
      watchSearches: all.watchSearches,
      watchCalls: all.watchCalls,
      watchWrites: all.watchWrites,
      embeddingCache: all.embeddingCache,
      damage: () => null,
      replica: null,
      vectorServer: null,
      close: async () => {},
    },
    openMemories: () => ({ ...service, ...memories, as: () => memories, follow: () => service.follow(caller) }),
  };
}

/** An answer as JSON, so that volatile fields are found in it; `server` of a health report is the load of the process. */
function parsed(text: string): unknown {
  try {
    const value = JSON.parse(text.replace(/^[\s\S]*?\bdata: (?=\{)/, '')) as Record<string, unknown>;
    if (Array.isArray(value)) return value;
    const { server: _, ...body } = value;
    return body;
  } catch {
    return text;
  }
}
