import { setTimeout as sleep } from 'node:timers/promises';
import { DowserError } from '../../model/errors.ts';

const MAX_ATTEMPTS = 3;
/** An endpoint that asks for a longer wait counts as down. The breaker tries again later. */
const MAX_RETRY_AFTER_MS = 20_000;

/** The endpoint failed or did not answer. */
export class EndpointError extends DowserError {
  /** The HTTP status, if there was an answer. */
  readonly status: number | undefined;
  /** Whether another attempt may succeed. */
  readonly isRetryable: boolean;
  readonly retryAfterMs: number | undefined;

  constructor(
    code: 'EMBEDDER_UNAVAILABLE' | 'EMBEDDER_REJECTED',
    message: string,
    options: { hint?: string; cause?: unknown; status?: number; isRetryable?: boolean; retryAfterMs?: number } = {},
  ) {
    super(code, message, options);
    this.status = options.status;
    this.isRetryable = options.isRetryable ?? false;
    this.retryAfterMs = options.retryAfterMs;
  }
}

export interface AttemptsOptions {
  /** The name of the endpoint in errors. */
  readonly name: string;
  /** For one attempt. */
  readonly timeoutMs: number;
  /** The wait before the second attempt, doubled before the third. The endpoint's own Retry-After comes first. */
  readonly backoffMs: number;
}

/** Calls a remote endpoint up to three times. */
export class Attempts {
  readonly #options: AttemptsOptions;
  readonly #closing = new AbortController();

  constructor(options: AttemptsOptions) {
    this.#options = options;
  }

  /** Aborts running calls. Later calls throw EMBEDDER_UNAVAILABLE. */
  close(): void {
    this.#closing.abort();
  }

  /**
   * Returns the result of `attempt`. Calls it again after a retryable EndpointError. `attempt` must stop at its signal;
   * `timeout` aborts when one attempt takes too long. Throws the signal's reason when the caller aborts.
   */
  async run<T>(
    attempt: (signal: AbortSignal, timeout: AbortSignal) => Promise<T>,
    signal: AbortSignal | undefined,
  ): Promise<T> {
    const { timeoutMs, backoffMs } = this.#options;
    for (let count = 1; ; count++) {
      this.#throwIfStopped(signal);
      const timeout = AbortSignal.timeout(timeoutMs);
      try {
        return await attempt(this.#anyOf(signal, timeout), timeout);
      } catch (error) {
        this.#throwIfStopped(signal);
        if (!(error instanceof EndpointError) || !error.isRetryable || count === MAX_ATTEMPTS) throw error;
        const waitMs = error.retryAfterMs ?? backoffMs * 2 ** (count - 1);
        if (waitMs > MAX_RETRY_AFTER_MS) throw error;
        await sleep(waitMs, undefined, { signal: this.#anyOf(signal) }).catch(() => this.#throwIfStopped(signal));
      }
    }
  }

  #anyOf(...signals: readonly (AbortSignal | undefined)[]): AbortSignal {
    return AbortSignal.any([this.#closing.signal, ...signals.filter((signal) => signal !== undefined)]);
  }

  #throwIfStopped(signal: AbortSignal | undefined): void {
    signal?.throwIfAborted();
    if (this.#closing.signal.aborted) {
      throw new EndpointError('EMBEDDER_UNAVAILABLE', `The embedder at ${this.#options.name} is closed.`);
    }
  }
}

/** Seconds or a date (RFC 9110, 10.2.3). */
export function toRetryAfterMs(header: string | null | undefined, now: number = Date.now()): number | undefined {
  if (header === null || header === undefined) return undefined;
  const ms = /^\d+$/.test(header.trim()) ? Number(header) * 1000 : Date.parse(header) - now;
  return Number.isNaN(ms) ? undefined : Math.max(0, ms);
}

/** Whether the same request may succeed later. */
export function isRetryableStatus(status: number): boolean {
  return status === 408 || status === 429 || status >= 500;
}
