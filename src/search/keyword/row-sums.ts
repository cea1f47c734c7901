import { BestRows } from '../best-rows.ts';
import type { Bitset } from '../filter/bitset.ts';
import type { CompareRows, RowScores } from '../row-scores.ts';
import type { PendingValues } from './term-impacts.ts';

/**
 * What one query term gives to each row: `values[valuesFrom + i]` times `times` for `rows[rowsFrom + i]`. No value is 0,
 * and rows rise.
 */
export interface Stream {
  readonly rows: Uint32Array;
  readonly rowsFrom: number;
  readonly values: Uint32Array;
  readonly valuesFrom: number;
  readonly length: number;
  readonly times: number;
  /** No value is above this. */
  readonly max: number;
  /** Where `values` are still to be filled in. */
  readonly pending: PendingValues | null;
}

export interface SelectOptions {
  readonly eligible: Bitset | null;
  readonly limit: number;
  readonly compareRows: CompareRows;
}

/** For a floor it does not matter which of equal rows are kept. */
const AS_THEY_COME: CompareRows = () => 0;

/** Rows that are added up together: their sums fit the fastest memory. */
const WINDOW = 2048;

/**
 * Adds streams up row by row and picks the best rows. Exact: values are whole numbers, so the sums do not depend on the
 * order of the streams, which is free to be the fast one.
 *
 * Goes through the rows window by window, so that all but the streams themselves stays at hand (as Lucene's
 * BooleanScorer does), and through the streams from the most valuable to the least. As the list of the best fills up,
 * more and more of the last streams could not lift a row into it that no other stream has: they only add to rows that
 * the others have found (MaxScore, Turtle and Flood 1995). Pending values of such streams are worked out for those rows
 * alone.
 */
export class RowSums {
  /** By row within the window; all 0 between windows. */
  readonly #sums = new Float64Array(WINDOW);
  /** The rows within the window that have a sum, and the highest sum. */
  readonly #found = new Uint32Array(WINDOW);
  #highest = 0;
  readonly #best = new BestRows();

  /** Scores come back in the units of the streams. */
  best(streams: readonly Stream[], rowCount: number, options: SelectOptions): RowScores {
    const { limit, eligible } = options;
    if (limit <= 0) return { rows: [], scores: [] };
    const cursors = cursorsOf(streams);
    const entry = this.#entryPoint(cursors, options);
    this.#best.start(limit, options.compareRows, entry);
    fillLeading(cursors, entry);
    const words = eligible?.words;
    let leading = cursors.length;
    for (let base = 0; base < rowCount; ) {
      while (leading > 1 && cursors[leading - 1]!.left < this.#best.threshold) leading--;
      let found = 0;
      this.#highest = 0;
      for (let k = 0; k < leading; k++) found = this.#addUp(cursors[k]!, base, found, words);
      const least = this.#best.threshold - (cursors[leading]?.left ?? 0);
      if (this.#highest < least) this.#wipe(found);
      else {
        for (let k = leading; k < cursors.length; k++) this.#addTo(cursors[k]!, base, least);
        this.#keepBest(found, base);
      }
      base = startOfNext(cursors, leading, rowCount);
    }
    return this.#best.take();
  }

  /** What a row needs at least to be in the result, going by the most valuable stream that is long enough to tell. */
  #entryPoint(cursors: readonly Cursor[], { eligible, limit }: SelectOptions): number {
    if (cursors.length === 1) return 0;
    let longEnough: Cursor | undefined;
    for (let k = 0; k < cursors.length && longEnough === undefined; k++) {
      if (cursors[k]!.stream.length >= limit) longEnough = cursors[k];
    }
    if (longEnough === undefined) return 0;
    fillIn(longEnough);
    const { rows, rowsFrom, values, valuesFrom, length, times } = longEnough.stream;
    const best = this.#best;
    best.start(limit, AS_THEY_COME, 0);
    let floor = 0;
    for (let i = 0; i < length; i++) {
      const value = values[valuesFrom + i]!;
      if (value <= floor) continue;
      const row = rows[rowsFrom + i]!;
      if (eligible === null || eligible.has(row)) floor = best.add(row, value);
    }
    return best.kthScore() * times;
  }

  /** Adds a stream up within the window. Rows that are not in `eligible`, if there is such a set, never get a sum. */
  #addUp(cursor: Cursor, base: number, foundBefore: number, eligible: Uint32Array | undefined): number {
    const { rows, values, times } = cursor.stream;
    // The compiler cannot know that these are whole numbers of 32 bits, and would check it at every step.
    const start = base | 0;
    const to = cursor.to | 0;
    const shift = cursor.shift | 0;
    const sums = this.#sums;
    const list = this.#found;
    let found = foundBefore;
    let highest = this.#highest;
    let at = cursor.at | 0;
    for (; at < to; at++) {
      const row = rows[at]! | 0;
      const place = (row - start) | 0;
      if (place >= WINDOW) break;
      const before = sums[place]!;
      if (before === 0) {
        if (eligible !== undefined && !hasBit(eligible, row)) continue;
        list[found++] = place;
      }
      const sum = before + times * values[at + shift]!;
      sums[place] = sum;
      if (sum > highest) highest = sum;
    }
    cursor.at = at;
    this.#highest = highest;
    return found;
  }

