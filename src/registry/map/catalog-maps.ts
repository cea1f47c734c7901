import type { Embedder } from '../../embedders/embedder.ts';
import type { Engine } from '../../engines/engine.ts';
import { type EntityId, idOf } from '../../model/entity.ts';
import type { CatalogMap } from '../contract/map-schemas.ts';
import { contentsOf, inUse, MAX_ENTITIES, type MadeMap, type MapContents, type MapView, makeMap } from './make-map.ts';

export interface CatalogMapsOptions {
  /** The least time between two computations of one view, if its last map can be sent meanwhile. Default 10 s. */
  readonly pauseMs?: number;
  /** A map of up to so many entities takes a moment: requests wait for the new one. Default 500. */
  readonly awaited?: number;
}

/** Maps that are kept. */
const MAX_MAPS = 8;
/** Views whose contents are kept. Views with the same contents share a map. */
const MAX_VIEWS = 100;

interface ViewState {
  /** The writes that `contents` knows of. */
  mark: string | null;
  contents: MapContents | null;
  /** A reading of the contents that has not begun yet. */
  reading: Promise<MapContents> | null;
  /** The digest of the map that was sent last. */
  sent: string | null;
  /** When the last computation ended. */
  endedAt: number;
  job: Job | null;
}

/** A computation for one view. It reads the view when its turn comes. */
interface Job {
  readonly made: Promise<MadeMap>;
  readonly stop: AbortController;
  hasBegun: boolean;
  requests: number;
  /** A request got the map before it, and is to come again: it goes on without one that waits. */
  isExpected: boolean;
}

/**
 * The map of each view, computed once until an entity of it changes. It is made of what its caller may read alone: other
 * entities, ratings and notes change nothing. One computation at a time, in slices, and searches go first. It is stopped when
 * no request needs it any more.
 */
export class CatalogMaps {
  readonly #engine: Engine;
  readonly #pauseMs: number;
  readonly #awaited: number;
  readonly #views = new Map<string, ViewState>();
  /** By digest. The one that was sent last is the last to go. */
  readonly #maps = new Map<string, MadeMap>();
  readonly #jobs = new Set<Job>();
  #lastReading: Promise<unknown> = Promise.resolve();
  #lastJob: Promise<unknown> = Promise.resolve();

  constructor(engine: Engine, { pauseMs = 10_000, awaited = 500 }: CatalogMapsOptions = {}) {
    this.#engine = engine;
    this.#pauseMs = pauseMs;
    this.#awaited = awaited;
  }

