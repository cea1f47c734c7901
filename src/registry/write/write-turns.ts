/**
 * Lets one writer at a time read what is stored and write what follows from it, so that two changes of one entity never
 * lose one another. Waiting for vectors happens outside a turn. Holds within one process: an engine that several
 * processes share gives no such promise between them.
 */
export class WriteTurns {
  #last: Promise<unknown> = Promise.resolve();

  take<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#last.then(work, work);
    this.#last = turn.catch(() => {});
    return turn;
  }
}
