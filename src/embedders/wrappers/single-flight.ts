/**
 * Work that several callers share. It is aborted when the last of them has aborted.
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

  /** A caller is done, or has aborted. */
  leave(reason: unknown): void {
    this.#waiting--;
    if (this.#waiting > 0 || this.#controller.signal.aborted) return;
    this.#onAbandoned();
    this.#controller.abort(reason);
  }
}
