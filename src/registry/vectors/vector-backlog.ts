import type { Embedder } from '../../embedders/embedder.ts';
import type { Engine } from '../../engines/engine.ts';
import type { PendingUnit } from '../../engines/vector-upkeep.ts';
import type { EntityId } from '../../model/entity.ts';
import { DowserError } from '../../model/errors.ts';

/** Texts for one call of the embedder: small enough that a stop, a query or a crash never waits long. */
const BATCH_TEXTS = 128;

/** A write of more units than this is a bulk load: it does not wait for its vectors to the end. */
const SOON_TEXTS = 256;

/** So many refused texts one after the other are a sign that the model refuses everything. */
const REFUSED_MODEL = 3;

/** How long to leave a failing embedder alone; its own breaker refuses quickly in between. */
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
  /** Told of each failure of the background run; the queue itself goes on trying. */
  readonly onError: ((error: unknown, retryInMs: number) => void) | undefined;
  /** Waited for at the end of a run that left nothing to embed. */
  readonly onDone: () => Promise<void>;
}

/**
 * Brings vectors of one embedder to units that have none. The list of what is missing lives in the engine, so nothing is
 * lost when the process dies and nothing is queued twice. At most one run is under way at a time.
 */
export class VectorBacklog {
  readonly #engine: Engine;
  readonly #embedder: Embedder;
  readonly #onError: VectorBacklogOptions['onError'];
  readonly #onDone: VectorBacklogOptions['onDone'];
  readonly #background: boolean;
  readonly #stop = new AbortController();
  readonly #stopped = new Promise<void>((resolve) => {
    this.#stop.signal.addEventListener('abort', () => resolve(), { once: true });
  });
  /** Writes that wait for their own vectors. */
  readonly #soon = new Set<Promise<void>>();
  /** Hashes of texts that the model will not take. */
  readonly #refused = new Set<string>();
  #refusedInARow = 0;
  #batch = BATCH_TEXTS;
  #run: Promise<number> | null = null;
  #again = false;
  #retry: NodeJS.Timeout | null = null;
  #failures = 0;
  #failedAt = 0;

  constructor({ engine, embedder, onError, onDone, background }: VectorBacklogOptions) {
    this.#onDone = onDone;
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

  /** The embedder has answered somebody: a run that waits for it need wait no longer than the shortest pause. */
  nudge(): void {
    if (this.#retry === null || Date.now() - this.#failedAt < RETRY_MS[0]) return;
    clearTimeout(this.#retry);
    this.#retry = null;
    this.kick();
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
    const work = this.#engine.vectors
      .missing(SOON_TEXTS, entities, this.#embedder.id)
      .then((pending) => this.#embed(pending, this.#stop.signal))
      .then(
        () => undefined,
        () => undefined,
      );
    this.#soon.add(work);
    work.finally(() => this.#soon.delete(work));
    await Promise.race([work, timeout, this.#stopped]);
    clearTimeout(timer);
    this.kick();
  }

  /** Ends every run; what is missing stays missing until the next start. */
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
      const missing = await this.#engine.vectors.missing(
        this.#batch + this.#refused.size,
        undefined,
        this.#embedder.id,
      );
      const pending = missing.filter((unit) => !this.#refused.has(unit.textHash)).slice(0, this.#batch);
      if (pending.length === 0) break;
      let stored: number;
      try {
        stored = await this.#embed(pending, stop);
      } catch (error) {
        if (stop.aborted) break;
        this.#narrow(pending, error);
        throw error;
      }
      this.#batch = Math.min(BATCH_TEXTS, this.#batch * 2);
      this.#refusedInARow = 0;
      done += stored;
      onProgress?.({ done, total: Math.max(total, done) });
    }
    if (!stop.aborted) await this.#onDone();
    return done;
  }

  async #countMissing(): Promise<number> {
    const { missingVectors, building } = await this.#engine.index.stats();
    return building?.id === this.#embedder.id ? building.missingVectors : missingVectors;
  }

  /**
   * One text that the model refuses must not keep the others waiting for ever: batches are halved until it is alone, and
   * then it is left out until it changes or the process starts again. When several in a row are refused it is not the
   * texts but the model, a wrong key for instance, and nothing is left out.
   */
  #narrow(pending: readonly PendingUnit[], error: unknown): void {
    if (!(error instanceof DowserError) || error.code !== 'EMBEDDER_REJECTED') return;
    if (pending.length > 1) {
      this.#batch = Math.max(1, Math.floor(pending.length / 2));
      return;
    }
    this.#refusedInARow += 1;
    if (this.#refusedInARow < REFUSED_MODEL) this.#refused.add(pending[0]!.textHash);
    else this.#refused.clear();
  }

  /** Embeds and stores; returns how many were stored. */
  async #embed(pending: readonly PendingUnit[], signal: AbortSignal): Promise<number> {
    if (pending.length === 0) return 0;
    const texts = pending.map((unit) => unit.text);
    const vectors = await this.#embedder.embed(texts, { as: 'document', signal });
    if (signal.aborted) return 0;
    const made = pending.map(({ unit, textHash }, i) => ({ unit, textHash, vector: vectors[i]! }));
    return this.#engine.vectors.put(made, this.#embedder.id);
  }

  #retryLater(error: unknown): void {
    if (this.#stop.signal.aborted) return;
    const wait = RETRY_MS[Math.min(this.#failures, RETRY_MS.length - 1)]!;
    this.#failures += 1;
    this.#failedAt = Date.now();
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
