import { DowserError } from '../model/errors.ts';

export interface AdmissionLimits {
  /** Requests that are worked on at once. */
  readonly running: number;
  /** Requests that wait for their turn. More are refused. */
  readonly waiting: number;
  /** How long a request may wait. */
  readonly waitMs: number;
}

interface Waiter {
  start(): void;
}

/** The error of a request that the server has no room for. */
export function overloaded(what: string): DowserError {
  return new DowserError('OVERLOADED', `The server is busy: ${what}.`, {
    hint: 'Send the request again after the time in the Retry-After header.',
  });
}

/**
 * Admits what can be served and refuses the rest at once, so that those who are served are served in time. Requests start in
 * the order they came, one in each turn of the event loop: many that arrive together would otherwise keep everything else,
 * such as a health check or a finished embedding, waiting for all of them.
 */
export class Admission {
  readonly #limits: AdmissionLimits;
  readonly #waiting: Waiter[] = [];
  #running = 0;
  #refused = 0;
  #hasStartedThisTurn = false;

  constructor(limits: AdmissionLimits) {
    this.#limits = limits;
  }

  get counts(): { readonly running: number; readonly waiting: number; readonly refused: number } {
    return { running: this.#running, waiting: this.#waiting.length, refused: this.#refused };
  }

  /** Throws OVERLOADED where `enter` would. */
  check(): void {
    const { running, waiting } = this.#limits;
    if (this.#running + this.#waiting.length < running + waiting) return;
    this.#refused++;
    throw overloaded(`it has ${running} requests at work and ${waiting} waiting`);
  }

  /**
   * Waits for a turn. Call the result once, when the work is over. Throws OVERLOADED, or the signal's reason if it aborts
   * before the turn.
   */
  enter(signalOf?: () => AbortSignal): Promise<() => void> {
    return new Promise((resolve, reject) => {
      this.check();
      const leave = () => {
        this.#running--;
        this.#startNext();
      };
      const waiter: Waiter = { start: () => resolve(leave) };
      this.#waiting.push(waiter);
      this.#startNext();
      if (!this.#waiting.includes(waiter)) return;
      // Only a request that has to wait pays for a timer and a signal.
      const signal = signalOf?.();
      const timer = setTimeout(() => {
        this.#refused++;
        giveUp(overloaded(`the request waited ${this.#limits.waitMs} ms for its turn`));
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
