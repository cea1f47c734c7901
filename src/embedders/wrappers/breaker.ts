import { DowserError, RefusedText } from '../../model/errors/errors.ts';
import type { Embedder, EmbedderState, EmbedOptions } from '../embedder.ts';
import { LoadFailure } from '../load-failure.ts';

export interface BreakerOptions {
  /** Timeout of a query. Default 5 s. Documents have no timeout here. */
  readonly queryTimeoutMs?: number | undefined;
  readonly now?: (() => number) | undefined;
}

/** This many EMBEDDER_UNAVAILABLE in a row open the breaker. */
const FAILURES_TO_OPEN = 2;
/** Each failed trial doubles it. */
const FIRST_PAUSE_MS = 1000;
const MAX_PAUSE_MS = 30_000;

/** Any model embeds it. It tells a text that is refused from a model that refuses everything. */
const PROBE = 'tool';

/** `trial` is the one call that finds out whether the embedder is back. */
type Pass = 'closed' | 'trial';

/**
 * A circuit breaker: callers do not wait for an embedder that is down.
 *
 * - Closed: every call goes through.
 * - Open: calls fail at once. After a pause, one call goes through as a trial. Success closes the breaker; failure doubles
 *   the pause.
 * - A refused or unusable answer may be the fault of the text: a harmless text is asked for, and if that works, only this call
 *   fails, with `RefusedText`. So no caller can turn the model off for others.
 * - Aborted calls do not count. A model or library that does not load opens the breaker at once.
 * - While a model is fetched or loaded, the first query waits for its timeout. Later queries fail at once.
 */
