import type { DowserError } from '../model/errors/errors.ts';

/** This many failures in a row open it. */
const FAILURES_TO_OPEN = 2;
const PAUSE_MS = 1_000;
const MAX_PAUSE_MS = 30_000;

/** Searches do not wait for a server that is down: while it is open, they fail at once. One trial after each pause. */
export class SearchBreaker {
  readonly #now: () => number;
  #failures = 0;
  /** How often it has opened, or stayed open after a trial. */
  #openings = 0;
  #open: { readonly error: DowserError; readonly pauseMs: number; retryAt: number } | null = null;

  constructor(now: () => number = Date.now) {
    this.#now = now;
  }

  /** Null while searches may try. */
  get error(): DowserError | null {
    return this.#open?.error ?? null;
  }

  /** Throws while it is open. Lets one search through after each pause. Returns what to say if that search fails. */
  enter(): number {
    if (this.#open !== null) {
      if (this.#now() < this.#open.retryAt) throw this.#open.error;
      this.#open.retryAt = this.#now() + this.#open.pauseMs;
    }
    return this.#openings;
  }

  succeeded(): void {
    this.#failures = 0;
    this.#open = null;
  }

  /** `entered`: as `enter` returned it. A search that began before it opened says nothing new. */
  failed(error: DowserError, entered: number): void {
    if (entered < this.#openings) return;
    this.#failures++;
    if (this.#open === null && this.#failures < FAILURES_TO_OPEN) return;
    const pauseMs = this.#open === null ? PAUSE_MS : Math.min(this.#open.pauseMs * 2, MAX_PAUSE_MS);
    this.#openings++;
    this.#open = { error, pauseMs, retryAt: this.#now() + pauseMs };
  }
}
