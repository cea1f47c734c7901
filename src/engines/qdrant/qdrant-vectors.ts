import { setTimeout as wait } from 'node:timers/promises';
import { type DowserError, toDowserError } from '../../model/errors/errors.ts';
import { SearchBreaker } from '../../turns/search-breaker.ts';
import type { AttachedVectorServer, OpenSpace, VectorOwner, VectorSource } from '../embedded/index/vector-space.ts';
import type { VectorServerStatus } from '../vector-server.ts';
import type { IndexSettings, PointHit, PointSearch } from './collection.ts';
import { PointSync } from './point-sync.ts';
import { parseQdrantAddress } from './qdrant-address.ts';
import { QdrantClient } from './qdrant-client.ts';
import { isConnectionError, MissingCollection } from './qdrant-errors.ts';
import { QdrantSpace, type SpaceServer } from './qdrant-space.ts';

export interface QdrantOptions extends Partial<IndexSettings> {
  /** Such as `qdrant://127.0.0.1:6333`. */
  readonly address: string;
  readonly apiKey?: string | undefined;
}

export const INDEX_DEFAULTS: IndexSettings = {
  m: 16,
  efConstruct: 128,
  ef: 100,
  maxExact: 50_000,
  isQuantized: false,
  shards: undefined,
  replication: 1,
  writeConsistency: 1,
};

/** How long a process that ends waits for its last writes. The next start writes the rest. */
const MAX_CLOSE_MS = 2_000;

/** Vectors in Qdrant. Searches ask it, and one process at a time fills it from the record. */
export class QdrantVectors implements AttachedVectorServer, SpaceServer {
  readonly #client: QdrantClient;
  readonly #breaker = new SearchBreaker();
  readonly #spaces = new Set<QdrantSpace>();
  readonly #sync: PointSync;
  readonly #waiters = new Set<() => void>();
  #owner: VectorOwner | null = null;
  #hasConnected = false;
  #error: DowserError | null = null;
  #isClosed = false;

  readonly maxExact: number;

  constructor({ address, apiKey, ...given }: QdrantOptions) {
    const settings = { ...INDEX_DEFAULTS, ...given };
    this.maxExact = settings.maxExact;
    this.#client = new QdrantClient(parseQdrantAddress(address), apiKey);
    this.#sync = new PointSync({
      client: this.#client,
      settings,
      spaces: () => [...this.#spaces],
      onResult: (error) => this.#noteResult(error),
    });
  }

  spacesOf(source: VectorSource): OpenSpace {
    return (embedder, rows) => {
      const space = new QdrantSpace(embedder, rows, source, this);
      this.#spaces.add(space);
      return space;
    };
  }

  start(owner: VectorOwner): void {
    this.#owner = owner;
    this.#sync.start(owner);
  }

  status(): VectorServerStatus {
    const error = this.#error ?? this.#breaker.error;
    let pending = 0;
    for (const space of this.#spaces) pending += space.pending.count + space.lacking;
    const state = error !== null ? 'down' : this.#hasConnected ? 'ready' : 'connecting';
    return { address: this.#client.address, state, isReady: this.#hasConnected, pending, error };
  }

  async ask(space: QdrantSpace, searches: readonly PointSearch[]): Promise<readonly (readonly PointHit[])[]> {
    const entered = this.#breaker.enter();
    const collection = this.#sync.collectionOf(space);
    try {
      if (collection === null) throw new MissingCollection(this.#client.address);
      const answers = await collection.search(searches);
      this.#breaker.succeeded();
      return answers;
    } catch (thrown) {
      const error = toDowserError(thrown);
      if (error instanceof MissingCollection) this.#sync.lost(space);
      else {
        this.#breaker.failed(error, entered);
        this.#sync.doubt();
      }
      throw error;
    }
  }

  changed(): void {
    this.#owner?.onProgress();
  }

  wake(): void {
    this.#sync.wake();
  }

  async settled(space?: QdrantSpace): Promise<void> {
    const isDone = () => {
      if (this.#isClosed) return true;
      // Another process has yet to make the collection.
      if (this.#error !== null && !(this.#error instanceof MissingCollection)) return true;
      const wanted = space === undefined ? [...this.#spaces] : [space];
      return wanted.every((one) => this.#sync.isDone(one));
    };
    this.#sync.wake();
    while (!isDone()) await new Promise<void>((resolve) => this.#waiters.add(resolve));
  }

  drop(space: QdrantSpace): void {
    this.#spaces.delete(space);
    this.#sync.forget(space);
  }

  async close(): Promise<void> {
    const hasChanges = [...this.#spaces].some(({ pending }) => pending.hasChanges);
    if (hasChanges && this.#hasConnected && this.#owner?.leads() === true) {
      await Promise.race([this.settled(), wait(MAX_CLOSE_MS, undefined, { ref: false })]);
    }
    this.#isClosed = true;
    this.#noteResult(this.#error);
    const ended = this.#sync.close();
    // A server that does not answer must not keep a process from ending.
    await Promise.race([ended, wait(MAX_CLOSE_MS, undefined, { ref: false })]);
    this.#client.close();
    await ended;
  }

  #noteResult(error: DowserError | null): void {
    this.#error = error;
    if (error === null) {
      this.#hasConnected = true;
      // A server that is slow answers a ping all the same.
      if (this.#breaker.error !== null && isConnectionError(this.#breaker.error)) this.#breaker.succeeded();
    }
    for (const resolve of this.#waiters) resolve();
    this.#waiters.clear();
  }
}
