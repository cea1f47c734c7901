import { createHash } from 'node:crypto';
import type { Embedder, EmbedOptions } from '../embedders/embedder.ts';
import type { VectorCache } from '../embedders/wrappers/cache.ts';

export interface PrepareOptions {
  readonly onProgress?: (done: number) => void;
  readonly signal?: AbortSignal;
}

const BATCH = 16;

/** A search by keyword only would be measured instead, so a measurement waits for the model, on a busy machine too. */
export const MEASURING_TIMEOUT_MS = 60_000;

/** Separate from documents: some models embed queries differently. */
const hashOf = (query: string) => createHash('sha256').update(`query\n${query}`).digest('hex');

/** Caches the vectors of queries between runs, so that a repeated measurement is fast. */
export class RememberedQueries implements Embedder {
  readonly id: string;
  readonly dimensions: number;
  readonly language: Embedder['language'];
  readonly #embedder: Embedder;
  readonly #cache: VectorCache;
  readonly #known = new Map<string, Float32Array>();

  constructor(embedder: Embedder, cache: VectorCache) {
    this.id = embedder.id;
    this.dimensions = embedder.dimensions;
    this.language = embedder.language;
    this.#embedder = embedder;
    this.#cache = cache;
  }

  /** Loads the vectors of these queries into memory. Embeds those that are not cached. */
  async prepare(queries: readonly string[], { onProgress, signal }: PrepareOptions = {}): Promise<void> {
    const wanted = [...new Set(queries)].filter((query) => !this.#known.has(query));
    for (let from = 0; from < wanted.length; from += BATCH) {
      signal?.throwIfAborted();
      const batch = wanted.slice(from, from + BATCH);
      const remembered = await this.#cache.getMany(this.id, batch.map(hashOf));
      const fresh = batch.filter((query) => !remembered.has(hashOf(query)));
      const vectors = await this.#embedder.embed(fresh, { as: 'query', ...(signal === undefined ? {} : { signal }) });
      const learnt = new Map(fresh.map((query, i) => [hashOf(query), vectors[i]!]));
      if (learnt.size > 0) await this.#cache.putMany(this.id, learnt);
      for (const query of batch) this.#known.set(query, (remembered.get(hashOf(query)) ?? learnt.get(hashOf(query)))!);
      onProgress?.(Math.min(wanted.length, from + BATCH));
    }
  }

  async embed(texts: readonly string[], options: EmbedOptions): Promise<readonly Float32Array[]> {
    if (options.as === 'document') return this.#embedder.embed(texts, options);
    const known = texts.map((text) => this.#known.get(text));
    if (known.every((vector) => vector !== undefined)) return known;
    return this.#embedder.embed(texts, options);
  }

  async close(): Promise<void> {
    await this.#cache.close();
    await this.#embedder.close();
  }
}
