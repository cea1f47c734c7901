import { createHash } from 'node:crypto';
import type { CacheCounts, Embedder, EmbedOptions } from '../embedder.ts';
import { Flight } from './single-flight.ts';
import { untilAborted } from './until-aborted.ts';

/** Keeps the vectors of texts between runs, so that unchanged text is embedded once. It may drop entries at any time. */
export interface VectorCache {
  /** By hash of the text, without unknown hashes. `embedder` is the id of an embedder. */
  getMany(embedder: string, hashes: readonly string[]): Promise<ReadonlyMap<string, Float32Array>>;
  putMany(embedder: string, vectors: ReadonlyMap<string, Float32Array>): Promise<void>;
  close(): Promise<void>;
}

export interface CacheOptions {
  /** Queries to keep in memory; the least recently used is evicted. Default 1000, 0 for none. */
  readonly queries?: number | undefined;
  /** Opens the cache of documents. Called at the first document: most processes only answer queries. Default: none. */
  readonly openVectors?: (() => Promise<VectorCache>) | undefined;
  /** Called when the cache of documents fails. The embedding continues without it. */
  readonly onWarning?: ((error: unknown) => void) | undefined;
}

/** Documents that are embedded and cached at a time. An interruption loses no more than this. */
const DOCUMENTS_AT_ONCE = 256;

/** A text that is being embedded. All callers wait for the same call. */
interface Pending {
  readonly text: string;
  readonly flight: Flight;
  readonly vector: Promise<Float32Array>;
  resolve(vector: Float32Array): void;
  reject(error: unknown): void;
}

/** Embeds each text once: concurrent calls share the work, later calls read the cache, documents also in later runs. */
export class CachedEmbedder implements Embedder {
  readonly id: string;
  readonly dimensions: number;
  readonly language: Embedder['language'];
  readonly #inner: Embedder;
  readonly #openVectors: CacheOptions['openVectors'];
  #vectors: Promise<VectorCache> | undefined;
  readonly #onWarning: (error: unknown) => void;
  readonly #maxQueries: number;
  /** Least recently used first. */
  readonly #queries = new Map<string, Float32Array>();
  readonly #pending = { query: new Map<string, Pending>(), document: new Map<string, Pending>() };

  readonly #counts = { query: { hits: 0, misses: 0 }, document: { hits: 0, misses: 0 } };

  constructor(inner: Embedder, options: CacheOptions = {}) {
    this.id = inner.id;
    this.dimensions = inner.dimensions;
    this.language = inner.language;
    this.#inner = inner;
    this.#openVectors = options.openVectors;
    this.#onWarning = options.onWarning ?? (() => undefined);
    this.#maxQueries = options.queries ?? 1000;
  }

  get loading(): boolean {
    return this.#inner.loading === true;
  }

  cacheCounts(): CacheCounts {
    return this.#counts;
  }

  async warm(): Promise<void> {
    await this.#inner.warm?.();
  }

  async embed(texts: readonly string[], options: EmbedOptions): Promise<readonly Float32Array[]> {
    const { as, signal } = options;
    signal?.throwIfAborted();
    if (options.fresh === true) return this.#embedFresh(texts, options);
    const known = new Map<string, Float32Array>();
    const awaited = new Map<string, Pending>();
    const mine: Pending[] = [];
    const flight = new Flight(() => this.#forget(as, mine));
    for (const text of new Set(texts)) {
      const remembered = as === 'query' ? this.#recall(text) : undefined;
      if (remembered !== undefined) {
        this.#counts.query.hits++;
        known.set(text, remembered);
        continue;
      }
      let pending = this.#pending[as].get(text);
      if (pending === undefined) {
        pending = pendingFor(text, flight);
        this.#pending[as].set(text, pending);
        mine.push(pending);
      }
      awaited.set(text, pending);
    }
    const flights = new Set([...awaited.values()].map((pending) => pending.flight));
    for (const joined of flights) joined.join();
    if (mine.length > 0) void this.#run(as, mine, flight);
    try {
      const work = Promise.all([...awaited].map(async ([text, pending]) => known.set(text, await pending.vector)));
      await untilAborted(work, signal);
    } finally {
      for (const joined of flights) joined.leave(signal?.reason);
    }
    return texts.map((text) => known.get(text)!.slice());
  }

  async close(): Promise<void> {
    await this.#inner.close();
    await (await this.#vectors)?.close();
  }

  /** Bypasses the cache and updates it. */
  async #embedFresh(texts: readonly string[], options: EmbedOptions): Promise<readonly Float32Array[]> {
    const vectors = await this.#inner.embed(texts, options);
    if (options.as === 'document') await this.#store(new Map(texts.map((text, i) => [sha256(text), vectors[i]!])));
    else for (const [i, text] of texts.entries()) this.#remember(text, vectors[i]!);
    return vectors.map((vector) => vector.slice());
  }

  async #run(as: EmbedOptions['as'], mine: readonly Pending[], { signal }: Flight): Promise<void> {
    try {
      if (as === 'query') await this.#embedQueries(mine, signal);
      else await this.#embedDocuments(mine, signal);
    } catch (error) {
      for (const pending of mine) pending.reject(error);
    } finally {
      this.#forget(as, mine);
    }
  }

