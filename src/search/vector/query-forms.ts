import { QuerySketch } from './query-sketch.ts';
import type { VectorStore } from './vector-store.ts';

/** Keeps the sum of |query| * 127 within an i32, rounding included. */
const MAX_QUERY_SUM = 16_000_000;
/** Far more than all rounding of f64 sums and of the f32 unit vectors can add up to, far less than a key. */
const ROUNDING = 1e-7;

/** What `boundRows` needs besides the query: bound = dot * scale * unit + residual * spread + slack. */
export interface BoundTerms {
  readonly unit: number;
  readonly spread: number;
  readonly slack: number;
}

/**
 * A query in the forms that meet the forms of a row. One per store: writing the next query replaces it. Forms are made
 * when first asked for, and a query that is written again keeps those it has: one search asks for the same one twice.
 */
export class QueryForms {
  readonly #store: VectorStore;
  /** As it was given. Zeros before the first, which is also what a query of zeros comes to. */
  readonly #given: Float32Array;
  #hasDirection = false;
  #bound: BoundTerms | null = null;
  #hasSketch = false;
  /** f64 of length 1. */
  readonly exact: number;
  /** i16. */
  readonly code: number;
  readonly #sketch: QuerySketch;

  constructor(store: VectorStore, dimensions: number) {
    this.#store = store;
    this.#given = new Float32Array(dimensions);
    this.exact = store.arena.allocate(store.width * 8);
    this.code = store.arena.allocate(store.width * 2);
    this.#sketch = new QuerySketch(store);
  }

  /** Whether this is the query that was written last. */
  holds(query: Float32Array): boolean {
    for (let i = 0; i < query.length; i++) if (query[i] !== this.#given[i]) return false;
    return true;
  }

  /** Whether the query written last has a direction. One of length 0 has none and is like nothing. */
  get hasDirection(): boolean {
    return this.#hasDirection;
  }

  /** `squares` is the sum of the query's squares, in its order. */
  write(query: Float32Array, squares: number): void {
    this.#given.set(query);
    this.#bound = null;
    this.#hasSketch = false;
    this.#hasDirection = squares > 0;
    if (!this.#hasDirection) return;
    const length = Math.sqrt(squares);
    const { f64 } = this.#store.arena;
    const at = this.exact / 8;
    for (let i = 0; i < query.length; i++) f64[at + i] = query[i]! / length;
  }

  boundTerms(): BoundTerms {
    this.#bound ??= this.#writeCode();
    return this.#bound;
  }

  get sketch(): QuerySketch {
    if (!this.#hasSketch) this.#sketch.write(this.exact);
    this.#hasSketch = true;
    return this.#sketch;
  }

  /**
   * Rounds the query q to integers c and says by how much a row's cosine can exceed what the codes give. With v the row
   * and w what its code stands for: q.v = c.w / scale + (q - c / scale).w + q.(v - w), and by Cauchy-Schwarz the second
   * part is at most |q - c / scale| * (1 + residual) and the third at most the residual.
   */
  #writeCode(): BoundTerms {
    const { f64, i16 } = this.#store.arena;
    const { width } = this.#store;
    const from = this.exact / 8;
    const to = this.code / 2;
    let largest = 0;
    let sum = 0;
    for (let i = 0; i < width; i++) {
      const size = Math.abs(f64[from + i]!);
      if (size > largest) largest = size;
      sum += size;
    }
    const scale = Math.min(32767 / largest, MAX_QUERY_SUM / sum);
    const unit = 1 / scale;
    let squares = 0;
    for (let i = 0; i < width; i++) {
      const value = f64[from + i]!;
      const code = Math.floor(value * scale + 0.5);
      const rest = value - code * unit;
      i16[to + i] = code;
      squares += rest * rest;
    }
    const rest = Math.sqrt(squares);
    return { unit, spread: 1 + rest, slack: rest + ROUNDING };
  }
}
