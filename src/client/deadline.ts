import { DowserError } from '../model/errors/errors.ts';

/** How long a request may take unless the client or the call says otherwise. */
export const DEFAULT_TIMEOUT_MS = 30_000;

/** Runtimes take a longer wait for none at all. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** What Node says when its own `fetch` gives up: five minutes without the head of an answer, or without more of its body. */
export const RUNTIME_TIMEOUTS: readonly string[] = ['UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT'];

/** The cause of an error that says that an answer came too late. Its name is that of what `AbortSignal.timeout` gives. */
export class TimeoutError extends Error {
  override readonly name = 'TimeoutError';
}

/** Whether a call took too long: the server is there, and may still do what was asked. */
export function isTooLate(thrown: unknown): boolean {
  return thrown instanceof DowserError && thrown.cause instanceof TimeoutError;
}

/** Ends a request when its time is over, or when the caller's own signal aborts. */
export class Deadline {
  readonly #controller = new AbortController();
  readonly #given: AbortSignal | undefined;
  readonly #timer: ReturnType<typeof setTimeout> | undefined;
  #isOver = false;

  constructor(timeoutMs: number, given: AbortSignal | undefined) {
    this.#given = given;
    if (given?.aborted === true) this.#follow();
    given?.addEventListener('abort', this.#follow);
    if (timeoutMs > MAX_TIMER_MS) return;
    this.#timer = setTimeout(() => {
      this.#isOver = !this.signal.aborted;
      this.#controller.abort();
    }, timeoutMs);
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Whether it was time that ended the request, and not the caller. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /** A signal of the caller's may live on through thousands of requests, so none may leave anything behind. */
  release(): void {
    clearTimeout(this.#timer);
    this.#given?.removeEventListener('abort', this.#follow);
  }

  readonly #follow = () => this.#controller.abort(this.#given?.reason);
}

/** The compiler does not keep numbers within bounds. */
export function checkTimeout(timeoutMs: unknown): void {
  if (timeoutMs === undefined || (typeof timeoutMs === 'number' && timeoutMs > 0)) return;
  throw new DowserError('INVALID_REQUEST', `'timeoutMs' of the client is ${String(timeoutMs)}: must be above 0.`, {
    field: 'timeoutMs',
    hint: `Give milliseconds, leave it out for ${DEFAULT_TIMEOUT_MS}, or give Infinity for no limit but the runtime's.`,
  });
}

/**
 * For slow calls: a large batch, or vectors that are computed before the answer. Node gives up after five minutes; before
 * that, the client can still say which call it was.
 */
export const SLOW_CALL = { timeoutMs: 290_000 } as const;
