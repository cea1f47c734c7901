import { setMaxListeners } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import type { Embedder } from '../../embedders/embedder.ts';
import type { Engine } from '../../engines/engine.ts';
import type { PendingUnit } from '../../engines/vector-upkeep.ts';
import type { EntityId } from '../../model/entity.ts';
import { DowserError, RefusedText } from '../../model/errors/errors.ts';
import { isSearched, yieldToSearches } from '../../turns/search-turns.ts';

/**
 * Texts in one call of the embedder. A stop or a query waits for one call at most, and a search for the transaction that stores
 * their vectors. Endpoints get no more in one request.
 */
const BATCH_TEXTS = 64;
/** The same while searches arrive. */
const SEARCHED_TEXTS = 16;

/** While searches arrive, the embedder rests after a batch for as long as it took, up to this. */
const MAX_REST_MS = 50;

/** A write of more units than this is a bulk load and does not wait for all its vectors. */
const SOON_TEXTS = 256;

/** After this many refused texts in a row, the model refuses everything. */
const REFUSED_MODEL = 3;

/** The waits after failures of the embedder. */
const RETRY_MS = [1_000, 2_000, 5_000, 10_000, 30_000] as const;

export interface EmbedProgress {
  readonly done: number;
  readonly total: number;
}

export interface VectorBacklogOptions {
  readonly engine: Engine;
  readonly embedder: Embedder;
  /** Whether `kick` does anything; without it only `drain` and `embedSoon` embed. */
  readonly background: boolean;
  /** Whether this process embeds in the background: of several that share a record, one does. */
  readonly isOurs: () => boolean;
  /** Called after each failure of the background run, which is retried. */
  readonly onError: ((error: unknown, retryInMs: number) => void) | undefined;
  /** Called at the end of a run that left nothing to embed. The run waits for it. */
  readonly onDone: () => Promise<void>;
}

/**
 * Embeds units without a vector of one embedder. The engine lists them, so nothing is lost when the process dies and
 * nothing is queued twice. At most one run at a time.
 */
