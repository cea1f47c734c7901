import { MAX_SUM } from './kernel.ts';
import type { VectorStore } from './vector-store.ts';

/** Columns of the first pass, a multiple of eight. Enough if the nearest neighbors clearly differ from the rest. */
const FIRST_COLUMNS = 32;
/** The maximum number of columns in both passes. */
const MAX_COLUMNS = 72;
/** With a higher cosine, all signs agree. */
const MAX_COSINE = 0.9999;

/** Columns of one pass. Addresses. */
export interface ColumnSet {
  /** u32: the column numbers, ascending within a pass. */
  readonly columns: number;
  /** u8: for each column, 16 values, one for each combination of its 4 signs. */
  readonly tables: number;
  /** A multiple of eight. */
  readonly count: number;
}

/**
 * The sketch of a query: tables to compare it with the signs of rows. With the rotated query q and the signs s of a rotated
 * row v, q.s estimates q.v (RaBitQ, Gao and Long 2024). The columns with the largest numbers of q contribute most, so only
 * these are summed: some in a first pass, more if a query needs them.
 */
export class QuerySketch {
  readonly #store: VectorStore;
  readonly #rotated: number;
  readonly #squares: Float64Array;
  readonly #sorted: Float64Array;
  /** The numbers of the rotated query in the selected columns. */
  readonly #selected: Float64Array;
  /** The size of q.s that counts 1 in a sum. */
  #step = 0;
  /** The columns of the first pass, of the second pass, and of both. */
  readonly first: ColumnSet;
  readonly rest: ColumnSet;
  readonly all: ColumnSet;

  constructor(store: VectorStore) {
    const { bits } = store.rotation;
    this.#store = store;
    this.#rotated = store.arena.allocate(bits * 4);
    this.#squares = new Float64Array(bits / 4);
    this.#sorted = new Float64Array(bits / 4);
    const count = Math.min(MAX_COLUMNS, bits / 4);
    this.#selected = new Float64Array(count * 4);
    const columns = store.arena.allocate(count * 4);
    const tables = store.arena.allocate(count * 16);
    this.first = { columns, tables, count: FIRST_COLUMNS };
    this.rest = {
      columns: columns + FIRST_COLUMNS * 4,
      tables: tables + FIRST_COLUMNS * 16,
      count: count - FIRST_COLUMNS,
    };
    this.all = { columns, tables, count };
  }

