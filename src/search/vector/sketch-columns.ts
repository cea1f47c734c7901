import type { Arena } from './arena.ts';
import { BLOCK_ROWS } from './kernel.ts';

/** Columns of this many rows are read at full memory speed. With fewer rows, each column costs extra latency. */
const MAX_AREA_ROWS = 8192;
/** One cache line between two columns, so that they do not compete for the same cache lines. */
const GAP_BYTES = 64;

/** The columns of `rows` rows from row `first` on. */
interface ColumnArea {
  readonly address: number;
  readonly first: number;
  readonly rows: number;
  /** Bytes from one column to the next. */
  readonly stride: number;
}

/** The signs of all rows in columns of 4, in areas that never move. The areas get larger as the store grows. */
export class SketchColumns {
  readonly #arena: Arena;
  readonly #columns: number;
  readonly #areas: ColumnArea[] = [];
  #capacity = 0;

  constructor(arena: Arena, bits: number) {
    this.#arena = arena;
    this.#columns = bits / 4;
  }

  get areas(): readonly ColumnArea[] {
    return this.#areas;
  }

  /** Allocates memory for rows 0 to `rows` - 1. */
  reserve(rows: number): void {
    while (this.#capacity < rows) {
      const needed = Math.max(this.#capacity, Math.ceil((rows - this.#capacity) / BLOCK_ROWS) * BLOCK_ROWS);
      const size = Math.min(MAX_AREA_ROWS, needed);
      const stride = size / 2 + GAP_BYTES;
      this.#areas.push({
        address: this.#arena.allocate(this.#columns * stride),
        first: this.#capacity,
        rows: size,
        stride,
      });
      this.#capacity += size;
    }
  }

  /** The area of a row. The row must be reserved. */
  areaOf(row: number): ColumnArea {
    let at = Math.min(this.#areas.length - 1, Math.floor(row / MAX_AREA_ROWS));
    // No area has more than MAX_AREA_ROWS rows, so the row is in this area or a later one.
    while (this.#areas[at]!.first + this.#areas[at]!.rows <= row) at++;
    return this.#areas[at]!;
  }
}
