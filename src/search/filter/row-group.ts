import { Bitset } from './bitset.ts';

/** Above this many rows a group is kept as bits: a tag on one row must not cost a bit for every row of the index. */
const DENSE_ABOVE = 1024;

/** The rows that share one value, such as a tag. Few rows are kept as a set, many as bits. */
export class RowGroup {
  readonly #denseAbove: number;
  #few: Set<number> | null = new Set();
  #many = new Bitset();
  #size = 0;

  constructor(denseAbove: number = DENSE_ABOVE) {
    this.#denseAbove = denseAbove;
  }

  get size(): number {
    return this.#size;
  }

  has(row: number): boolean {
    return this.#few?.has(row) ?? this.#many.has(row);
  }

  add(row: number): void {
    if (this.#few === null) {
      if (this.#many.has(row)) return;
      this.#size++;
      this.#many.add(row);
      return;
    }
    this.#few.add(row);
    this.#size = this.#few.size;
    if (this.#size <= this.#denseAbove) return;
    this.#many = Bitset.of(this.#few);
    this.#few = null;
  }

  /** A group that was dense stays so: it is likely to grow back. */
  delete(row: number): void {
    if (!this.has(row)) return;
    this.#size--;
    if (this.#few !== null) this.#few.delete(row);
    else this.#many.delete(row);
  }

  addTo(rows: Bitset): void {
    if (this.#few === null) rows.unite(this.#many);
    else for (const row of this.#few) rows.add(row);
  }
}
