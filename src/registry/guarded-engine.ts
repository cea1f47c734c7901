import type { Engine } from '../engines/engine.ts';
import { DowserError } from '../model/errors.ts';

/**
 * The engine as the registry uses it: reads fail only with errors that have a code. Any other failure of a read becomes
 * ENGINE_UNAVAILABLE, never an empty answer. A bug in a write stays a bug: it must not be retried.
 */
export function guardEngine(engine: Engine): Engine {
  const { name, store, index, vectors, edges, replica, vectorServer } = engine;
  return {
    name,
    store: {
      put: (batch, also) => store.put(batch, also),
      delete: (ids) => store.delete(ids),
      getMany: (ids) => read(() => store.getMany(ids)),
      scan: (query) => read(() => store.scan(query)),
      annotate: (annotations) => store.annotate(annotations),
      annotationsOf: (ids) => read(() => store.annotationsOf(ids)),
      annotated: (key) => read(() => store.annotated(key)),
      changes: (since) => store.changes(since),
      inTurn: (work) => store.inTurn(work),
    },
    index: {
      retrieve: (query) => read(() => index.retrieve(query)),
      stats: (embedder, readers) => read(() => index.stats(embedder, readers)),
    },
    vectors: {
      get embedder() {
        return vectors.embedder;
      },
      get building() {
        return vectors.building;
      },
      missing: (limit, entities, embedder) => read(() => vectors.missing(limit, entities, embedder)),
      missingIds: (entities) => read(() => vectors.missingIds(entities)),
      put: (made, embedder) => vectors.put(made, embedder),
      build: (embedder) => vectors.build(embedder),
      serveBuilding: (embedder) => vectors.serveBuilding(embedder),
      stale: (limit, entities) => read(() => vectors.stale(limit, entities)),
      dropStale: (limit, entities) => vectors.dropStale(limit, entities),
    },
    edges: {
      put: (batch) => edges.put(batch),
      delete: (which) => edges.delete(which),
      load: () => read(() => edges.load()),
      watch: (listener) => edges.watch(listener),
    },
    replica,
    vectorServer,
    close: () => engine.close(),
  };
}

/** Handles errors that are thrown at once and promises that reject. */
function read<T>(ask: () => Promise<T>): Promise<T> {
  try {
    return ask().catch(fail);
  } catch (thrown) {
    return Promise.reject(thrown).catch(fail);
  }
}

function fail(thrown: unknown): never {
  if (thrown instanceof DowserError) throw thrown;
  throw new DowserError('ENGINE_UNAVAILABLE', 'The search engine could not answer.', {
    hint: 'Try again; the log of the server or of the command has the details.',
    cause: thrown,
  });
}
