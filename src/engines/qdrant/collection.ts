import type { EmbedderIdentity } from '../../model/embedder-identity.ts';
import type { Payload } from './point.ts';
import { INDEXED_FIELDS } from './point.ts';
import type { QdrantClient } from './qdrant-client.ts';
import { MissingCollection } from './qdrant-errors.ts';
import type { Condition } from './qdrant-filter.ts';

/** How Qdrant keeps and searches the vectors. */
export interface IndexSettings {
  readonly m: number;
  readonly efConstruct: number;
  readonly ef: number;
  /** Up to this many units that pass the filter, all of them are compared. */
  readonly maxExact: number;
  /** Search copies of one byte for each number first, then compare the best ones exactly. */
  readonly isQuantized: boolean;
  /** Default: as Qdrant is set. */
  readonly shards: number | undefined;
  readonly replication: number;
  readonly writeConsistency: number;
}

export interface PointSearch {
  readonly vector: Float32Array;
  readonly conditions: readonly Condition[];
  readonly limit: number;
  readonly isExact: boolean;
}

/** A unit as stored, see `toStoredText`, with its cosine in 32 bits. */
export interface PointHit {
  readonly unit: string;
  readonly score: number;
}

export interface StoredPoint {
  readonly id: string;
  /** As stored, see `toStoredText`. */
  readonly unit: string;
  readonly digest: number;
}

interface FoundPoint {
  readonly id: string;
  readonly score?: number;
  readonly payload?: Partial<Payload>;
}

interface CollectionInfo {
  readonly config: {
    readonly params: { readonly vectors?: { readonly size?: number; readonly distance?: string } };
    readonly optimizer_config?: { readonly indexing_threshold?: number | null };
  };
}

/** For each node that is asked. */
const SEARCH_MS = 1_500;
const WRITE_MS = 30_000;
/** From how many kilobytes of vectors on Qdrant builds the HNSW graph of a segment: its own default. 0: never. */
const INDEXING_THRESHOLD_KB = 10_000;
/** Of normalized numbers, 8 digits are more than 32 bits have. */
const DIGITS = 1e8;

/** The points of one embedder. */
export class Collection {
  readonly name: string;
  readonly #client: QdrantClient;
  readonly #settings: IndexSettings;
  #isIndexingPaused = false;

  constructor(name: string, client: QdrantClient, settings: IndexSettings) {
    this.name = name;
    this.#client = client;
    this.#settings = settings;
  }