  /** Adds a stream to the rows of the window that have a sum, of `least` or more. */
  #addTo(cursor: Cursor, base: number, least: number): void {
    const { rows, values, times } = cursor.stream;
    const { pending } = cursor;
    const start = base | 0;
    const to = cursor.to | 0;
    const shift = cursor.shift | 0;
    const sums = this.#sums;
    // A row without a sum stays without one.
    const lowest = Math.max(least, Number.MIN_VALUE);
    let at = cursor.at | 0;
    if (at < to && rows[at]! < start) at = placeOf(rows, at, to, start) | 0;
    for (; at < to; at++) {
      const place = (rows[at]! - start) | 0;
      if (place >= WINDOW) break;
      const sum = sums[place]!;
      if (sum >= lowest) sums[place] = sum + times * (pending === null ? values[at + shift]! : pending.at(at));
    }
    cursor.at = at;
  }

  /** Wipes the sums: no row can be among the best. */
  #wipe(found: number): void {
    const sums = this.#sums;
    const list = this.#found;
    for (let i = 0; i < found; i++) sums[list[i]!] = 0;
  }

  /** Keeps those that may be among the best of all, and wipes the sums. */
  #keepBest(found: number, base: number): void {
    const sums = this.#sums;
    const best = this.#best;
    let { threshold: floor } = best;
    for (let i = 0; i < found; i++) {
      const place = this.#found[i]!;
      const sum = sums[place]!;
      sums[place] = 0;
      if (sum >= floor) floor = best.add(base + place, sum);
    }
  }
}

/** How far a stream has been read. */
interface Cursor {
  readonly stream: Stream;
  /** The next place in `stream.rows`, and the end. */
  at: number;
  readonly to: number;
  /** From a place in `stream.rows` to that of its value. */
  readonly shift: number;
  /** Null once the values of the stream are filled in. */
  pending: PendingValues | null;
  /** What this stream can give a row at most. */
  most: number;
  /** What this stream and all after it can give a row at most. */
  left: number;
}

/** From the most valuable stream to the least. */
function cursorsOf(streams: readonly Stream[]): readonly Cursor[] {
  const ordered: Stream[] = [];
  for (const stream of streams) if (stream.length > 0) ordered.push(stream);
  if (ordered.length > 1) ordered.sort(byWorth);
  const cursors: Cursor[] = [];
  for (const stream of ordered) {
    const { rowsFrom, valuesFrom, length, pending, max, times } = stream;
    const shift = valuesFrom - rowsFrom;
    cursors.push({ stream, at: rowsFrom, to: rowsFrom + length, shift, pending, most: max * times, left: 0 });
  }
  return cursors;
}

function fillIn(cursor: Cursor): void {
  if (cursor.pending === null) return;
  cursor.most = cursor.pending.fill() * cursor.stream.times;
  cursor.pending = null;
}

/** Fills in the streams that may find rows. Those after them could not lift a row to `floor` that no other has. */
function fillLeading(cursors: readonly Cursor[], floor: number): void {
  setLeft(cursors);
  for (let k = 0; k < cursors.length && (k === 0 || cursors[k]!.left >= floor); k++) fillIn(cursors[k]!);
  setLeft(cursors);
}

function setLeft(cursors: readonly Cursor[]): void {
  let left = 0;
  for (let k = cursors.length - 1; k >= 0; k--) {
    const cursor = cursors[k]!;
    left += cursor.most;
    cursor.left = left;
  }
}

/** The first row that one of the first streams has yet to give; `rowCount` where there is none. */
function startOfNext(cursors: readonly Cursor[], leading: number, rowCount: number): number {
  let next = rowCount | 0;
  for (let k = 0; k < leading; k++) {
    const { stream, at, to } = cursors[k]!;
    if (at >= to) continue;
    const row = stream.rows[at]! | 0;
    if (row < next) next = row;
  }
  return next;
}

function byWorth(a: Stream, b: Stream): number {
  return b.max * b.times - a.max * a.times || a.length - b.length;
}

function hasBit(words: Uint32Array, at: number): boolean {
  const word = at >>> 5;
  return word < words.length && (words[word]! & (1 << (at & 31))) !== 0;
}

/** The first place whose row is not below the given one. */
function placeOf(rows: Uint32Array, from: number, to: number, row: number): number {
  let low = from;
  let high = to;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (rows[middle]! < row) low = middle + 1;
    else high = middle;
  }
  return low;
}
