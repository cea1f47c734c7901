import type { Bitset } from '../filter/bitset.ts';
import { type CompareRows, type RowScores, TopRows } from '../row-scores.ts';
import { grown } from './posting-pool.ts';

/**
 * What one query term gives to each row: `values[valuesFrom + i]` times `times` for `rows[rowsFrom + i]`. No value is 0
 * and no row comes twice.
 */
export interface Stream {
  readonly rows: Uint32Array;
  readonly rowsFrom: number;
  readonly values: Uint32Array;
  readonly valuesFrom: number;
  readonly length: number;
  readonly times: number;
  /** The largest value of the stream. */
  readonly max: number;
  /** Whether the rows rise, so that one can be looked up. */
  readonly isSorted: boolean;
}

export interface SelectOptions {
  readonly eligible: Bitset | null;
  readonly limit: number;
  readonly compareRows: CompareRows;
}

/**
 * Adds streams up row by row and picks the best rows. Exact: values are whole numbers, so the sums do not depend on the
 * order of the streams, which is free to be the fast one.
 *
 * Streams go from the most valuable to the least. Once the streams that are left could not lift an unseen row into the
 * result any more, they only add to rows that are already there (MaxScore, Turtle and Flood 1995).
 */
export class RowSums {
  #sums = new Float64Array(0);
  /** Rows with a sum, in the order they were met. */
  #met = new Uint32Array(0);
  /** True while sums are being made, and after a comparison threw in the middle of it. */
  #isDirty = false;

  /** Scores come back in the units of the streams. */
  best(streams: readonly Stream[], rowCount: number, options: SelectOptions): RowScores {
    if (options.limit <= 0) return { rows: [], scores: [] };
    if (this.#sums.length < rowCount) {
      this.#sums = grown(this.#sums, rowCount);
      this.#met = grown(this.#met, rowCount);
    }
    if (this.#isDirty) this.#sums.fill(0);
    this.#isDirty = true;
    const met = this.#addUp(streams, options);
    const top = this.#select(met, options);
    this.#isDirty = false;
    return top.take();
  }

  #addUp(streams: readonly Stream[], options: SelectOptions): number {
    const ordered = streams.filter((stream) => stream.length > 0).sort(byWorth);
    let left = 0;
    for (const stream of ordered) left += stream.max * stream.times;
    let met = 0;
    let threshold = 0;
    ordered.forEach((stream, i) => {
      if (left < threshold) this.#addToMet(stream, met);
      else met = this.#addAll(stream, met, options.eligible);
      left -= stream.max * stream.times;
      const next = ordered[i + 1];
      if (next !== undefined && left >= threshold && next.length > met >> 2)
        threshold = this.#entryPoint(met, options.limit);
    });
    return met;
  }

  /** Wipes the sums as it goes. */
  #select(met: number, { limit, compareRows }: SelectOptions): TopRows {
    const top = new TopRows(limit, compareRows);
    const sums = this.#sums;
    let lowest = top.threshold;
    for (let i = 0; i < met; i++) {
      const row = this.#met[i]!;
      const sum = sums[row]!;
      sums[row] = 0;
      if (sum < lowest) continue;
      top.offer(row, sum);
      lowest = top.threshold;
    }
    return top;
  }

  /** Rows that are not eligible never get a sum. */
  #addAll(stream: Stream, metBefore: number, eligible: Bitset | null): number {
    const { rows, rowsFrom, values, valuesFrom, length, times } = stream;
    const sums = this.#sums;
    const list = this.#met;
    let met = metBefore;
    if (eligible === null) {
      for (let i = 0; i < length; i++) {
        const value = values[valuesFrom + i]!;
        const row = rows[rowsFrom + i]!;
        const sum = sums[row]!;
        if (sum === 0) list[met++] = row;
        sums[row] = sum + times * value;
      }
      return met;
    }
    const { words } = eligible;
    for (let i = 0; i < length; i++) {
      const row = rows[rowsFrom + i]!;
      const word = row >>> 5;
      if (word >= words.length || (words[word]! & (1 << (row & 31))) === 0) continue;
      const sum = sums[row]!;
      if (sum === 0) list[met++] = row;
      sums[row] = sum + times * values[valuesFrom + i]!;
    }
    return met;
  }

  #addToMet(stream: Stream, met: number): void {
    const { rows, rowsFrom, values, valuesFrom, length, times } = stream;
    const sums = this.#sums;
    if (stream.isSorted && met * (33 - Math.clz32(length)) < length) {
      for (let i = 0; i < met; i++) {
        const row = this.#met[i]!;
        const at = placeOf(rows, rowsFrom, rowsFrom + length, row);
        if (at >= 0) sums[row] = sums[row]! + times * values[valuesFrom + at - rowsFrom]!;
      }
      return;
    }
    for (let i = 0; i < length; i++) {
      const row = rows[rowsFrom + i]!;
      const sum = sums[row]!;
      if (sum !== 0) sums[row] = sum + times * values[valuesFrom + i]!;
    }
  }

  /** What a row needs at least to be in the result, going by the sums so far. */
  #entryPoint(met: number, limit: number): number {
    if (met < limit) return 0;
    const top = new TopRows(limit, (a, b) => a - b);
    let lowest = top.threshold;
    for (let i = 0; i < met; i++) {
      const row = this.#met[i]!;
      const sum = this.#sums[row]!;
      if (sum <= lowest) continue;
      top.offer(row, sum);
      lowest = top.threshold;
    }
    return Math.max(0, lowest);
  }
}

function byWorth(a: Stream, b: Stream): number {
  return b.max * b.times - a.max * a.times || a.length - b.length;
}

function placeOf(rows: Uint32Array, from: number, to: number, row: number): number {
  let low = from;
  let high = to;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (rows[middle]! < row) low = middle + 1;
    else high = middle;
  }
  return low < to && rows[low] === row ? low : -1;
}
