import { DowserError, toDowserError } from '../../model/errors/errors.ts';
import { SearchBreaker } from '../../turns/search-breaker.ts';
import type { ReadOptions, ReadText, Reranker } from './reranker.ts';

export interface GuardOptions {
  /** How long a search waits. */
  readonly timeoutMs: number;
  /** Called when it begins to fail, when it fails for another reason, and when it works again (null). */
  readonly onChange?: ((error: DowserError | null) => void) | undefined;
  readonly now?: (() => number) | undefined;
}

/** Searches do not wait for a reranker that is slow or down: it has a timeout, and after two failures it is paused. */
export class GuardedReranker implements Reranker {
  readonly id: string;
  readonly #inner: Reranker;
  readonly #options: GuardOptions;
  readonly #breaker: SearchBreaker;
  /** Why the last call failed; null: it worked. */
  #reason: string | null = null;
  #isClosed = false;

  constructor(inner: Reranker, options: GuardOptions) {
    this.id = inner.id;
    this.#inner = inner;
    this.#options = options;
    this.#breaker = new SearchBreaker(options.now);
  }

  /** While it is paused, throws the error of the last call. */
  async read(query: string, texts: readonly ReadText[], { signal }: ReadOptions = {}): Promise<readonly number[]> {
    signal?.throwIfAborted();
    if (texts.length === 0) return [];
    const entered = this.#breaker.enter();
    const late = AbortSignal.timeout(this.#options.timeoutMs);
    try {
      const until = signal === undefined ? late : AbortSignal.any([signal, late]);
      const readings = await this.#inner.read(query, texts, { signal: until });
      this.#breaker.succeeded();
      this.#note(null);
      return readings;
    } catch (thrown) {
      signal?.throwIfAborted();
      const error = late.aborted ? this.#tooLate() : toDowserError(thrown);
      this.#breaker.failed(error, entered);
      this.#note(error);
      throw error;
    }
  }

  close(): Promise<void> {
    this.#isClosed = true;
    return this.#inner.close();
  }

  #note(error: DowserError | null): void {
    const reason = error === null ? null : (error.details?.reason ?? error.message);
    if (reason === this.#reason || this.#isClosed) return;
    this.#reason = reason;
    this.#options.onChange?.(error);
  }

  #tooLate(): DowserError {
    const reason = `did not answer within ${this.#options.timeoutMs} ms`;
    return new DowserError('EMBEDDER_UNAVAILABLE', `The reranker ${this.id} ${reason}.`, {
      hint: 'Raise RERANK_TIMEOUT_MS, or use a faster model.',
      details: { reason: `it ${reason}` },
    });
  }
}
