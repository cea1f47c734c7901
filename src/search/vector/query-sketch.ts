import { HIGHEST_SUM } from './kernel.ts';
import type { VectorStore } from './vector-store.ts';

/** Columns that a search reads at first, a multiple of eight: enough where neighbors stand out from the rest. */
const FIRST_COLUMNS = 32;
/** Columns that it reads where those do not tell enough, if there are as many. */
const ALL_COLUMNS = 72;
/** Beyond, all signs agree. */
const MAX_COSINE = 0.9999;

/** Columns that are summed together. */
export interface ColumnSet {
  /** u32: which they are, rising. */
  readonly columns: number;
  /** u8: for each of them the 16 values its 4 signs can have. */
  readonly tables: number;
  /** A multiple of eight. */
  readonly count: number;
}

/**
 * The query as it meets the signs of rows. With s the signs of a turned row v and q the turned query, q.s grows with q.v
 * (RaBitQ, Gao and Long 2024, estimates by it). A turned query spreads unevenly over its numbers: the columns where it is
 * largest tell most of q.s, and only those are summed: some at first, more where a query needs them.
 */
export class QuerySketch {
  readonly #store: VectorStore;
  readonly #turned: number;
  readonly #squares: Float64Array;
  readonly #sorted: Float64Array;
  /** The numbers of the turned query in the columns to sum. */
  readonly #chosen: Float64Array;
  /** By how much of q.s a sum counts 1. */
  #step = 0;
  /** The columns to sum at first, and those to add to them. */
  readonly first: ColumnSet;
  readonly rest: ColumnSet;

  constructor(store: VectorStore) {
    const { bits } = store.rotation;
    this.#store = store;
    this.#turned = store.arena.allocate(bits * 4);
    this.#squares = new Float64Array(bits / 4);
    this.#sorted = new Float64Array(bits / 4);
    const count = Math.min(ALL_COLUMNS, bits / 4);
    this.#chosen = new Float64Array(count * 4);
    const columns = store.arena.allocate(count * 4);
    const tables = store.arena.allocate(count * 16);
    this.first = { columns, tables, count: FIRST_COLUMNS };
    this.rest = {
      columns: columns + FIRST_COLUMNS * 4,
      tables: tables + FIRST_COLUMNS * 16,
      count: count - FIRST_COLUMNS,
    };
  }