  /** `signal` ends the wait. */
  async of(view: MapView, embedder: Embedder | null, signal?: AbortSignal): Promise<CatalogMap> {
    if (embedder === null) {
      const total = (await inUse(view.view)).length;
      const sampled = Math.min(total, MAX_ENTITIES);
      return { points: [], total, sampled, without_vector: sampled, embedder: null, is_current: true };
    }
    const state = this.#stateOf(view);
    const contents = await this.#read(state, view, embedder);
    const known = this.#known(contents.digest);
    if (known !== undefined) return send(state, known);
    const isLarge = contents.sample.length > this.#awaited;
    const before = state.sent === null ? undefined : this.#known(state.sent);
    if (isLarge && before !== undefined) {
      const isEarly = performance.now() - state.endedAt < this.#pauseMs;
      const job = state.job ?? (isEarly ? null : this.#start(state, view, embedder));
      if (job !== null) job.isExpected = true;
      return { ...withoutOthers(before.map, contents), is_current: false };
    }
    if (state.job?.hasBegun === true) {
      // It may have read the view before the last write.
      const made = await this.#wait(state, state.job, signal);
      if (made.digest === contents.digest) return send(state, made);
      if (isLarge) return { ...withoutOthers(send(state, made), contents), is_current: false };
    }
    return send(state, await this.#wait(state, state.job ?? this.#start(state, view, embedder), signal));
  }

  /** Stops what is being computed. */
  async close(): Promise<void> {
    for (const { stop } of this.#jobs) stop.abort();
    await this.#lastJob;
  }

  #stateOf({ readers }: MapView): ViewState {
    const key = JSON.stringify(readers ?? null);
    const state: ViewState = this.#views.get(key) ?? {
      mark: null,
      contents: null,
      reading: null,
      sent: null,
      endedAt: Number.NEGATIVE_INFINITY,
      job: null,
    };
    keepLast(this.#views, key, state, MAX_VIEWS);
    return state;
  }

  #known(digest: string): MadeMap | undefined {
    const made = this.#maps.get(digest);
    if (made !== undefined) keepLast(this.#maps, digest, made, MAX_MAPS);
    return made;
  }

  /** One reading at a time. Requests join one that has not begun. */
  #read(state: ViewState, view: MapView, embedder: Embedder): Promise<MapContents> {
    if (state.reading !== null) return state.reading;
    const reading = this.#lastReading.then(async () => {
      state.reading = null;
      const { index, store, vectors } = this.#engine;
      const { version } = index;
      const mark = version === null ? null : JSON.stringify([version, store.changes(null).revision, embedder.id]);
      if (mark !== null && mark === state.mark) return state.contents!;
      const contents = await contentsOf(view, vectors, embedder);
      state.contents = contents;
      state.mark = mark;
      return contents;
    });
    state.reading = reading;
    this.#lastReading = reading.catch(() => undefined);
    return reading;
  }

  #start(state: ViewState, view: MapView, embedder: Embedder): Job {
    const stop = new AbortController();
    const make = async (): Promise<MadeMap> => {
      stop.signal.throwIfAborted();
      job.hasBegun = true;
      const contents = await this.#read(state, view, embedder);
      // Another view has the same, or it is as it was.
      const known = this.#known(contents.digest);
      if (known !== undefined) return known;
      const made = await makeMap(view, this.#engine, embedder, contents, stop.signal);
      keepLast(this.#maps, made.digest, made, MAX_MAPS);
      return made;
    };
    const made = this.#lastJob.then(make).finally(() => {
      state.endedAt = performance.now();
      if (state.job === job) state.job = null;
      this.#jobs.delete(job);
    });
    const job: Job = { made, stop, hasBegun: false, requests: 0, isExpected: false };
    this.#lastJob = made.catch(() => undefined);
    this.#jobs.add(job);
    state.job = job;
    return job;
  }

  async #wait(state: ViewState, job: Job, signal?: AbortSignal): Promise<MadeMap> {
    job.requests += 1;
    try {
      return await (signal === undefined ? job.made : orAborted(job.made, signal));
    } finally {
      job.requests -= 1;
      if (job.requests === 0 && !job.isExpected) {
        job.stop.abort();
        if (state.job === job) state.job = null;
      }
    }
  }
}

function send(state: ViewState, { digest, map }: MadeMap): CatalogMap {
  state.sent = digest;
  return { ...map, is_current: true };
}

/** An earlier map, without entities that are gone or that the caller may no longer read. */
function withoutOthers(map: MadeMap['map'], { total, sample }: MapContents): MadeMap['map'] {
  const known = new Set<EntityId>(sample);
  const points = map.points.filter((point) => known.has(idOf({ type: point.entity_type, path: point.path })));
  const sampled = sample.length;
  return { ...map, points, total, sampled, without_vector: sampled - points.length };
}

function keepLast<T>(kept: Map<string, T>, key: string, value: T, most: number): void {
  kept.delete(key);
  kept.set(key, value);
  for (const oldest of kept.keys()) if (kept.size > most) kept.delete(oldest);
}

/** Rejects with the reason of the signal when it aborts. */
async function orAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted();
  let onAbort = () => {};
  const aborted = new Promise<never>((_, reject) => {
    onAbort = () => reject(signal.reason);
    signal.addEventListener('abort', onAbort, { once: true });
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}
