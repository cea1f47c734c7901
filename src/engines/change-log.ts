import type { EntityId } from '../model/entity.ts';
import type { Changes } from './store.ts';

/** More than any batch has, so that a reader that asks after each batch never has to read everything. */
const KEPT = 10_000;

/** The ids of the last written entities, in order. Only in memory: a new process starts at 0. */
export class ChangeLog {
  readonly #kept: number;
  #ids: EntityId[] = [];
  /** The revision before the first kept id. */
  #from = 0;

  constructor(kept = KEPT) {
    this.#kept = kept;
  }

  record(ids: readonly EntityId[]): void {
    for (const id of ids) this.#ids.push(id);
    if (this.#ids.length <= this.#kept * 2) return;
    const dropped = this.#ids.length - this.#kept;
    this.#ids = this.#ids.slice(dropped);
    this.#from += dropped;
  }

  /** `null`: for a reader that starts now. */
  since(since: number | null): Changes {
    const revision = this.#from + this.#ids.length;
    if (since === null || since < this.#from || since > revision) return { revision, ids: null };
    return { revision, ids: this.#ids.slice(since - this.#from) };
  }
}
