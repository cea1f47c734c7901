import { Bitset } from '../../../search/filter/bitset.ts';
import { WaitingOrder } from './waiting-order.ts';

/** Rows that want a vector and have none. */
export class WaitingRows {
  readonly rows = new Bitset();
  readonly #order = new WaitingOrder();
  #count = 0;

  get count(): number {
    return this.#count;
  }

  has(row: number): boolean {
    return this.rows.has(row);
  }

  /** Returns whether it changed. */
  set(row: number, isWaiting: boolean): boolean {
    if (isWaiting === this.rows.has(row)) return false;
    this.rows.set(row, isWaiting);
    if (isWaiting) this.#order.add(row);
    else this.#order.delete(row);
    this.#count += isWaiting ? 1 : -1;
    return true;
  }

  /** `compare` must order by unit id. */
  inOrder(compare: (a: number, b: number) => number): Iterable<number> {
    return this.#order.rows((row) => this.rows.has(row), compare);
  }
}
