import { createHash } from 'node:crypto';
import { type DowserError, toDowserError } from '../../model/errors/errors.ts';
import type { VectorOwner } from '../embedded/index/vector-space.ts';
import { Collection, type IndexSettings } from './collection.ts';
import { checkPending, compareAll, countLacking, writePending } from './fill-collection.ts';
import type { QdrantClient } from './qdrant-client.ts';
import { MissingCollection } from './qdrant-errors.ts';
import type { QdrantSpace } from './qdrant-space.ts';

/** Writes that come together are sent together. */
const GATHER_MS = 5;
const IDLE_MS = 1_000;
/** While another node has yet to write what this one knows. */
const CHECK_MS = 200;
/** How often an idle server is asked whether it is still there. */
const PING_MS = 5_000;
/** How often the number of points is compared: a collection may be emptied or restored from a backup. */
const COUNT_MS = 15_000;
/**
 * When everything is compared again: a minute after a failure or a change of the lease, and then every ten minutes. A request
 * that got no answer may arrive late, and puts older points over newer ones.
 */
const LATE_MS = 60_000;
const COMPARE_MS = 600_000;
/** A collection that nothing uses is deleted after this: this node may be about to learn of its use. */
const UNUSED_MS = 3_000;
const RETRY_MS = [100, 200, 500, 1_000, 2_000, 5_000] as const;

interface SpaceState {
  readonly collection: Collection;
  /** The collection exists, with its indexes. */
  isOpen: boolean;
  /** It was compared with the store since this process writes to it. */
  isCompared: boolean;
  /** When it is compared again. */
  compareAt: number;
  countedAt: number;
}

export interface SyncOptions {
  readonly client: QdrantClient;
  readonly settings: IndexSettings;
  readonly spaces: () => readonly QdrantSpace[];
  /** Called after each attempt, and after each write of a long one; null: it worked. */
  readonly onResult: (error: DowserError | null) => void;
}

/** Brings the collections up to date with the spaces of this process, again and again until it is closed. */
export class PointSync {
  readonly #options: SyncOptions;
  readonly #states = new Map<QdrantSpace, SpaceState>();
  #owner: VectorOwner | null = null;
  #isConnected = false;
  #checkedAt = 0;
  #hasTidied = false;
  /** Collections that nothing uses, and since when. */
  readonly #unused = new Map<string, number>();
  #isClosed = false;
  #hasNews = false;
  #wake: (() => void) | null = null;
  #running: Promise<void> | null = null;

  constructor(options: SyncOptions) {
    this.#options = options;
  }

  start(owner: VectorOwner): void {
    this.#owner = owner;
    this.#running ??= this.#run();
  }

  wake(): void {
    this.#hasNews = true;
    this.#wake?.();
  }

  /** Stops after the request at work. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#wake?.();
    await this.#running;
  }

  /** Null before the store has a name. */
  collectionOf(space: QdrantSpace): Collection | null {
    return this.#stateOf(space)?.collection ?? null;
  }

  /** A search failed: ask whether the server is there. */
  doubt(): void {
    this.#checkedAt = 0;
    this.wake();
  }

  /** A search found no collection. */
  lost(space: QdrantSpace): void {
    const state = this.#states.get(space);
    if (state !== undefined) forget(space, state);
    this.wake();
  }

  /** Whether the server has everything of a space. */
  isDone(space: QdrantSpace): boolean {
    const state = this.#states.get(space);
    if (state === undefined || !state.isOpen || !space.pending.isEmpty) return false;
    return this.#leads() ? state.isCompared : state.countedAt > 0 && space.lacking === 0;
  }

  forget(space: QdrantSpace): void {
    this.#states.delete(space);
    this.#hasTidied = false;
    this.wake();
  }

