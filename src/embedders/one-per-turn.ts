/**
 * Runs work in the order it came, the first at once and then one in each turn of the event loop. Vectors of many queries
 * arrive together: if each search ran at once, everything else would wait for all of them.
 */
export class OnePerTurn {
  readonly #waiting: (() => void)[] = [];
  #hasRunThisTurn = false;

  run(work: () => void): void {
    this.#waiting.push(work);
    this.#next();
  }

  #next(): void {
    if (this.#hasRunThisTurn) return;
    const work = this.#waiting.shift();
    if (work === undefined) return;
    this.#hasRunThisTurn = true;
    setImmediate(() => {
      this.#hasRunThisTurn = false;
      this.#next();
    });
    work();
  }
}
