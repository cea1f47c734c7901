import { setTimeout as sleep } from 'node:timers/promises';
import { DowserError } from '../../model/errors.ts';

const MAX_ATTEMPTS = 3;
/** An endpoint that wants more patience than this counts as down; the breaker tries again later. */
const MAX_RETRY_AFTER_MS = 20_000;

/** An answer other than success, or none. */
export class EndpointError extends DowserError {
  /** Of the answer, when there was one. */
  readonly status: number | undefined;
  /** Another attempt may go better. */
  readonly mayPass: boolean;
  readonly retryAfterMs: number | undefined;

  constructor(
    code: 'EMBEDDER_UNAVAILABLE' | 'EMBEDDER_REJECTED',
    message: string,
    details: { hint?: string; cause?: unknown; status?: number; mayPass?: boolean; retryAfterMs?: number } = {},
  ) {
    super(code, message, details);
    this.status = details.status;
    this.mayPass = details.mayPass ?? false;
    this.retryAfterMs = details.retryAfterMs;
  }
}

export interface AttemptsOptions {
  /** What is called, for the sentence of a closed one. */
  readonly name: string;
  /** Of one attempt. */
  readonly timeoutMs: number;
  /** Waited before the second attempt, doubled before the third, unless the endpoint says how long. */
  readonly backoffMs: number;
}

/** Calls something remote up to three times. Every provider behind a network has the same patience. */
export class Attempts {
  readonly #options: AttemptsOptions;
  readonly #closing = new AbortController();

  constructor(options: AttemptsOptions) {
    this.#options = options;
  }

  /** Ends every call under way; later ones throw EMBEDDER_UNAVAILABLE. */
  close(): void {
    this.#closing.abort();
  }

  /**
   * What `attempt` gives. It is called again after an EndpointError that may pass, and is to stop at the signal it gets;
   * `overTime` is aborted when the time of one attempt is up. Throws the signal's reason when the caller aborts.
   */
  async run<T>(
    attempt: (signal: AbortSignal, overTime: AbortSignal) => Promise<T>,
    signal: AbortSignal | undefined,
  ): Promise<T> {
    const { timeoutMs, backoffMs } = this.#options;
    for (let count = 1; ; count++) {
      this.#stopIfUnwanted(signal);
      const overTime = AbortSignal.timeout(timeoutMs);
      try {
        return await attempt(this.#anyOf(signal, overTime), overTime);
      } catch (error) {
        this.#stopIfUnwanted(signal);
        if (!(error instanceof EndpointError) || !error.mayPass || count === MAX_ATTEMPTS) throw error;
        const waitMs = error.retryAfterMs ?? backoffMs * 2 ** (count - 1);
        if (waitMs > MAX_RETRY_AFTER_MS) throw error;
        await sleep(waitMs, undefined, { signal: this.#anyOf(signal) }).catch(() => this.#stopIfUnwanted(signal));
      }
    }
  }

  #anyOf(...signals: readonly (AbortSignal | undefined)[]): AbortSignal {
    return AbortSignal.any([this.#closing.signal, ...signals.filter((signal) => signal !== undefined)]);
  }

  #stopIfUnwanted(signal: AbortSignal | undefined): void {
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

/** Whether a status says that the same request may be answered later. */
export function isPassing(status: number): boolean {
  return status === 408 || status === 429 || status >= 500;
}
