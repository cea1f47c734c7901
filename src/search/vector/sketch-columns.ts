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
  #areas: readonly ColumnArea[] = [];

  constructor(arena: Arena, bits: number) {
    this.#arena = arena;
    this.#columns = bits / 4;
  }

  get areas(): readonly ColumnArea[] {
    return this.#areas;
  }

  /** Allocates memory for rows 0 to `rows` - 1. Changes nothing if that fails. */
  reserve(rows: number): void {
    const areas = [...this.#areas];
    const last = areas.at(-1);
    for (let first = last === undefined ? 0 : last.first + last.rows; first < rows; ) {
      const needed = Math.max(first, Math.ceil((rows - first) / BLOCK_ROWS) * BLOCK_ROWS);
      const size = Math.min(MAX_AREA_ROWS, needed);
      const stride = size / 2 + GAP_BYTES;
      areas.push({ address: this.#arena.allocate(this.#columns * stride), first, rows: size, stride });
      first += size;
    }
    this.#areas = areas;
  }

  /** The area of a row. The row must be reserved. */
  areaOf(row: number): ColumnArea {
    let at = Math.min(this.#areas.length - 1, Math.floor(row / MAX_AREA_ROWS));
    // No area has more than MAX_AREA_ROWS rows, so the row is in this area or a later one.
    while (this.#areas[at]!.first + this.#areas[at]!.rows <= row) at++;
    return this.#areas[at]!;
  }
}