  /** From the f64 of length 1 at `exact`. */
  write(exact: number): void {
    this.#turn(exact);
    this.#chooseColumns();
    let reach = 0;
    for (let i = 0; i < this.#chosen.length; i++) reach += Math.abs(this.#chosen[i]!);
    // No sum may pass the highest, rounding included.
    this.#step = (2 * reach) / (HIGHEST_SUM - this.#columnCount / 2);
    this.#writeTables();
  }

  /**
   * The sum of a row with this cosine c to the query, over the first columns or all, less so many times the error of such
   * sums.
   *
   * A row turned at random is c q + w, with every w_i about normal, of deviation d = sqrt((1 - c^2) / bits), and q.w = 0.
   * So its sign is that of q_i in the mean by erf(a / sqrt(2)) with a = c |q_i| / d, and the variance of q.s is the sum of
   * q_i^2 (1 - mean^2), less what q.w = 0 takes: (the sum of q_i^2 2 phi(a))^2.
   */
  sumOf(cosine: number, errors: number, over: 'first' | 'all'): number {
    const chosen = this.#chosen;
    const columns = over === 'first' ? FIRST_COLUMNS : this.#columnCount;
    const c = Math.max(-MAX_COSINE, Math.min(MAX_COSINE, cosine));
    const slope = Math.abs(c) / Math.sqrt((1 - c * c) / this.#store.rotation.bits);
    let reach = 0;
    let mean = 0;
    let variance = (columns * this.#step * this.#step) / 12; // of rounding in the tables
    let tied = 0;
    for (let i = 0; i < columns * 4; i++) {
      const size = Math.abs(chosen[i]!);
      reach += size;
      const a = slope * size;
      const bell = Math.exp((-a * a) / 2);
      const agreement = errorFunction(a * Math.SQRT1_2, bell);
      mean += size * agreement;
      variance += size * size * (1 - agreement * agreement);
      tied += size * size * bell;
    }
    variance -= (2 / Math.PI) * tied * tied;
    const deviation = Math.sqrt(Math.max(0, variance));
    return (reach + Math.sign(c) * mean - errors * deviation) / this.#step;
  }

  get #columnCount(): number {
    return FIRST_COLUMNS + this.rest.count;
  }

  #turn(exact: number): void {
    const { f64, f32 } = this.#store.arena;
    const { bits } = this.#store.rotation;
    const { width } = this.#store;
    const to = this.#turned / 4;
    const from = exact / 8;
    for (let i = 0; i < width; i++) f32[to + i] = f64[from + i]!;
    f32.fill(0, to + width, to + bits);
    this.#store.rotate(this.#turned);
  }

  /** The columns with the largest squares, of equal ones the first. */
  #chooseColumns(): void {
    const { f32, u32 } = this.#store.arena;
    const turned = this.#turned / 4;
    const squares = this.#squares;
    const sorted = this.#sorted;
    for (let column = 0, at = turned; column < squares.length; column++, at += 4) {
      squares[column] = f32[at]! ** 2 + f32[at + 1]! ** 2 + f32[at + 2]! ** 2 + f32[at + 3]! ** 2;
    }
    sorted.set(squares);
    sorted.sort();
    const [least, equal] = this.#last(FIRST_COLUMNS);
    const [leastOfAll, equalOfAll] = this.#last(this.#columnCount);
    let firstEqual = equal;
    let restEqual = leastOfAll === least ? equalOfAll - equal : equalOfAll;
    let first = 0;
    let rest = FIRST_COLUMNS;
    for (let column = 0; column < squares.length; column++) {
      const sum = squares[column]!;
      const isFirst = sum > least || (sum === least && firstEqual-- > 0);
      if (!isFirst && (sum < leastOfAll || (sum === leastOfAll && restEqual-- <= 0))) continue;
      const to = isFirst ? first++ : rest++;
      u32[this.first.columns / 4 + to] = column;
      for (let i = 0; i < 4; i++) this.#chosen[to * 4 + i] = f32[turned + column * 4 + i]!;
    }
  }

  /** The least of the `count` largest squares, and how many of those are equal to it. */
  #last(count: number): [least: number, equal: number] {
    const sorted = this.#sorted;
    const from = sorted.length - count;
    const least = sorted[from]!;
    let equal = 0;
    for (let i = from; i < sorted.length && sorted[i] === least; i++) equal++;
    return [least, equal];
  }

  /** In steps, each column from the lowest it can add. */
  #writeTables(): void {
    const { u8 } = this.#store.arena;
    const chosen = this.#chosen;
    const perStep = 1 / this.#step;
    for (let i = 0; i < this.#columnCount; i++) {
      const a = chosen[i * 4]! * perStep;
      const b = chosen[i * 4 + 1]! * perStep;
      const c = chosen[i * 4 + 2]! * perStep;
      const d = chosen[i * 4 + 3]! * perStep;
      const middle = Math.abs(a) + Math.abs(b) + Math.abs(c) + Math.abs(d) + 0.5;
      const to = this.first.tables + i * 16;
      for (let high = 0; high < 4; high++) {
        // Cut to an integer after adding a half: rounded.
        const part = middle + ((high & 1) === 0 ? c : -c) + ((high & 2) === 0 ? d : -d);
        u8[to + high * 4] = part + a + b;
        u8[to + high * 4 + 1] = part - a + b;
        u8[to + high * 4 + 2] = part + a - b;
        u8[to + high * 4 + 3] = part - a - b;
      }
    }
  }
}

/** Abramowitz and Stegun 7.1.26, for x from 0 on: off by less than 2e-7. `bell` is exp(-x^2). */
function errorFunction(x: number, bell: number): number {
  const t = 1 / (1 + 0.3275911 * x);
  return 1 - t * (0.254829592 + t * (-0.284496736 + t * (1.421413741 + t * (-1.453152027 + t * 1.061405429)))) * bell;
}
