import { type CalledMethod, REGISTRY_CALLS } from '../api/calls/registry-calls.ts';
import { MAX_LISTED_TAGS } from '../api/routes/routes.ts';
import { allRecords } from '../api/wire/all-records.ts';
import { DowserError } from '../model/errors/errors.ts';
import type { JsonObject } from '../model/json/json-object.ts';
import type { Health, ReindexProgress } from '../registry/contract/answers.ts';
import type { ReindexOptions } from '../registry/contract/maintenance.ts';
import type { Registry } from '../registry/contract/registry.ts';
import { knownCode } from './answer-errors.ts';
import type { CallOptions, Client } from './client.ts';
import { SLOW_CALL } from './deadline.ts';

/** How often to ask a server for its progress. */
const WATCH_MS = 500;

type AnyCall = (request: unknown, options?: CallOptions) => Promise<unknown>;

/** The registry of a server, with the methods, answers and errors of a local one. Made from `REGISTRY_CALLS`. */
export function remoteRegistry(client: Client): Registry {
  const methods = Object.entries(REGISTRY_CALLS).map(([method, call]) => {
    const send = client[call.operation] as AnyCall;
    const toRequest = call.toRequest as (...args: readonly unknown[]) => unknown;
    const ask = async (...args: readonly unknown[]) => {
      const answer = await send(toRequest(...args), 'slow' in call ? SLOW_CALL : {});
      if ('own' in call) return pick(answer as JsonObject, call.own);
      return 'field' in call ? (answer as JsonObject)[call.field] : answer;
    };
    return [method, ask];
  });
  const called: Pick<Registry, CalledMethod> = Object.fromEntries(methods);

  /** Polls the server until the work is done, the signal aborts or its model is down. */
  async function watch(progressOf: (health: Health) => ReindexProgress | null, { signal, onProgress }: ReindexOptions) {
    for (;;) {
      const health = await called.health();
      const progress = progressOf(health);
      const { state } = health.embedder;
      if (progress === null || state === 'down' || state === 'off' || signal?.aborted === true) return health;
      onProgress?.(progress);
      await new Promise((resolve) => setTimeout(resolve, WATCH_MS));
    }
  }

  return {
    ...called,
    call: (request, { signal } = {}) =>
      client.callTool(
        REGISTRY_CALLS.call.toRequest(request),
        signal === undefined ? SLOW_CALL : { ...SLOW_CALL, signal },
      ),
    all: (types) => allRecords(called, types),
    tags: async () => (await client.searchTags({ query: { limit: MAX_LISTED_TAGS } })).counts,
    async embedPending(options = {}) {
      let total = 0;
      const health = await watch((seen) => {
        const left = missingIn(seen);
        total = Math.max(total, left);
        return left === 0 ? null : { done: total - left, total };
      }, options);
      const remaining = missingIn(health);
      return { embedded: total - remaining, remaining };
    },
    async reindex(target, options = {}) {
      const { signal } = options;
      const call = signal === undefined ? SLOW_CALL : { ...SLOW_CALL, signal };
      const answer = await client.reindex({ body: target }, call);
      if (!('started' in answer)) {
        const { entities, vectors, not_found } = answer;
        return { entities, vectors, not_found };
      }
      const { index, embedder } = await watch(runningIn, options);
      signal?.throwIfAborted();
      const { failed } = embedder.reindexing ?? {};
      if (failed !== undefined) throw new DowserError(knownCode(failed.code, 500), failed.message);
      if (embedder.reindexing !== undefined)
        throw new DowserError('EMBEDDER_UNAVAILABLE', embedder.error ?? 'The model of the server is down.');
      return { entities: index.entities, vectors: index.vectors, not_found: [] };
    },
  };
}

const pick = (from: JsonObject, keys: readonly string[]): JsonObject =>
  Object.fromEntries(keys.map((key) => [key, from[key]]));

/** Null once it has ended, or failed. */
function runningIn({ embedder: { reindexing } }: Health): ReindexProgress | null {
  return reindexing === undefined || reindexing.failed !== undefined ? null : reindexing;
}

/** While the model is being changed, those of the new one. */
function missingIn({ index, embedder: { building } }: Health): number {
  return building === undefined ? index.missing_vectors : building.total - building.done;
}
