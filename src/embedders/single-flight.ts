/**
 * Work that several callers wait for. It is aborted when the last of them has given up, never because one has.
 */
export class Flight {
  readonly #controller = new AbortController();
  readonly #onAbandoned: () => void;
  #waiting = 0;

  constructor(onAbandoned: () => void) {
    this.#onAbandoned = onAbandoned;
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  join(): void {
    this.#waiting++;
  }

  /** A caller has what it wanted, or no longer wants it. */
  leave(reason: unknown): void {
    this.#waiting--;
    if (this.#waiting > 0 || this.#controller.signal.aborted) return;
    this.#onAbandoned();
    this.#controller.abort(reason);
  }
}
