/** How much one request counts in the mean time: the mean follows the last fifty or so. */
const WEIGHT = 1 / 50;
/** Those who are served ask again too: of each round, this share is for those who come back. */
const RETURN_SHARE = 0.5;
const MIN_SECONDS = 1;
/** However many come: the server may be free before. */
const MAX_SECONDS = 10;

/**
 * Says when a refused request may come again. Those who were sent away and are not due yet come before it, so that clients come
 * back a few at a time. A thousand who all come back each second would take the time of those who are served.
 */
export class RetryTimes {
  readonly #places: number;
  readonly #now: () => number;
  /** How many come again, by the second in which they are due. */
  readonly #due = new Map<number, number>();
  #meanMs: number | undefined;

  /** `places`: requests that the server has at once. `now`: milliseconds of a clock that never goes back. */
  constructor(places: number, now: () => number) {
    this.#places = places;
    this.#now = now;
  }

  /** A request was served within so many milliseconds, its wait included. */
  served(ms: number): void {
    this.#meanMs = this.#meanMs === undefined ? ms : this.#meanMs + WEIGHT * (ms - this.#meanMs);
  }

  /** The seconds to wait, for one request that is refused now. All places together are free again after the mean time. */
  refused(): number {
    const now = this.#now() / 1000;
    const rounds = 1 + this.#before(now) / (this.#places * RETURN_SHARE);
    const needed = Math.ceil((rounds * (this.#meanMs ?? 0)) / 1000);
    const seconds = Math.min(Math.max(needed, MIN_SECONDS), MAX_SECONDS);
    const due = Math.floor(now + seconds);
    this.#due.set(due, (this.#due.get(due) ?? 0) + 1);
    return seconds;
  }

  /** How many were refused and are not due yet. */
  #before(now: number): number {
    let count = 0;
    for (const [second, requests] of this.#due) {
      if (second < Math.floor(now)) this.#due.delete(second);
      else count += requests;
    }
    return count;
  }
}
