import { setTimeout as sleep } from 'node:timers/promises';
import { DowserError, type DowserErrorOptions } from '../../model/errors/errors.ts';

const MAX_ATTEMPTS = 3;
/** An endpoint that asks for a longer wait counts as down. The breaker tries again later. */
const MAX_RETRY_AFTER_MS = 20_000;

/** The settings that every remote embedder has. */
export interface RemoteOptions {
  readonly model: string;
  readonly dimensions: number;
  /** Default: the address of the provider. */
  readonly apiBase?: string | undefined;
  readonly apiKey?: string | undefined;
  /** For one attempt. Default 30 s. */
  readonly timeoutMs?: number | undefined;
  /** The wait before the second attempt, doubled before the third. Default 500. The endpoint's Retry-After comes first. */
  readonly backoffMs?: number | undefined;
}

/** An answer that is not a success. */
export class RefusedRequest extends Error {
  readonly status: number;
  readonly retryAfterMs: number | undefined;

  constructor(status: number, message: string, retryAfter: string | null | undefined, cause?: unknown) {
    super(message, { cause });
    this.status = status;
    this.retryAfterMs = toRetryAfterMs(retryAfter);
  }
}

/** The endpoint failed or did not answer. */
export class EndpointError extends DowserError {
  /** The HTTP status, if there was an answer. */
  readonly status: number | undefined;
  /** How long to wait before another attempt; undefined if it would fail too. */
  readonly retryAfterMs: number | undefined;

  constructor(
    code: 'EMBEDDER_UNAVAILABLE' | 'EMBEDDER_REJECTED',
    message: string,
    options: DowserErrorOptions & { status?: number; retryAfterMs?: number } = {},
  ) {
    super(code, message, options);
    this.status = options.status;
    this.retryAfterMs = options.retryAfterMs;
  }
}

/** What to check after a failure. */
export interface EndpointHints {
  readonly network: string;
  /** For 401 and 403. */
  readonly denied: string;
  /** For 404. */
  readonly missing: string;
}

/** Calls a remote endpoint up to three times. */
export class Attempts {
  readonly #name: string;
  readonly #hints: EndpointHints;
  readonly #timeoutMs: number;
  readonly #backoffMs: number;
  readonly #closing = new AbortController();

  /** `name` is the name of the endpoint in errors. */
  constructor(
    name: string,
    hints: EndpointHints,
    { timeoutMs, backoffMs }: Pick<RemoteOptions, 'timeoutMs' | 'backoffMs'>,
  ) {
    this.#name = name;
    this.#hints = hints;
    this.#timeoutMs = timeoutMs ?? 30_000;
    this.#backoffMs = backoffMs ?? 500;
  }

  /** Aborts running calls. Later calls throw EMBEDDER_UNAVAILABLE. */
  close(): void {
    this.#closing.abort();
  }

  /**
   * Returns the result of `attempt`, which must stop at its signal and throw a RefusedRequest for an answer that is not a
   * success. Calls it again if that may help. Throws EndpointError, and the signal's reason when the caller aborts.
   */
  async run<T>(attempt: (signal: AbortSignal) => Promise<T>, signal: AbortSignal | undefined): Promise<T> {
    for (let count = 1; ; count++) {
      this.#throwIfStopped(signal);
      const timeout = AbortSignal.timeout(this.#timeoutMs);
      try {
        return await attempt(this.#anyOf(signal, timeout));
      } catch (thrown) {
        this.#throwIfStopped(signal);
        const error = this.#toError(thrown, timeout.aborted, this.#backoffMs * 2 ** (count - 1));
        const waitMs = error instanceof EndpointError ? error.retryAfterMs : undefined;
        if (waitMs === undefined || waitMs > MAX_RETRY_AFTER_MS || count === MAX_ATTEMPTS) throw error;
        await sleep(waitMs, undefined, { signal: this.#anyOf(signal) }).catch(() => this.#throwIfStopped(signal));
      }
    }
  }

  #toError(cause: unknown, isTimeout: boolean, backoffMs: number): DowserError {
    if (cause instanceof DowserError) return cause;
    const endpoint = `The embedding endpoint ${this.#name}`;
    const { network: hint, denied, missing } = this.#hints;
    if (isTimeout) {
      const message = `${endpoint} did not answer within ${this.#timeoutMs} ms.`;
      return new EndpointError('EMBEDDER_UNAVAILABLE', message, { hint, cause, retryAfterMs: backoffMs });
    }
    if (!(cause instanceof RefusedRequest)) {
      // A refused connection would be refused again.
      return new EndpointError('EMBEDDER_UNAVAILABLE', `${endpoint} cannot be reached: ${reasonOf(cause)}.`, {
        hint,
        cause,
      });
    }
    const { status, retryAfterMs = backoffMs } = cause;
    const said = oneLine(cause.message);
    const message = `${endpoint} answers ${status}${said === '' ? '' : `: ${said}`}.`;
    if (status === 408 || status === 429 || status >= 500) {
      return new EndpointError('EMBEDDER_UNAVAILABLE', message, { status, retryAfterMs, cause });
    }
    const check = { 401: denied, 403: denied, 404: missing }[status];
    return new EndpointError('EMBEDDER_REJECTED', message, { status, hint: check, cause });
  }

  #anyOf(...signals: readonly (AbortSignal | undefined)[]): AbortSignal {
    return AbortSignal.any([this.#closing.signal, ...signals.filter((signal) => signal !== undefined)]);
  }

  #throwIfStopped(signal: AbortSignal | undefined): void {
    signal?.throwIfAborted();
    if (this.#closing.signal.aborted) {
      throw new EndpointError('EMBEDDER_UNAVAILABLE', `The embedder at ${this.#name} is closed.`);
    }
  }
}

/** Seconds or a date (RFC 9110, 10.2.3). */
export function toRetryAfterMs(header: string | null | undefined, now: number = Date.now()): number | undefined {
  if (header === null || header === undefined) return undefined;
  const ms = /^\d+$/.test(header.trim()) ? Number(header) * 1000 : Date.parse(header) - now;
  return Number.isNaN(ms) ? undefined : Math.max(0, ms);
}

/** Runtimes put the reason of a failed request in nested causes. */
function reasonOf(error: unknown): string {
  const cause = error instanceof Error ? error.cause : undefined;
  if (cause instanceof Error && 'code' in cause) return String(cause.code);
  return error instanceof Error ? error.message : String(error);
}

function oneLine(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ').trim();
  return (line.length > 200 ? `${line.slice(0, 197)}...` : line).replace(/\.$/, '');
}