export class BreakerEmbedder implements Embedder {
  readonly id: string;
  readonly dimensions: number;
  readonly language: Embedder['language'];
  readonly #inner: Embedder;
  readonly #queryTimeoutMs: number;
  readonly #now: () => number;
  #failures = 0;
  #isTrying = false;
  #probe: Promise<boolean> | null = null;
  #hasWaitedForLoading = false;
  #open: {
    readonly error: DowserError;
    readonly since: number;
    readonly pauseMs: number;
    readonly retryAt: number;
  } | null = null;

  constructor(inner: Embedder, options: BreakerOptions = {}) {
    this.id = inner.id;
    this.dimensions = inner.dimensions;
    this.language = inner.language;
    this.#inner = inner;
    this.#queryTimeoutMs = options.queryTimeoutMs ?? 5000;
    this.#now = options.now ?? Date.now;
  }

  get loading(): boolean {
    return this.#inner.loading === true;
  }

  state(): EmbedderState {
    const { id } = this;
    if (this.#open === null) return { id, state: this.loading ? 'loading' : 'ready' };
    const { error, since, retryAt } = this.#open;
    return {
      id,
      state: 'down',
      error: `${error.message} Down since ${new Date(since).toISOString()}.`,
      retryAt: new Date(retryAt).toISOString(),
    };
  }

  async embed(texts: readonly string[], options: EmbedOptions): Promise<readonly Float32Array[]> {
    options.signal?.throwIfAborted();
    if (texts.length === 0) return [];
    const pass = this.#enter(options);
    if (pass === 'closed' || texts.length === 1) return this.#through(pass, texts, options);
    // A trial is one text: a long call would keep others waiting to learn that the embedder is back.
    const first = await this.#through(pass, texts.slice(0, 1), options);
    return [...first, ...(await this.embed(texts.slice(1), options))];
  }

  /** Loads the model. A failure opens the breaker at once. */
  async warm(): Promise<void> {
    if (this.#inner.warm === undefined) return;
    try {
      await this.#inner.warm();
      this.#succeeded();
    } catch (error) {
      this.#openFor(toUnavailable(error, this.id));
      throw error;
    }
  }

  close(): Promise<void> {
    return this.#inner.close();
  }

  #enter({ as, retry = false }: EmbedOptions): Pass {
    if (!this.loading) this.#hasWaitedForLoading = false;
    else if (as === 'query' && this.#hasWaitedForLoading) throw this.#stillLoading();
    if (this.#open === null) return 'closed';
    const isPaused = this.#isTrying || this.#now() < this.#open.retryAt;
    if (isPaused && !retry) throw this.#refused(this.#open.error, this.#open.retryAt);
    this.#isTrying = true;
    return 'trial';
  }

  #through(pass: Pass, texts: readonly string[], options: EmbedOptions): Promise<readonly Float32Array[]> {
    const timeout = new AbortController();
    const signal = options.signal === undefined ? timeout.signal : AbortSignal.any([options.signal, timeout.signal]);
    let isCounted = false;
    const count = (outcome: () => void) => {
      if (isCounted) return;
      isCounted = true;
      if (pass === 'trial') this.#isTrying = false;
      if (options.signal?.aborted !== true) outcome();
    };
    return new Promise((resolve, reject) => {
      const timer = options.as === 'query' ? setTimeout(() => onTimeout(), this.#queryTimeoutMs) : undefined;
      const onTimeout = () => {
        if (this.loading) {
          // The call continues: slow loading is not a failure, and its outcome still counts.
          this.#hasWaitedForLoading = true;
          return reject(this.#stillLoading());
        }
        const error = this.#tooSlow();
        count(() => this.#failed(pass, error));
        timeout.abort(error);
        reject(error);
      };
      this.#inner
        .embed(texts, { as: options.as, signal })
        .finally(() => clearTimeout(timer))
        .then(
          (vectors) => {
            count(() => this.#succeeded());
            resolve(vectors);
          },
          async (thrown: unknown) => {
            const isOfText = await this.#isFaultOfText(thrown, texts, options);
            const error = isOfText ? new RefusedText(toUnavailable(thrown, this.id)) : thrown;
            count(() => (error instanceof RefusedText ? this.#succeeded() : this.#failed(pass, error)));
            reject(error);
          },
        );
    });
  }

  /** One probe at a time: those who fail meanwhile share its result. It does not end with a caller. */
  async #isFaultOfText(thrown: unknown, texts: readonly string[], { as, signal }: EmbedOptions): Promise<boolean> {
    if (!mayBeText(thrown) || signal?.aborted === true) return false;
    if (texts.every((text) => text === PROBE)) return false;
    this.#probe ??= this.#inner
      .embed([PROBE], { as, fresh: true, signal: AbortSignal.timeout(this.#queryTimeoutMs) })
      .then(
        () => true,
        () => false,
      )
      .finally(() => {
        this.#probe = null;
      });
    return this.#probe;
  }

  #succeeded(): void {
    this.#failures = 0;
    this.#open = null;
  }

  #failed(pass: Pass, thrown: unknown): void {
    const error = toUnavailable(thrown, this.id);
    this.#failures++;
    const isPermanent = error.code === 'EMBEDDER_REJECTED' || error instanceof LoadFailure;
    // This call began before the breaker opened, so its failure adds nothing.
    if (pass === 'closed' && this.#open !== null) return;
    if (pass === 'trial' || isPermanent || this.#failures >= FAILURES_TO_OPEN) this.#openFor(error);
  }

  #openFor(error: DowserError): void {
    const now = this.#now();
    const pauseMs = error instanceof LoadFailure ? MAX_PAUSE_MS : this.#nextPauseMs();
    this.#open = { error, since: this.#open?.since ?? now, pauseMs, retryAt: now + pauseMs };
  }

  #nextPauseMs(): number {
    return this.#open === null ? FIRST_PAUSE_MS : Math.min(this.#open.pauseMs * 2, MAX_PAUSE_MS);
  }

  #refused(error: DowserError, retryAt: number): DowserError {
    const again = retryAt > this.#now() ? ` Next attempt at ${new Date(retryAt).toISOString()}.` : '';
    return new DowserError('EMBEDDER_UNAVAILABLE', `The embedder ${this.id} is down: ${error.message}${again}`, {
      hint: error.hint,
      cause: error,
    });
  }

  #stillLoading(): DowserError {
    return new DowserError('EMBEDDER_UNAVAILABLE', `The embedder ${this.id} is still loading its model.`, {
      hint: 'Try again in a moment.',
    });
  }

  #tooSlow(): DowserError {
    const message = `The embedder ${this.id} did not answer within ${this.#queryTimeoutMs} ms.`;
    return new DowserError('EMBEDDER_UNAVAILABLE', message);
  }
}

/** A wrong key or address. */
const NEVER_TEXT: readonly unknown[] = [401, 403, 404];

/** Answers about the request itself, and failures inside the endpoint, such as a vector that is not a number. */
function mayBeText(thrown: unknown): boolean {
  if (!(thrown instanceof DowserError) || thrown instanceof LoadFailure) return false;
  const { status } = thrown as { readonly status?: unknown };
  return status === 500 || (thrown.code === 'EMBEDDER_REJECTED' && !NEVER_TEXT.includes(status));
}

function toUnavailable(thrown: unknown, id: string): DowserError {
  if (thrown instanceof DowserError) return thrown;
  return new DowserError('EMBEDDER_UNAVAILABLE', `The embedder ${id} failed.`, { cause: thrown });
}
