import { Bitset } from '../filter/bitset.ts';

/**
 * Sums are whole numbers of this unit: about 1e-9 of a normalized vector. Up to 8 million vectors, they are exact, so a mean
 * depends on the vectors alone, not on the order of writes.
 */
const UNITS = 2 ** 30;
/** A number below 2^51 has no fraction any more when it was added to this. Quicker than `Math.round`. */
const ROUNDING = 1.5 * 2 ** 52;

/** The sum of normalized vectors. */
export class VectorTotal {
  /** In units. */
  readonly #sums: Float64Array;

  constructor(dimensions: number) {
    this.#sums = new Float64Array(dimensions);
  }

  /** Writes `vector / length` to `to`, and adds that. One loop instead of two: a store is opened with as many as it has. */
  addNormalized(to: Float32Array, vector: Float32Array, length: number): void {
    const sums = this.#sums;
    for (let i = 0; i < sums.length; i++) {
      const value = Math.fround(vector[i]! / length);
      to[i] = value;
      sums[i] = sums[i]! + (value * UNITS + ROUNDING - ROUNDING);
    }
  }

  add(vector: Float32Array): void {
    const sums = this.#sums;
    for (let i = 0; i < sums.length; i++) sums[i] = sums[i]! + (vector[i]! * UNITS + ROUNDING - ROUNDING);
  }

  subtract(vector: Float32Array): void {
    const sums = this.#sums;
    for (let i = 0; i < sums.length; i++) sums[i] = sums[i]! - (vector[i]! * UNITS + ROUNDING - ROUNDING);
  }

  /** Takes over the sums of another total of as many dimensions. */
  copy(other: VectorTotal): void {
    this.#sums.set(other.#sums);
  }

  /** Null without vectors. */
  mean(count: number): Float32Array | null {
    return count === 0 ? null : Float32Array.from(this.#sums, (sum) => sum / UNITS / count);
  }
}

/** The largest part of the rows that may differ where one sum starts from another. */
const MAX_DIFFERENCE = 0.25;

/** The sum of the vectors of some rows, kept up to date by the rows that differ since it was last read. */
export class RowsTotal {
  readonly #total: VectorTotal;
  /** The rows whose vectors are in the sum. */
  #counted = new Bitset();
  #size = 0;
  #isNew = true;

  constructor(dimensions: number) {
    this.#total = new VectorTotal(dimensions);
  }

  /** Starts from the kept sum whose rows are nearly these, if there is one: callers of a group differ by what is their own. */
  static near(rows: Bitset, kept: Iterable<RowsTotal>, dimensions: number): RowsTotal {
    const total = new RowsTotal(dimensions);
    const count = rows.count();
    let nearest: RowsTotal | null = null;
    let least = count * MAX_DIFFERENCE;
    for (const other of kept) {
      const difference = count + other.#size - 2 * rows.countWith(other.#counted);
      if (difference < least) {
        nearest = other;
        least = difference;
      }
    }
    if (nearest !== null) total.#copy(nearest);
    return total;
  }

  #copy(other: RowsTotal): void {
    this.#total.copy(other.#total);
    this.#counted = other.#counted.clone();
    this.#size = other.#size;
    this.#isNew = false;
  }

  /** Call it before the vector of a row is replaced or deleted. */
  remove(row: number, vector: Float32Array): void {
    if (!this.#counted.has(row)) return;
    this.#counted.delete(row);
    this.#total.subtract(vector);
    this.#size--;
  }

  /** Adds and removes what differs. `all` is the total of the rows in `present`, which have a vector. */
  follow(rows: Bitset, present: Bitset, all: VectorTotal, vectorOf: (row: number) => Float32Array): void {
    // Most rows are wanted: leave out the others.
    if (this.#isNew && 2 * rows.countWith(present) > present.count()) {
      this.#total.copy(all);
      this.#counted = present.clone();
      this.#size = present.count();
    }
    this.#isNew = false;
    const wanted = rows.words;
    const has = present.words;
    const size = Math.max(has.length, this.#counted.words.length);
    for (let at = 0; at < size; at++) {
      const before = this.#counted.words[at] ?? 0;
      const after = (wanted[at] ?? 0) & (has[at] ?? 0);
      for (let changed = before ^ after; changed !== 0; changed &= changed - 1) {
        const bit = changed & -changed;
        const row = (at << 5) + (31 - Math.clz32(bit));
        if ((after & bit) === 0) this.remove(row, vectorOf(row));
        else this.#add(row, vectorOf(row));
      }
    }
  }

  mean(): Float32Array | null {
    return this.#total.mean(this.#size);
  }

  #add(row: number, vector: Float32Array): void {
    this.#counted.add(row);
    this.#total.add(vector);
    this.#size++;
  }
}
