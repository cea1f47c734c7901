import { QuerySketch } from './query-sketch.ts';
import type { VectorStore } from './vector-store.ts';

/** Keeps the sum of |query| * 127 within an i32, rounding included. */
const MAX_QUERY_SUM = 16_000_000;
/** Larger than all rounding errors of f64 sums and f32 vectors together, smaller than one key. */
const ROUNDING = 1e-7;

/** The coefficients of `boundRows`: bound = dot * scale * unit + residual * spread + slack. */
export interface BoundTerms {
  readonly unit: number;
  readonly spread: number;
  readonly slack: number;
}

/**
 * A query in the three encodings of a row. One object per store: writing a query replaces the one before.
 * Code and sketch are computed on first use. Check `matches` before `write`: one search uses the same query several times.
 */
export class EncodedQuery {
  readonly #store: VectorStore;
  /** The query before encoding. All zeros at first, like a zero query. */
  readonly #source: Float32Array;
  #isNonZero = false;
  #bound: BoundTerms | null = null;
  #hasSketch = false;
  /** The address of the normalized query, f64. */
  readonly exact: number;
  /** The address of the quantized query, i16. */
  readonly code: number;
  readonly #sketch: QuerySketch;

  constructor(store: VectorStore, dimensions: number) {
    this.#store = store;
    this.#source = new Float32Array(dimensions);
    this.exact = store.arena.allocate(store.width * 8);
    this.code = store.arena.allocate(store.width * 2);
    this.#sketch = new QuerySketch(store);
  }

  /** Whether this query was written last. */
  matches(query: Float32Array): boolean {
    for (let i = 0; i < query.length; i++) if (query[i] !== this.#source[i]) return false;
    return true;
  }

  /** Whether the query written last is not a zero vector. A zero vector is similar to nothing. */
  get isNonZero(): boolean {
    return this.#isNonZero;
  }

  /** `squares`: the sum of the squares of the query. */
  write(query: Float32Array, squares: number): void {
    this.#source.set(query);
    this.#bound = null;
    this.#hasSketch = false;
    this.#isNonZero = squares > 0;
    if (!this.#isNonZero) return;
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
   * Rounds the query q to integers c. Returns by how much the cosine of a row can exceed the result from the codes.
   * With the row v and its decoded code w: q.v = c.w / scale + (q - c / scale).w + q.(v - w). By Cauchy-Schwarz, the second
   * part is at most |q - c / scale| * (1 + residual), and the third is at most the residual.
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
      const error = value - code * unit;
      i16[to + i] = code;
      squares += error * error;
    }
    const error = Math.sqrt(squares);
    return { unit, spread: 1 + error, slack: error + ROUNDING };
  }
}
