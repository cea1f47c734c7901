import { SKETCH_KEYS, TABLE_LEVELS } from './kernel.ts';
import type { VectorStore } from './vector-store.ts';

/** Keeps the sum of |query| * 127 within an i32, rounding included. */
const MOST_QUERY_SUM = 16_000_000;
/** Far more than all rounding of f64 sums and of the f32 unit vectors can add up to, far less than a key. */
const ROUNDING = 1e-7;

/** What `boundRows` needs besides the query: bound = dot * scale * unit + residual * spread + slack. */
export interface BoundTerms {
  readonly unit: number;
  readonly spread: number;
  readonly slack: number;
}

/** What `estimateGroups` needs besides the table: estimate = (sum * unit + base) * factor. */
export interface EstimateTerms {
  readonly unit: number;
  readonly base: number;
}

/** A query in the three forms that meet the three forms of a row. One per store: writing the next query replaces it. */
export class QueryForms {
  readonly #store: VectorStore;
  /** f64 of length 1. */
  readonly exact: number;
  /** i16. */
  readonly code: number;
  /** For every 4 signs the 16 sums they can make, as bytes. */
  readonly table: number;
  readonly #turned: number;

  constructor(store: VectorStore) {
    this.#store = store;
    this.exact = store.arena.allocate(store.width * 8);
    this.code = store.arena.allocate(store.width * 2);
    this.table = store.arena.allocate(store.rotation.bits * 4);
    this.#turned = store.arena.allocate(store.rotation.bits * 4);
  }

  /** Returns false for a query of length 0, which is like nothing. */
  write(query: Float32Array): boolean {
    let squares = 0;
    for (const value of query) squares += value * value;
    if (squares === 0) return false;
    const length = Math.sqrt(squares);
    const exact = this.#store.arena.f64;
    for (let i = 0; i < query.length; i++) exact[this.exact / 8 + i] = query[i]! / length;
    return true;
  }

  /**
   * Rounds the query q to integers c and says by how much a row's cosine can exceed what the codes give. With v the row
   * and w what its code stands for: q.v = c.w / scale + (q - c / scale).w + q.(v - w), and by Cauchy-Schwarz the second
   * part is at most |q - c / scale| * (1 + residual) and the third at most the residual.
   */
  writeCode(): BoundTerms {
    const { f64, i16 } = this.#store.arena;
    const { width } = this.#store;
    const from = this.exact / 8;
    let largest = 0;
    let sum = 0;
    for (let i = 0; i < width; i++) {
      const size = Math.abs(f64[from + i]!);
      largest = Math.max(largest, size);
      sum += size;
    }
    const scale = Math.min(32767 / largest, MOST_QUERY_SUM / sum);
    let squares = 0;
    for (let i = 0; i < width; i++) {
      const code = Math.round(f64[from + i]! * scale);
      const rest = f64[from + i]! - code / scale;
      i16[this.code / 2 + i] = code;
      squares += rest * rest;
    }
    const rest = Math.sqrt(squares);
    return { unit: 1 / scale, spread: 1 + rest, slack: rest + ROUNDING };
  }

  /**
   * With s the signs of a turned row v and q the turned query, q.v is about q.s / |v|_1: exact for v along s, and right
   * on average over turns (the estimator of RaBitQ, Gao and Long 2024). The factor is 1 / |v|_1; q.s is the sum of q
   * less twice the sum over negative signs, which the table holds for 4 signs at a time in steps of `unit`.
   */
  writeTable(): EstimateTerms {
    const { f64, f32, u8 } = this.#store.arena;
    const { bits } = this.#store.rotation;
    const turned = this.#turned / 4;
    for (let i = 0; i < bits; i++) f32[turned + i] = i < this.#store.width ? f64[this.exact / 8 + i]! : 0;
    this.#store.rotate(this.#turned);
    let base = 0;
    let widest = 0;
    for (let i = 0; i < bits; i += 4) {
      let range = 0;
      for (let j = i; j < i + 4; j++) {
        const value = f32[turned + j]!;
        range += 2 * Math.abs(value);
        // The lowest sum of each four is their zero, so that the table holds no negative number.
        base += value - Math.max(0, 2 * value);
      }
      widest = Math.max(widest, range);
    }
    const step = widest / TABLE_LEVELS;
    const sums = new Float64Array(16);
    for (let i = 0; i < bits; i += 4) {
      let lowest = 0;
      for (let j = 0; j < 4; j++) {
        const change = -2 * f32[turned + i + j]!;
        lowest += Math.min(0, change);
        for (let mask = 0; mask < 1 << j; mask++) sums[mask + (1 << j)] = sums[mask]! + change;
      }
      for (let mask = 0; mask < 16; mask++) u8[this.table + i * 4 + mask] = Math.round((sums[mask]! - lowest) / step);
    }
    return { unit: Math.fround(step * SKETCH_KEYS), base: Math.fround(base * SKETCH_KEYS) };
  }
}