  #leads(): boolean {
    return this.#owner?.leads() === true;
  }

  async #run(): Promise<void> {
    let failures = 0;
    while (!this.#isClosed) {
      const error = this.#owner?.id() == null ? null : await this.#attempt();
      failures = error === null ? 0 : failures + 1;
      if (error !== null) this.#checkedAt = 0;
      if (this.#checkedAt > 0 || error !== null) this.#options.onResult(error);
      await this.#wait(error === null ? null : RETRY_MS[Math.min(failures, RETRY_MS.length) - 1]!);
    }
  }

  async #attempt(): Promise<DowserError | null> {
    try {
      this.#hasNews = false;
      await this.#pass();
      return null;
    } catch (thrown) {
      // The server was wiped: what else it had is in doubt too.
      if (thrown instanceof MissingCollection) for (const [space, state] of this.#states) forget(space, state);
      return toDowserError(thrown);
    }
  }

  async #pass(): Promise<void> {
    if (Date.now() - this.#checkedAt > PING_MS) await this.#connect();
    const leads = this.#leads();
    for (const space of this.#options.spaces()) {
      const state = this.#stateOf(space);
      if (state === null || this.#isClosed) return;
      try {
        if (leads) await this.#write(space, state);
        else await this.#check(space, state);
      } catch (thrown) {
        // What became of the request is not known.
        state.isCompared = false;
        throw thrown;
      }
    }
    if (leads && !this.#hasTidied) await this.#tidy();
  }

  async #connect(): Promise<void> {
    try {
      await this.#options.client.check();
    } catch (error) {
      this.#isConnected = false;
      throw error;
    }
    this.#checkedAt = Date.now();
    if (this.#isConnected) return;
    this.#isConnected = true;
    // It may have been away because it was replaced or restored.
    for (const state of this.#states.values()) Object.assign(state, { isCompared: false, countedAt: 0 });
  }

  async #write(space: QdrantSpace, state: SpaceState): Promise<void> {
    const { collection } = state;
    // A node that lost its lease may lack writes: it would put old points over new ones and delete what it does not know.
    const isStopped = () => this.#isClosed || !this.#leads();
    const write = () => writePending(space, collection, { isStopped, onWritten: () => this.#options.onResult(null) });
    if (!state.isOpen) await collection.create(space.embedder);
    state.isOpen = true;
    if (space.pending.hasChanges) await write();
    if (state.isCompared && Date.now() - state.countedAt > COUNT_MS) {
      state.isCompared = (await collection.count()) === space.size || !space.pending.isEmpty;
      state.countedAt = Date.now();
    }
    if (!state.isCompared || Date.now() > state.compareAt) {
      await compareAll(space, collection, isStopped);
      state.compareAt = Date.now() + (state.isCompared ? COMPARE_MS : LATE_MS);
      state.isCompared = !isStopped();
      state.countedAt = Date.now();
    }
    await write();
  }

  async #check(space: QdrantSpace, state: SpaceState): Promise<void> {
    // If this process writes later, it compares everything first.
    state.isCompared = false;
    if (!state.isOpen && !(await state.collection.exists())) throw new MissingCollection(this.#options.client.address);
    state.isOpen = true;
    await checkPending(space, state.collection, () => this.#isClosed);
    if (space.lacking === 0 && Date.now() - state.countedAt <= COUNT_MS) return;
    await countLacking(space, state.collection);
    state.countedAt = Date.now();
  }

  /** Deletes the collections of embedders that are no longer used. */
  async #tidy(): Promise<void> {
    const used = new Set(this.#options.spaces().map((space) => this.#stateOf(space)?.collection.name));
    const { client, settings } = this.#options;
    for (const name of await client.collections()) {
      if (!name.startsWith(this.#prefix())) continue;
      const since = this.#unused.get(name) ?? Date.now();
      this.#unused.delete(name);
      if (used.has(name)) continue;
      if (!this.#leads()) return;
      if (Date.now() - since < UNUSED_MS) this.#unused.set(name, since);
      else await new Collection(name, client, settings).drop();
    }
    this.#hasTidied = this.#unused.size === 0;
  }

  #stateOf(space: QdrantSpace): SpaceState | null {
    const known = this.#states.get(space);
    if (known !== undefined) return known;
    if (this.#owner?.id() == null) return null;
    const { client, settings } = this.#options;
    const embedder = createHash('sha256').update(space.embedder.id).digest('hex').slice(0, 12);
    const collection = new Collection(`${this.#prefix()}${embedder}`, client, settings);
    const state: SpaceState = { collection, isOpen: false, isCompared: false, compareAt: 0, countedAt: 0 };
    this.#states.set(space, state);
    return state;
  }

  #prefix(): string {
    return `dowser-${this.#owner?.id()}-`;
  }

  /** `retryMs`: after a failure, news do not shorten the wait. */
  #wait(retryMs: number | null): Promise<void> {
    if (this.#isClosed) return Promise.resolve();
    const hasPending = this.#options.spaces().some(({ pending }) => pending.count > 0);
    return new Promise((resolve) => {
      const end = () => {
        clearTimeout(timer);
        this.#wake = null;
        resolve();
      };
      let timer = setTimeout(end, retryMs ?? (this.#hasNews ? GATHER_MS : hasPending ? CHECK_MS : IDLE_MS));
      this.#wake = () => {
        if (this.#isClosed) return end();
        if (retryMs !== null) return;
        clearTimeout(timer);
        timer = setTimeout(end, GATHER_MS);
        this.#wake = () => this.#isClosed && end();
      };
    });
  }
}

/** The collection is gone. */
function forget(space: QdrantSpace, state: SpaceState): void {
  Object.assign(state, { isOpen: false, isCompared: false, countedAt: 0 });
  space.lacking = space.size - space.pending.count;
}