export class VectorBacklog {
  readonly #options: VectorBacklogOptions;
  readonly #stop = new AbortController();
  readonly #stopped = new Promise<void>((resolve) => {
    this.#stop.signal.addEventListener('abort', () => resolve(), { once: true });
  });
  /** Writes that wait for their own vectors. */
  readonly #soon = new Set<Promise<unknown>>();
  /** Hashes of texts that the model refuses. */
  readonly #refused = new Set<string>();
  #refusedInARow = 0;
  #batch = BATCH_TEXTS;
  #run: Promise<number> | null = null;
  #again = false;
  #retry: NodeJS.Timeout | null = null;
  #failures = 0;
  #failedAt = 0;

  constructor(options: VectorBacklogOptions) {
    this.#options = options;
    // Every write that waits listens to it. Node would warn of a leak from the eleventh.
    setMaxListeners(0, this.#stop.signal);
  }

  /** Starts a background run unless one is running. A failure is reported to `onError` and retried later. */
  kick(): void {
    const { background, isOurs } = this.#options;
    if (!background || this.#stop.signal.aborted || !isOurs()) return;
    if (this.#run !== null) {
      this.#again = true;
      return;
    }
    if (this.#retry !== null) return;
    this.#again = false;
    this.drain().then(
      () => {
        this.#failures = 0;
        if (this.#again) this.kick();
      },
      (error: unknown) => this.#retryLater(error),
    );
  }

  /** The embedder has answered another call: a waiting run retries after the shortest pause. */
  nudge(): void {
    if (this.#retry === null || Date.now() - this.#failedAt < RETRY_MS[0]) return;
    clearTimeout(this.#retry);
    this.#retry = null;
    this.kick();
  }

  /**
   * Embeds until nothing is missing. Returns how many vectors were stored. Waits for a running run first. Throws the error
   * of the embedder.
   */
  async drain(onProgress?: (progress: EmbedProgress) => void, signal?: AbortSignal): Promise<number> {
    while (this.#run !== null) await this.#run.catch(() => {});
    const run = this.#drain(onProgress, signal).finally(() => {
      this.#run = null;
    });
    this.#run = run;
    return run;
  }

  /** Embeds the missing vectors of these entities first, for at most `timeoutMs`. Never throws: the background continues. */
  async embedSoon(entities: readonly EntityId[], timeoutMs: number): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const timeout = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, timeoutMs);
    });
    const work = this.#missing(SOON_TEXTS, entities)
      .then((pending) => this.#embed(pending, this.#stop.signal))
      .catch(() => undefined);
    this.#soon.add(work);
    work.finally(() => this.#soon.delete(work));
    await Promise.race([work, timeout, this.#stopped]);
    clearTimeout(timer);
    this.kick();
  }

  /** Ends every run. The next start continues. */
  async close(): Promise<void> {
    this.#stop.abort();
    if (this.#retry !== null) clearTimeout(this.#retry);
    await Promise.all([this.#run?.catch(() => {}), ...this.#soon]);
  }

  async #drain(onProgress?: (progress: EmbedProgress) => void, signal?: AbortSignal): Promise<number> {
    const stop = signal === undefined ? this.#stop.signal : AbortSignal.any([this.#stop.signal, signal]);
    const total = await this.#countMissing();
    let done = 0;
    onProgress?.({ done, total });
    while (!stop.aborted) {
      const start = performance.now();
      const batch = Math.min(this.#batch, isSearched() ? SEARCHED_TEXTS : BATCH_TEXTS);
      const missing = await this.#missing(batch + this.#refused.size);
      const pending = missing.filter((unit) => !this.#refused.has(unit.textHash)).slice(0, batch);
      if (pending.length === 0) break;
      let stored: number;
      try {
        stored = await this.#embed(pending, stop);
      } catch (error) {
        if (stop.aborted) break;
        this.#narrow(pending, error);
        // The model works: the others need not wait for the next run.
        if (error instanceof RefusedText) continue;
        throw error;
      }
      this.#batch = Math.min(BATCH_TEXTS, this.#batch * 2);
      this.#refusedInARow = 0;
      done += stored;
      onProgress?.({ done, total: Math.max(total, done) });
      if (isSearched()) await rest(performance.now() - start, stop);
      await yieldToSearches();
    }
    if (!stop.aborted) await this.#options.onDone();
    return done;
  }

  #missing(limit: number, entities?: readonly EntityId[]): Promise<readonly PendingUnit[]> {
    const { engine, embedder } = this.#options;
    return engine.vectors.missing(limit, entities, embedder.id);
  }

  async #countMissing(): Promise<number> {
    const { missingVectors, building } = await this.#options.engine.index.stats();
    return building?.id === this.#options.embedder.id ? building.missingVectors : missingVectors;
  }

  /**
   * A refused text must not block the others: batches are halved until it is alone. Then it is skipped until it changes or
   * the process restarts. If several in a row are refused, the model is at fault (such as a wrong key), and nothing is
   * skipped.
   */
  #narrow(pending: readonly PendingUnit[], error: unknown): void {
    if (!(error instanceof DowserError) || error.code !== 'EMBEDDER_REJECTED') return;
    if (pending.length > 1) {
      this.#batch = Math.max(1, Math.floor(pending.length / 2));
      return;
    }
    if (!(error instanceof RefusedText)) this.#refusedInARow += 1;
    if (this.#refusedInARow < REFUSED_MODEL) this.#refused.add(pending[0]!.textHash);
    else this.#refused.clear();
  }

  /** Embeds and stores; returns how many were stored. */
  async #embed(pending: readonly PendingUnit[], signal: AbortSignal): Promise<number> {
    if (pending.length === 0) return 0;
    const texts = pending.map((unit) => unit.text);
    const vectors = await this.#options.embedder.embed(texts, { as: 'document', signal });
    await yieldToSearches();
    if (signal.aborted) return 0;
    const made = pending.map(({ unit, textHash }, i) => ({ unit, textHash, vector: vectors[i]! }));
    return this.#options.engine.vectors.put(made, this.#options.embedder.id);
  }

  #retryLater(error: unknown): void {
    if (this.#stop.signal.aborted) return;
    const wait = RETRY_MS[Math.min(this.#failures, RETRY_MS.length - 1)]!;
    this.#failures += 1;
    this.#failedAt = Date.now();
    this.#options.onError?.(
      error instanceof DowserError ? error : new DowserError('INTERNAL', String(error), { cause: error }),
      wait,
    );
    this.#retry = setTimeout(() => {
      this.#retry = null;
      this.kick();
    }, wait);
    this.#retry.unref();
  }
}

/** A stop ends it. */
async function rest(ms: number, signal: AbortSignal): Promise<void> {
  await pause(Math.min(ms, MAX_REST_MS), undefined, { signal }).catch(() => undefined);
}
