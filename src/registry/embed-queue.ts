import type { Embedder } from '../embedders/embedder.ts';
import type { Engine, PendingUnit } from '../engines/engine.ts';
import type { EntityId } from '../model/entity.ts';
import { DowserError } from '../model/errors.ts';

/** Texts for one call of the embedder: small enough that a stop, a query or a crash never waits long. */
const BATCH_TEXTS = 128;

/** A write of more units than this is a bulk load: it does not wait for its vectors to the end. */
const SOON_TEXTS = 256;

/** How long to leave a failing embedder alone; its own breaker refuses quickly in between. */
const RETRY_MS = [1_000, 2_000, 5_000, 10_000, 30_000] as const;

export interface EmbedProgress {
  readonly done: number;
  readonly total: number;
}

export interface EmbedQueueOptions {
  readonly engine: Engine;
  readonly embedder: Embedder;
  /** Whether `kick` does anything; without it only `drain` and `embedSoon` embed. Default true. */
  readonly background?: boolean;
  /** Told of each failure of the background run; the queue itself goes on trying. */
  readonly onError?: (error: unknown, retryInMs: number) => void;
}

/**
 * Brings vectors to units that have none. The list of what is missing lives in the engine, so nothing is lost when the
 * process dies and nothing is queued twice. At most one run is under way at a time.
 */
export class EmbedQueue {
  readonly #engine: Engine;
  readonly #embedder: Embedder;
  readonly #onError: EmbedQueueOptions['onError'];
  readonly #background: boolean;
  readonly #stop = new AbortController();
  #run: Promise<number> | null = null;
  #again = false;
  #retry: NodeJS.Timeout | null = null;
  #failures = 0;

  constructor({ engine, embedder, onError, background = true }: EmbedQueueOptions) {
    this.#background = background;
    this.#engine = engine;
    this.#embedder = embedder;
    this.#onError = onError;
  }

  /** Starts a background run unless one is under way; trouble is reported to `onError` and tried again later. */
  kick(): void {
    if (!this.#background || this.#stop.signal.aborted) return;
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

  /**
   * Embeds until nothing is missing; returns how many vectors were stored. Joins a run that is under way, so progress is
   * then that run's own. Throws what the embedder throws.
   */
  async drain(onProgress?: (progress: EmbedProgress) => void, signal?: AbortSignal): Promise<number> {
    while (this.#run !== null) await this.#run.catch(() => {});
    const run = this.#drain(onProgress, signal).finally(() => {
      this.#run = null;
    });
    this.#run = run;
    return run;
  }

  /**
   * Embeds what these entities miss ahead of everything else, for at most `timeoutMs`. Never throws: what could not be
   * done is left to the background.
   */
  async embedSoon(entities: readonly EntityId[], timeoutMs: number): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const timeout = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, timeoutMs);
    });
    await Promise.race([
      this.#embed(await this.#engine.missingVectors(SOON_TEXTS, entities), this.#stop.signal),
      timeout,
    ]).catch(() => {});
    clearTimeout(timer);
    this.kick();
  }

  async close(): Promise<void> {
    this.#stop.abort();
    if (this.#retry !== null) clearTimeout(this.#retry);
    await this.#run?.catch(() => {});
  }

  async #drain(onProgress?: (progress: EmbedProgress) => void, signal?: AbortSignal): Promise<number> {
    const stop = signal === undefined ? this.#stop.signal : AbortSignal.any([this.#stop.signal, signal]);
    const total = (await this.#engine.stats()).missingVectors;
    let done = 0;
    onProgress?.({ done, total });
    while (!stop.aborted) {
      const pending = await this.#engine.missingVectors(BATCH_TEXTS);
      if (pending.length === 0) break;
      let stored: number;
      try {
        stored = await this.#embed(pending, stop);
      } catch (error) {
        if (stop.aborted) break;
        throw error;
      }
      done += stored;
      onProgress?.({ done, total: Math.max(total, done) });
    }
    return done;
  }

  /** Embeds and stores; returns how many were stored. */
  async #embed(pending: readonly PendingUnit[], signal: AbortSignal): Promise<number> {
    if (pending.length === 0) return 0;
    const texts = pending.map((unit) => unit.text);
    const vectors = await this.#embedder.embed(texts, { as: 'document', signal });
    if (signal.aborted) return 0;
    return this.#engine.putVectors(pending.map(({ unit, textHash }, i) => ({ unit, textHash, vector: vectors[i]! })));
  }

  #retryLater(error: unknown): void {
    if (this.#stop.signal.aborted) return;
    const wait = RETRY_MS[Math.min(this.#failures, RETRY_MS.length - 1)]!;
    this.#failures += 1;
    this.#onError?.(
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
