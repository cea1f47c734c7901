import type { Engine } from '../engines/engine.ts';
import { DowserError } from '../model/errors/errors.ts';

/** An engine that remembers that its store is damaged. */
export interface GuardedEngine extends Engine {
  /** The first STORE_CORRUPT that any call met. From then on, nothing is written. */
  readonly damage: DowserError | null;
  /** STORE_FULL of the last write, if that failed for want of space. */
  readonly full: DowserError | null;
}

/**
 * The engine as the registry uses it: reads fail only with errors that have a code. Any other failure of a read becomes
 * ENGINE_UNAVAILABLE, never an empty answer. A bug in a write stays a bug: it must not be retried. `openedFull`: the disk was full
 * when the store was opened, so that it is only read.
 */
export function guardEngine(engine: Engine, openedFull: DowserError | null = null): GuardedEngine {
  const { name, store, index, vectors, edges, replica, vectorServer } = engine;
  let damage: DowserError | null = null;
  let full = openedFull;
  const note = (thrown: unknown): never => {
    if (damage === null && thrown instanceof DowserError && thrown.code === 'STORE_CORRUPT') damage = thrown;
    throw thrown;
  };
  /** Handles errors that are thrown at once and promises that reject. */
  function read<T>(ask: () => Promise<T>): Promise<T> {
    try {
      return ask().catch(fail).catch(note);
    } catch (thrown) {
      return Promise.reject(thrown).catch(fail).catch(note);
    }
  }
  /** What is written to a damaged store may be lost with it. */
  function write<T>(ask: () => Promise<T>): Promise<T> {
    const refusal = damage ?? openedFull;
    if (refusal !== null) return Promise.reject(refusal);
    return ask().then(
      (result) => {
        full = null;
        return result;
      },
      (thrown) => {
        if (thrown instanceof DowserError && thrown.code === 'STORE_FULL') full = thrown;
        return note(thrown);
      },
    );
  }
  return {
    get damage() {
      return damage;
    },
    get full() {
      return full;
    },
    name,
    store: {
      put: (batch, also) => write(() => store.put(batch, also)),
      delete: (ids) => write(() => store.delete(ids)),
      getMany: (ids) => read(() => store.getMany(ids)),
      scan: (query) => read(() => store.scan(query)),
      annotate: (annotations) => write(() => store.annotate(annotations)),
      annotationsOf: (ids) => read(() => store.annotationsOf(ids)),
      annotated: (key) => read(() => store.annotated(key)),
      changes: (since) => store.changes(since),
      inTurn: (work) => store.inTurn(work),
    },
    index: {
      get version() {
        return index.version;
      },
      retrieve: (query) => read(() => index.retrieve(query)),
      names: (view) => read(() => index.names(view)),
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
      put: (made, embedder) => write(() => vectors.put(made, embedder)),
      build: (embedder) => vectors.build(embedder),
      serveBuilding: (embedder) => vectors.serveBuilding(embedder),
      stale: (limit, entities) => read(() => vectors.stale(limit, entities)),
      dropStale: (limit, entities) => vectors.dropStale(limit, entities),
    },
    edges: {
      put: (batch) => write(() => edges.put(batch)),
      delete: (which) => write(() => edges.delete(which)),
      load: () => read(() => edges.load()),
      watch: (listener) => edges.watch(listener),
    },
    replica,
    vectorServer,
    close: () => engine.close(),
  };
}

function fail(thrown: unknown): never {
  if (thrown instanceof DowserError) throw thrown;
  throw new DowserError('ENGINE_UNAVAILABLE', 'The search engine could not answer.', {
    hint: 'Try again; the log of the server or of the command has the details.',
    cause: thrown,
  });
}