  async exists(): Promise<boolean> {
    return (await this.#client.collections()).includes(this.name);
  }

  /** With the indexes of the payload: they must be there before the first point, for HNSW to use them. */
  async create({ dimensions }: EmbedderIdentity): Promise<void> {
    if (await this.exists()) {
      // It is a copy of the record: one of another size is made again.
      if ((await this.#size()) !== dimensions) await this.drop();
    }
    if (!(await this.exists())) await this.#create(dimensions);
    const add = (field: string, schema: string) =>
      this.#ask('PUT', '/index?wait=true', { field_name: field, field_schema: schema }, WRITE_MS);
    await Promise.all(Object.entries(INDEXED_FIELDS).map(([field, schema]) => add(field, schema)));
  }

  /** Asks whether a process paused the indexing and ended before it resumed it. */
  async checkIndexing(): Promise<void> {
    const { optimizer_config: optimizers } = (await this.#info()).config;
    this.#isIndexingPaused = optimizers?.indexing_threshold === 0;
  }

  /**
   * While many points arrive, Qdrant would build a graph for each small segment and again for each merge. Without a graph, a
   * search compares all vectors: slower, and exact.
   */
  async pauseIndexing(): Promise<void> {
    if (this.#isIndexingPaused) return;
    await this.#setIndexing(0);
    this.#isIndexingPaused = true;
  }

  async resumeIndexing(): Promise<void> {
    if (!this.#isIndexingPaused) return;
    await this.#setIndexing(INDEXING_THRESHOLD_KB);
    this.#isIndexingPaused = false;
  }

  async drop(): Promise<void> {
    await this.#ask('DELETE', '', undefined, WRITE_MS).catch(ignoreMissing);
  }

  /** The hits of each search, best first. Equal ones come in any order. */
  async search(searches: readonly PointSearch[]): Promise<readonly (readonly PointHit[])[]> {
    const body = { searches: searches.map((search) => this.#toBody(search)) };
    const answers = await this.#ask<readonly { points: readonly FoundPoint[] }[]>(
      'POST',
      '/points/query/batch',
      body,
      SEARCH_MS,
    );
    return answers.map(({ points }) => points.map(({ payload, score = 0 }) => ({ unit: payload?.unit ?? '', score })));
  }

  async write(points: readonly { readonly payload: Payload; readonly id: string; readonly vector: Float32Array }[]) {
    const body = { points: points.map(({ id, payload, vector }) => ({ id, payload, vector: toNumbers(vector) })) };
    await this.#ask('PUT', '/points?wait=true', body, WRITE_MS);
  }

  async delete(ids: readonly string[]): Promise<void> {
    await this.#ask('POST', '/points/delete?wait=true', { points: ids }, WRITE_MS);
  }

  async count(): Promise<number> {
    return (await this.#ask<{ count: number }>('POST', '/points/count', { exact: true }, WRITE_MS)).count;
  }

  /** Those of these points that exist. */
  async read(ids: readonly string[]): Promise<readonly StoredPoint[]> {
    const body = { ids, with_payload: ['unit', 'digest'], with_vector: false };
    return (await this.#ask<readonly FoundPoint[]>('POST', '/points', body, WRITE_MS)).map(toStored);
  }

  /** A page of all points. `next` is the `after` of the next one; null on the last page. */
  async page(after: string | null, limit: number) {
    const body = {
      limit,
      with_payload: ['unit', 'digest'],
      with_vector: false,
      ...(after === null ? {} : { offset: after }),
    };
    const { points, next_page_offset: next } = await this.#ask<{
      points: readonly FoundPoint[];
      next_page_offset: string | null;
    }>('POST', '/points/scroll', body, WRITE_MS);
    return { points: points.map(toStored), next };
  }

  /** Null: it has vectors of another kind. */
  async #size(): Promise<number | null> {
    const { size, distance } = (await this.#info()).config.params.vectors ?? {};
    return distance === 'Cosine' && size !== undefined ? size : null;
  }

  #info(): Promise<CollectionInfo> {
    return this.#ask('GET', '', undefined, WRITE_MS);
  }

  async #setIndexing(kilobytes: number): Promise<void> {
    await this.#ask('PATCH', '', { optimizers_config: { indexing_threshold: kilobytes } }, WRITE_MS);
  }

  async #create(dimensions: number): Promise<void> {
    const { m, efConstruct, isQuantized, shards, replication, writeConsistency } = this.#settings;
    const body = {
      vectors: { size: dimensions, distance: 'Cosine' },
      hnsw_config: { m, ef_construct: efConstruct },
      replication_factor: replication,
      write_consistency_factor: writeConsistency,
      ...(shards === undefined ? {} : { shard_number: shards }),
      ...(isQuantized ? { quantization_config: { scalar: { type: 'int8', always_ram: true } } } : {}),
    };
    await this.#ask('PUT', '', body, WRITE_MS);
  }

  #toBody({ vector, conditions, limit, isExact }: PointSearch) {
    const { ef, isQuantized } = this.#settings;
    const quantization = isQuantized ? { quantization: { rescore: true, oversampling: 2 } } : {};
    return {
      query: toNumbers(vector),
      limit,
      with_payload: ['unit'],
      params: isExact ? { exact: true } : { hnsw_ef: Math.max(ef, limit), ...quantization },
      ...(conditions.length === 0 ? {} : { filter: { must: conditions } }),
    };
  }

  #ask<T>(method: string, path: string, body: unknown, timeoutMs: number): Promise<T> {
    return this.#client.ask<T>(method, `/collections/${this.name}${path}`, { body, timeoutMs });
  }
}

function toStored({ id, payload }: FoundPoint): StoredPoint {
  return { id, unit: payload?.unit ?? '', digest: payload?.digest ?? 0 };
}

/** Normalized, with few digits: half the bytes of a request. */
function toNumbers(vector: Float32Array): number[] {
  let squares = 0;
  for (const value of vector) squares += value * value;
  const scale = squares === 0 ? 0 : 1 / Math.sqrt(squares);
  return Array.from(vector, (value) => Math.round(value * scale * DIGITS) / DIGITS);
}

export function ignoreMissing(error: unknown): void {
  if (!(error instanceof MissingCollection)) throw error;
}
