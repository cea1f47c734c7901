/** A follower that does not read loses the oldest events. */
const MAX_WAITING = 1000;

type Next<E> = (result: IteratorResult<E, undefined>) => void;

/** Events that wait to be read, in order. Unlike a generator, it ends at once, also while its reader waits. */
export class EventQueue<E> implements AsyncIterableIterator<E, undefined> {
  readonly #waiting: E[] = [];
  readonly #readers: Next<E>[] = [];
  readonly #onEnd: () => void;
  #isDone = false;

  constructor(onEnd: () => void) {
    this.#onEnd = onEnd;
  }

  push(event: E): void {
    if (this.#isDone) return;
    const reader = this.#readers.shift();
    if (reader !== undefined) reader({ done: false, value: event });
    else if (this.#waiting.push(event) > MAX_WAITING) this.#waiting.shift();
  }

  async next(): Promise<IteratorResult<E, undefined>> {
    const [event] = this.#waiting.splice(0, 1);
    if (event !== undefined) return { done: false, value: event };
    if (this.#isDone) return { done: true, value: undefined };
    return new Promise((resolve) => this.#readers.push(resolve));
  }

  async return(): Promise<IteratorResult<E, undefined>> {
    if (!this.#isDone) {
      this.#isDone = true;
      this.#onEnd();
    }
    for (const reader of this.#readers.splice(0)) reader({ done: true, value: undefined });
    return { done: true, value: undefined };
  }

  [Symbol.asyncIterator](): this {
    return this;
  }
}