  /** `exact`: the address of the normalized query, f64. */
  write(exact: number): void {
    this.#rotate(exact);
    this.#selectColumns();
    let absoluteSum = 0;
    for (let i = 0; i < this.#selected.length; i++) absoluteSum += Math.abs(this.#selected[i]!);
    // No sum may exceed MAX_SUM, including rounding.
    this.#step = (2 * absoluteSum) / (MAX_SUM - this.all.count / 2);
    this.#writeTables();
  }

  /**
   * The expected sum of a row with cosine c, over the columns of the first pass or of both, minus a number of standard
   * deviations.
   *
   * A randomly rotated row is c q + w with q.w = 0. Each w_i is about normal with deviation d = sqrt((1 - c^2) / bits).
   * The mean of its sign, relative to the sign of q_i, is erf(a / sqrt(2)) with a = c |q_i| / d. The variance of q.s is the
   * sum of q_i^2 (1 - mean^2), minus (the sum of q_i^2 2 phi(a))^2 because q.w = 0.
   */
  expectedSum(cosine: number, deviations: number, columnSet: 'first' | 'all'): number {
    const selected = this.#selected;
    const columns = columnSet === 'first' ? FIRST_COLUMNS : this.all.count;
    const c = Math.max(-MAX_COSINE, Math.min(MAX_COSINE, cosine));
    const slope = Math.abs(c) / Math.sqrt((1 - c * c) / this.#store.rotation.bits);
    let absoluteSum = 0;
    let mean = 0;
    let variance = (columns * this.#step * this.#step) / 12; // of rounding in the tables
    let correlation = 0;
    for (let i = 0; i < columns * 4; i++) {
      const size = Math.abs(selected[i]!);
      absoluteSum += size;
      const a = slope * size;
      const gaussian = Math.exp((-a * a) / 2);
      const agreement = errorFunction(a * Math.SQRT1_2, gaussian);
      mean += size * agreement;
      variance += size * size * (1 - agreement * agreement);
      correlation += size * size * gaussian;
    }
    variance -= (2 / Math.PI) * correlation * correlation;
    const deviation = Math.sqrt(Math.max(0, variance));
    return (absoluteSum + Math.sign(c) * mean - deviations * deviation) / this.#step;
  }

  #rotate(exact: number): void {
    const { f64, f32 } = this.#store.arena;
    const { bits } = this.#store.rotation;
    const { width } = this.#store;
    const to = this.#rotated / 4;
    const from = exact / 8;
    for (let i = 0; i < width; i++) f32[to + i] = f64[from + i]!;
    f32.fill(0, to + width, to + bits);
    this.#store.rotate(this.#rotated);
  }

  /** Selects the columns with the largest squares; the first ones if squares are equal. */
  #selectColumns(): void {
    const { f32, u32 } = this.#store.arena;
    const rotated = this.#rotated / 4;
    const squares = this.#squares;
    const sorted = this.#sorted;
    for (let column = 0, at = rotated; column < squares.length; column++, at += 4) {
      squares[column] = f32[at]! ** 2 + f32[at + 1]! ** 2 + f32[at + 2]! ** 2 + f32[at + 3]! ** 2;
    }
    sorted.set(squares);
    sorted.sort();
    const [smallest, ties] = this.#cutoff(FIRST_COLUMNS);
    const [smallestOfAll, tiesOfAll] = this.#cutoff(this.all.count);
    let firstTies = ties;
    let restTies = smallestOfAll === smallest ? tiesOfAll - ties : tiesOfAll;
    let first = 0;
    let rest = FIRST_COLUMNS;
    for (let column = 0; column < squares.length; column++) {
      const sum = squares[column]!;
      const isFirst = sum > smallest || (sum === smallest && firstTies-- > 0);
      if (!isFirst && (sum < smallestOfAll || (sum === smallestOfAll && restTies-- <= 0))) continue;
      const to = isFirst ? first++ : rest++;
      u32[this.first.columns / 4 + to] = column;
      for (let i = 0; i < 4; i++) this.#selected[to * 4 + i] = f32[rotated + column * 4 + i]!;
    }
  }

  /** The smallest of the `count` largest squares, and how many of them are equal to it. */
  #cutoff(count: number): [smallest: number, ties: number] {
    const sorted = this.#sorted;
    const from = sorted.length - count;
    const smallest = sorted[from]!;
    let ties = 0;
    for (let i = from; i < sorted.length && sorted[i] === smallest; i++) ties++;
    return [smallest, ties];
  }

  /** Writes the tables in units of `#step`. The lowest value of each column is 0. */
  #writeTables(): void {
    const { u8 } = this.#store.arena;
    const selected = this.#selected;
    const perStep = 1 / this.#step;
    for (let i = 0; i < this.all.count; i++) {
      const a = selected[i * 4]! * perStep;
      const b = selected[i * 4 + 1]! * perStep;
      const c = selected[i * 4 + 2]! * perStep;
      const d = selected[i * 4 + 3]! * perStep;
      const middle = Math.abs(a) + Math.abs(b) + Math.abs(c) + Math.abs(d) + 0.5;
      const to = this.first.tables + i * 16;
      for (let high = 0; high < 4; high++) {
        // `middle` includes 0.5, so that storing, which truncates, rounds.
        const part = middle + ((high & 1) === 0 ? c : -c) + ((high & 2) === 0 ? d : -d);
        u8[to + high * 4] = part + a + b;
        u8[to + high * 4 + 1] = part - a + b;
        u8[to + high * 4 + 2] = part + a - b;
        u8[to + high * 4 + 3] = part - a - b;
      }
    }
  }
}

/** erf(x) for x >= 0 by Abramowitz and Stegun 7.1.26, with an error below 2e-7. `gaussian` is exp(-x^2). */
function errorFunction(x: number, gaussian: number): number {
  const t = 1 / (1 + 0.3275911 * x);
  return (
    1 - t * (0.254829592 + t * (-0.284496736 + t * (1.421413741 + t * (-1.453152027 + t * 1.061405429)))) * gaussian
  );
}
