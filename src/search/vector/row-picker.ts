import { type Picked, pickBest, pickFrom, TOO_MANY } from './pick-rows.ts';
import type { QueryForms } from './query-forms.ts';
import type { Scratch, VectorStore } from './vector-store.ts';

/** Makes the sums of a query, lists rows by them in `scratch.rows` and bounds those into `scratch.keys`. */
export class RowPicker {
  readonly scratch: Scratch;
  readonly query: QueryForms;
  readonly #store: VectorStore;
  readonly #rows: number;

  /** `rows` is one more than the highest row. */
  constructor(store: VectorStore, query: QueryForms, rows: number) {
    this.#store = store;
    this.scratch = store.scratch;
    this.query = query;
    this.#rows = rows;
  }

  /** About `wanted` rows with the best sums over the first columns. */
  best(wanted: number): Picked {
    const { scratch, query } = this;
    this.#store.sum(this.#rows, query.sketch.first, scratch.sums, false);
    const picked = pickBest(this.#store.kernel, scratch, this.#rows, wanted);
    this.#bound(picked.count);
    return picked;
  }

  /** After `best`: how many rows have sums over all columns from `first` on. TOO_MANY: more than `most`, none listed. */
  from(first: number, most: number): number {
    const { scratch, query } = this;
    this.#store.sum(this.#rows, query.sketch.rest, scratch.sums, true);
    const count = pickFrom(this.#store.kernel, scratch, this.#rows, first, most);
    if (count !== TOO_MANY) this.#bound(count);
    return count;
  }

  #bound(count: number): void {
    this.#store.bound(this.scratch, 0, count, this.query.code, this.query.boundTerms());
  }
}
