import { DowserError } from '../../model/errors/errors.ts';
import { RetryTimes } from './retry-times.ts';

export interface AdmissionLimits {
  /** Requests that are worked on at once. */
  readonly running: number;
  /** Requests that wait for their turn. More are refused. */
  readonly waiting: number;
  /** How long a request may wait. */
  readonly waitMs: number;
  /** Milliseconds of a clock that never goes back. Default: the process's. */
  readonly now?: () => number;
}

/** The share of its places that a server gives while it has more requests than places. */
const OVERLOAD_SHARE = 0.75;
/** Rounds of requests, as many as it has places, that it serves so before it gives all places again. */
const OVERLOAD_ROUNDS = 8;
/** The load is over when less than this share of the places is held. */
const CALM_SHARE = 0.5;

interface Waiter {
  start(): void;
}

/** The error of a request that the server has no room for. `retryAfter`: in seconds. */
export function overloaded(what: string, retryAfter = 1): DowserError {
  return new DowserError('OVERLOADED', `The server is busy: ${what}.`, {
    hint: 'Send the request again after the time in the Retry-After header.',
    details: { retry_after: retryAfter },
  });
}

/**
 * Admits what can be served and refuses the rest at once, so that those who are served are served in time. A server that was
 * full gives fewer places for a while. To refuse costs time too, so with all places held each request would take longer than
 * with as many clients as there are places.
 *
 * Requests start in the order they came, one in each turn of the event loop: many that arrive together would otherwise keep
 * everything else, such as a health check or a finished embedding, waiting for all of them.
 */
export class Admission {
  readonly #limits: AdmissionLimits;
  readonly #places: number;
  readonly #now: () => number;
  readonly #retryTimes: RetryTimes;
  readonly #waiting: Waiter[] = [];
  #running = 0;
  #refused = 0;
  /** Requests to serve before all places are given again. 0: they are. */
  #leftOfOverload = 0;
  #hasStartedThisTurn = false;

  constructor(limits: AdmissionLimits) {
    this.#limits = limits;
    this.#now = limits.now ?? (() => performance.now());
    this.#places = limits.running + limits.waiting;
    this.#retryTimes = new RetryTimes(this.#places, this.#now);
  }

  get counts(): { readonly running: number; readonly waiting: number; readonly refused: number } {
    return { running: this.#running, waiting: this.#waiting.length, refused: this.#refused };
  }

  /** Throws OVERLOADED where `enter` would. */
  check(): void {
    const held = this.#running + this.#waiting.length;
    if (held >= this.#places) this.#leftOfOverload = OVERLOAD_ROUNDS * this.#places;
    else if (held < this.#places * CALM_SHARE) this.#leftOfOverload = 0;
    // Never fewer than may run: long requests could hold all the others up.
    const given =
      this.#leftOfOverload > 0 ? Math.max(this.#limits.running, this.#places * OVERLOAD_SHARE) : this.#places;
    if (held < given) return;
    throw this.#refusal(`it has ${this.#running} requests at work and ${this.#waiting.length} waiting`);
  }

  /**
   * Waits for a turn. Call the result once, when the work is over. Throws OVERLOADED, or the signal's reason if it aborts
   * before the turn.
   */
  enter(signalOf?: () => AbortSignal): Promise<() => void> {
    return new Promise((resolve, reject) => {
      this.check();
      const entered = this.#now();
      const leave = () => {
        this.#retryTimes.served(this.#now() - entered);
        this.#running--;
        if (this.#leftOfOverload > 0) this.#leftOfOverload--;
        this.#startNext();
      };
      const waiter: Waiter = { start: () => resolve(leave) };
      this.#waiting.push(waiter);
      this.#startNext();
      if (!this.#waiting.includes(waiter)) return;
      // Only a request that has to wait pays for a timer and a signal.
      const signal = signalOf?.();
      const timer = setTimeout(() => {
        giveUp(this.#refusal(`the request waited ${this.#limits.waitMs} ms for its turn`));
      }, this.#limits.waitMs);
      const onAbort = () => giveUp(signal?.reason);
      const settle = () => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', onAbort);
      };
      const giveUp = (reason: unknown) => {
        settle();
        this.#waiting.splice(this.#waiting.indexOf(waiter), 1);
        reject(reason);
      };
      waiter.start = () => {
        settle();
        resolve(leave);
      };
      signal?.addEventListener('abort', onAbort, { once: true });
    });
  }

  #refusal(what: string): DowserError {
    this.#refused++;
    return overloaded(what, this.#retryTimes.refused());
  }

  #startNext(): void {
    if (this.#hasStartedThisTurn || this.#running >= this.#limits.running) return;
    const next = this.#waiting.shift();
    if (next === undefined) return;
    this.#hasStartedThisTurn = true;
    setImmediate(() => {
      this.#hasStartedThisTurn = false;
      this.#startNext();
    });
    this.#running++;
    next.start();
  }
}