  async #embedQueries(mine: readonly Pending[], signal: AbortSignal): Promise<void> {
    this.#counts.query.misses += mine.length;
    const vectors = await this.#inner.embed(mine.map(textOf), { as: 'query', signal });
    for (const [i, pending] of mine.entries()) {
      this.#remember(pending.text, vectors[i]!);
      pending.resolve(vectors[i]!);
    }
  }

  async #embedDocuments(mine: readonly Pending[], signal: AbortSignal): Promise<void> {
    for (let from = 0; from < mine.length; from += DOCUMENTS_AT_ONCE) {
      const some = mine.slice(from, from + DOCUMENTS_AT_ONCE);
      const hashes = new Map(some.map((pending) => [pending, sha256(pending.text)]));
      const found = await this.#lookUp([...hashes.values()]);
      for (const [pending, hash] of hashes) {
        const vector = found.get(hash);
        if (vector !== undefined) pending.resolve(vector);
      }
      const missing = some.filter((pending) => !found.has(hashes.get(pending)!));
      this.#counts.document.hits += some.length - missing.length;
      this.#counts.document.misses += missing.length;
      if (missing.length === 0) continue;
      const vectors = await this.#inner.embed(missing.map(textOf), { as: 'document', signal });
      await this.#store(new Map(missing.map((pending, i) => [hashes.get(pending)!, vectors[i]!])));
      for (const [i, pending] of missing.entries()) pending.resolve(vectors[i]!);
    }
  }

  async #lookUp(hashes: readonly string[]): Promise<ReadonlyMap<string, Float32Array>> {
    const found = (await this.#withVectors((cache) => cache.getMany(this.id, hashes))) ?? new Map();
    return new Map([...found].filter(([, vector]) => vector.length === this.dimensions));
  }

  async #store(vectors: ReadonlyMap<string, Float32Array>): Promise<void> {
    await this.#withVectors((cache) => cache.putMany(this.id, vectors));
  }

  async #withVectors<T>(work: (cache: VectorCache) => Promise<T>): Promise<T | undefined> {
    try {
      this.#vectors ??= this.#openVectors?.();
      const cache = await this.#vectors;
      return cache === undefined ? undefined : await work(cache);
    } catch (error) {
      this.#onWarning(error);
      return undefined;
    }
  }

  #recall(text: string): Float32Array | undefined {
    const vector = this.#queries.get(text);
    if (vector !== undefined) this.#remember(text, vector);
    return vector;
  }

  #remember(text: string, vector: Float32Array): void {
    this.#queries.delete(text);
    this.#queries.set(text, vector);
    for (const oldest of this.#queries.keys()) {
      if (this.#queries.size <= this.#maxQueries) return;
      this.#queries.delete(oldest);
    }
  }

  #forget(as: EmbedOptions['as'], mine: readonly Pending[]): void {
    for (const pending of mine) {
      if (this.#pending[as].get(pending.text) === pending) this.#pending[as].delete(pending.text);
    }
  }
}

function pendingFor(text: string, flight: Flight): Pending {
  let resolve = (_: Float32Array): void => undefined;
  let reject = (_: unknown): void => undefined;
  const vector = new Promise<Float32Array>((onResolve, onReject) => {
    resolve = onResolve;
    reject = onReject;
  });
  vector.catch(() => undefined);
  return { text, flight, vector, resolve, reject };
}

const textOf = (pending: Pending): string => pending.text;

export function sha256(text: string): string {
  return createHash('sha256').update(text, 'utf8').digest('hex');
}
