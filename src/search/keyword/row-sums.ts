import { bestFirst } from '../best-first.ts';
import type { Bitset } from '../filter/bitset.ts';
import { type CompareRows, type RowScores, TopRows } from '../row-scores.ts';
import { LargestNumbers } from './largest-numbers.ts';
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

/** Steps of a walk along a stream that take as long as one step of a lookup in it. */
const LOOKUP_STEP = 2;

/**
 * Adds streams up row by row and picks the best rows. Exact: values are whole numbers, so the sums do not depend on the
 * order of the streams, which is free to be the fast one.
 *
 * Streams go from the most valuable to the least. Once the streams that are left could not lift an unseen row into the
 * result any more, only the rows that they could still help are kept, and they only add to those (MaxScore, Turtle and
 * Flood 1995).
 */
export class RowSums {
  /** By row; all 0 between calls. */
  #sums = new Float64Array(0);
  /** Rows with a sum, in the order they were met. */
  #met = new Uint32Array(0);
  /** One bit for each row that is still in question; all 0 between calls. */
  #marks = new Uint32Array(0);
  /** The sums of the first of `#met`, while the best are chosen. */
  #scores = new Float64Array(256);
  readonly #largest = new LargestNumbers();

  /** Scores come back in the units of the streams. */
  best(streams: readonly Stream[], rowCount: number, options: SelectOptions): RowScores {
    const { limit } = options;
    if (limit <= 0) return { rows: [], scores: [] };
    if (this.#sums.length < rowCount) {
      this.#sums = grown(this.#sums, rowCount);
      this.#met = grown(this.#met, rowCount);
      this.#marks = grown(this.#marks, (this.#sums.length + 31) >>> 5);
    }
    const ordered = streams.filter((stream) => stream.length > 0).sort(byWorth);
    let left = 0;
    for (const stream of ordered) left += stream.max * stream.times;
    let met = 0;
    let threshold = 0;
    let next = 0;
    while (next < ordered.length && left >= threshold) {
      const stream = ordered[next++]!;
      // Going by the rows of one stream: each is there once, while a row of two streams would count twice.
      this.#largest.reset(limit, threshold);
      met = this.#addAll(stream, met, options.eligible);
      left -= stream.max * stream.times;
      threshold = this.#largest.nth();
    }
    if (next < ordered.length) {
      met = this.#keepRows(met, threshold - left);
      this.#addToKept(ordered.slice(next), met);
    }
    return this.#select(met, threshold, options);
  }

  /** Rows that are not eligible never get a sum. */
  #addAll(stream: Stream, metBefore: number, eligible: Bitset | null): number {
    const { rows, rowsFrom, values, valuesFrom, length, times } = stream;
    const sums = this.#sums;
    const list = this.#met;
    const largest = this.#largest;
    const words = eligible?.words;
    let floor = largest.floor;
    let met = metBefore;
    for (let i = 0; i < length; i++) {
      const row = rows[rowsFrom + i]!;
      if (words !== undefined) {
        const word = row >>> 5;
        if (word >= words.length || (words[word]! & (1 << (row & 31))) === 0) continue;
      }
      const before = sums[row]!;
      if (before === 0) list[met++] = row;
      const sum = before + times * values[valuesFrom + i]!;
      sums[row] = sum;
      if (sum > floor) floor = largest.add(sum);
    }
    return met;
  }

  /** Forgets the rows whose sum is below `least`. */
  #keepRows(met: number, least: number): number {
    const sums = this.#sums;
    const list = this.#met;
    let kept = 0;
    for (let i = 0; i < met; i++) {
      const row = list[i]!;
      if (sums[row]! >= least) list[kept++] = row;
      else sums[row] = 0;
    }
    return kept;
  }

  #addToKept(streams: readonly Stream[], kept: number): void {
    const marks = this.#marks;
    const list = this.#met;
    for (let i = 0; i < kept; i++) {
      const row = list[i]!;
      marks[row >>> 5] = marks[row >>> 5]! | (1 << (row & 31));
    }
    for (const stream of streams) {
      const steps = LOOKUP_STEP * kept * (33 - Math.clz32(stream.length));
      if (stream.isSorted && steps < stream.length) this.#lookUp(stream, kept);
      else this.#walk(stream);
    }
    for (let i = 0; i < kept; i++) marks[list[i]! >>> 5] = 0;
  }

  #lookUp(stream: Stream, kept: number): void {
    const { rows, rowsFrom, values, valuesFrom, length, times } = stream;
    const sums = this.#sums;
    for (let i = 0; i < kept; i++) {
      const row = this.#met[i]!;
      const at = placeOf(rows, rowsFrom, rowsFrom + length, row);
      if (at >= 0) sums[row] = sums[row]! + times * values[valuesFrom + at - rowsFrom]!;
    }
  }

  #walk(stream: Stream): void {
    const { rows, rowsFrom, values, valuesFrom, length, times } = stream;
    const sums = this.#sums;
    const marks = this.#marks;
    for (let i = 0; i < length; i++) {
      const row = rows[rowsFrom + i]!;
      if ((marks[row >>> 5]! & (1 << (row & 31))) !== 0) sums[row] = sums[row]! + times * values[valuesFrom + i]!;
    }
  }

  /** The best of the rows that are left; those below the threshold are none of them. */
  #select(met: number, threshold: number, { limit, compareRows }: SelectOptions): RowScores {
    this.#largest.reset(limit, threshold);
    const taken = this.#takeSums(met);
    const entry = this.#largest.nth();
    const rows = this.#met;
    const scores = this.#scores;
    const onEntry: number[] = [];
    let chosen = 0;
    for (let i = 0; i < taken; i++) {
      const score = scores[i]!;
      if (score < entry) continue;
      if (score === entry) onEntry.push(rows[i]!);
      else {
        rows[chosen] = rows[i]!;
        scores[chosen++] = score;
      }
    }
    for (const row of firstOf(onEntry, limit - chosen, compareRows)) {
      rows[chosen] = row;
      scores[chosen++] = entry;
    }
    return bestFirst(rows, scores, chosen, compareRows);
  }

  /** Wipes the sums, and moves rows that may be among the largest to the front with their sums beside them. */
  #takeSums(met: number): number {
    const sums = this.#sums;
    const rows = this.#met;
    const largest = this.#largest;
    let floor = largest.floor;
    let taken = 0;
    for (let i = 0; i < met; i++) {
      const row = rows[i]!;
      const sum = sums[row]!;
      sums[row] = 0;
      if (sum < floor) continue;
      if (taken === this.#scores.length) this.#scores = grown(this.#scores, taken + 1);
      rows[taken] = row;
      this.#scores[taken++] = sum;
      if (sum > floor) floor = largest.add(sum);
    }
    return taken;
  }
}

function byWorth(a: Stream, b: Stream): number {
  return b.max * b.times - a.max * a.times || a.length - b.length;
}

function firstOf(rows: readonly number[], count: number, compareRows: CompareRows): readonly number[] {
  if (rows.length <= count) return rows;
  const top = new TopRows(count, compareRows);
  for (const row of rows) top.offer(row, 0);
  return top.take().rows;
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
