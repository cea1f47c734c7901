import { Bitset } from './bitset.ts';

/** A group with more rows is stored as a bitset. A small group as a bitset would waste a bit for every row of the index. */
const DENSE_ABOVE = 1024;

/** The rows with one value, such as a tag: first a set of numbers, then a bitset when there are many. */
export class RowGroup {
  readonly #denseAbove: number;
  #sparse: Set<number> | null = new Set();
  #dense = new Bitset();
  #size = 0;

  constructor(denseAbove: number = DENSE_ABOVE) {
    this.#denseAbove = denseAbove;
  }

  get size(): number {
    return this.#size;
  }

  has(row: number): boolean {
    return this.#sparse?.has(row) ?? this.#dense.has(row);
  }

  add(row: number): void {
    if (this.#sparse === null) {
      if (this.#dense.has(row)) return;
      this.#size++;
      this.#dense.add(row);
      return;
    }
    this.#sparse.add(row);
    this.#size = this.#sparse.size;
    if (this.#size <= this.#denseAbove) return;
    this.#dense = Bitset.of(this.#sparse);
    this.#sparse = null;
  }

  /** A bitset stays a bitset even with few rows: the group will probably grow again. */
  delete(row: number): void {
    if (!this.has(row)) return;
    this.#size--;
    if (this.#sparse !== null) this.#sparse.delete(row);
    else this.#dense.delete(row);
  }

  addTo(rows: Bitset): void {
    if (this.#sparse === null) rows.union(this.#dense);
    else for (const row of this.#sparse) rows.add(row);
  }
}
