import type { Arena } from './arena.ts';
import { BLOCK_ROWS } from './kernel.ts';

/** Columns over this many rows are read at the speed of memory; over fewer, each costs a wait. */
const MAX_ROWS = 8192;
/** A cache line between two columns, or all of them would compete for the same few lines of the cache. */
const GAP = 64;

/** Columns of the rows from `first` on. */
export interface ColumnArea {
  readonly address: number;
  readonly first: number;
  readonly rows: number;
  /** Bytes from one column to the next. */
  readonly run: number;
}

/** The signs of all rows by columns of 4, in areas that never move. The areas grow with the store: a small one stays small. */
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

  /** Makes room for rows 0 to `rows` - 1. */
  reserve(rows: number): void {
    while (this.#capacity < rows) {
      const wanted = Math.max(this.#capacity, Math.ceil((rows - this.#capacity) / BLOCK_ROWS) * BLOCK_ROWS);
      const size = Math.min(MAX_ROWS, wanted);
      const run = size / 2 + GAP;
      this.#areas.push({ address: this.#arena.allocate(this.#columns * run), first: this.#capacity, rows: size, run });
      this.#capacity += size;
    }
  }

  /** The area of a row there is room for. */
  areaOf(row: number): ColumnArea {
    let at = Math.min(this.#areas.length - 1, Math.floor(row / MAX_ROWS));
    // Areas only get larger, so this one or a later one.
    while (this.#areas[at]!.first + this.#areas[at]!.rows <= row) at++;
    return this.#areas[at]!;
  }
}
