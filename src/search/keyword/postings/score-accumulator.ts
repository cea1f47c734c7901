import { hasBit } from '../../filter/bitset.ts';
import { BestRows } from '../../rows/best-rows.ts';
import type { CompareRows, RowScores, RowSearchOptions } from '../../rows/row-scores.ts';
import { lowerBound } from './posting-pool.ts';

/**
 * The posting list of one query term with scores: row `rows[at]` gets `values[at] * frequency`, for `length` positions
 * from `from` on. No value is 0. Rows are ascending.
 */
export interface ScoredPostings {
  readonly rows: Uint32Array;
  /** Read them only after `pending` has filled them in. */
  readonly values: Uint32Array;
  readonly from: number;
  readonly length: number;
  readonly frequency: number;
  /** An upper bound of the values. */
  readonly max: number;
  /** Computes the values if they are not computed yet; null if they are. */
  readonly pending: PendingValues | null;
}

/** Values that are computed on demand. */
export interface PendingValues {
  /** Computes all values and returns the largest. */
  fill(): number;
  /** Computes one value by its position in `rows`, without storing it. */
  at(position: number): number;
}

/** For a threshold the order of equal rows does not matter. */
const ANY_ORDER: CompareRows = () => 0;

/** Rows per window. Their sums fit the L1 cache. */
const WINDOW = 2048;

/**
 * Sums the scores of posting lists by row and returns the best rows. Values are whole numbers, so the sums are exact and
 * do not depend on the order of the lists.
 *
 * Processes rows in windows, so that the sums stay in the cache (like Lucene's BooleanScorer), and lists by falling
 * maximum score. As the threshold rises, a row that is only in the last lists cannot reach it any more. These
 * non-essential lists only add to rows that other lists have found (MaxScore, Turtle and Flood 1995). Their pending values
 * are computed for those rows only.
 */
export class ScoreAccumulator {
  /** Sums by slot, the position of a row in the window. All 0 between windows. */
  readonly #sums = new Float64Array(WINDOW);
  /** The slots with a sum, and the highest sum of the window. */
  readonly #found = new Uint32Array(WINDOW);
  #highest = 0;
  readonly #best = new BestRows();

  /** The scores are plain sums, not divided by SCORE_UNITS. */
  best(lists: readonly ScoredPostings[], rowCount: number, options: RowSearchOptions): RowScores {
    const { limit, eligible } = options;
    if (limit <= 0) return { rows: [], scores: [] };
    const cursors = cursorsOf(lists);
    const initial = this.#initialThreshold(cursors, options);
    this.#best.start(limit, options.compareRows, initial);
    fillEssential(cursors, initial);
    const words = eligible?.words;
    let essential = cursors.length;
    for (let base = 0; base < rowCount; ) {
      while (essential > 1 && cursors[essential - 1]!.maxRemaining < this.#best.threshold) essential--;
      let found = 0;
      this.#highest = 0;
      for (let k = 0; k < essential; k++) found = this.#addEssential(cursors[k]!, base, found, words);
      const minSum = this.#best.threshold - (cursors[essential]?.maxRemaining ?? 0);
      if (this.#highest < minSum) this.#clear(found);
      else {
        for (let k = essential; k < cursors.length; k++) this.#addNonEssential(cursors[k]!, base, minSum);
        this.#collect(found, base);
      }
      base = nextRow(cursors, essential, rowCount);
    }
    return this.#best.take();
  }

  /** A minimum score for the result, from the first list with enough rows. */
  #initialThreshold(cursors: readonly Cursor[], { eligible, limit }: RowSearchOptions): number {
    if (cursors.length === 1) return 0;
    let longEnough: Cursor | undefined;
    for (let k = 0; k < cursors.length && longEnough === undefined; k++) {
      if (cursors[k]!.postings.length >= limit) longEnough = cursors[k];
    }
    if (longEnough === undefined) return 0;
    fillPending(longEnough);
    const { rows, values, from, length, frequency } = longEnough.postings;
    const best = this.#best;
    best.start(limit, ANY_ORDER, 0);
    let threshold = 0;
    for (let at = from; at < from + length; at++) {
      const value = values[at]!;
      if (value <= threshold) continue;
      const row = rows[at]!;
      if (eligible === null || eligible.has(row)) threshold = best.add(row, value);
    }
    return best.kthScore() * frequency;
  }

  /** Adds a list to the sums of the window. Skips rows that are not in `eligible`. Returns the number of slots with a sum. */
  #addEssential(cursor: Cursor, base: number, foundBefore: number, eligible: Uint32Array | undefined): number {
    const { rows, values, frequency } = cursor.postings;
    // `| 0` tells the compiler that these are 32-bit integers, so it does not check at every step.
    const start = base | 0;
    const to = cursor.to | 0;
    const sums = this.#sums;
    const list = this.#found;
    let found = foundBefore;
    let highest = this.#highest;
    let at = cursor.at | 0;
    for (; at < to; at++) {
      const row = rows[at]! | 0;
      const slot = (row - start) | 0;
      if (slot >= WINDOW) break;
      const before = sums[slot]!;
      if (before === 0) {
        if (eligible !== undefined && !hasBit(eligible, row)) continue;
        list[found++] = slot;
      }
      const sum = before + frequency * values[at]!;
      sums[slot] = sum;
      if (sum > highest) highest = sum;
    }
    cursor.at = at;
    this.#highest = highest;
    return found;
  }

  /** Adds a list to the rows of the window that already have a sum of at least `minSum`. */
  #addNonEssential(cursor: Cursor, base: number, minSum: number): void {
    const { rows, values, frequency } = cursor.postings;
    const { pending } = cursor;
    const start = base | 0;
    const to = cursor.to | 0;
    const sums = this.#sums;
    // Never add to an empty slot.
    const minExistingSum = Math.max(minSum, Number.MIN_VALUE);
    let at = cursor.at | 0;
    if (at < to && rows[at]! < start) at = lowerBound(rows, at, to, start) | 0;
    for (; at < to; at++) {
      const slot = (rows[at]! - start) | 0;
      if (slot >= WINDOW) break;
      const sum = sums[slot]!;
      if (sum >= minExistingSum) sums[slot] = sum + frequency * (pending === null ? values[at]! : pending.at(at));
    }
    cursor.at = at;
  }

  /** Clears the sums: no row of the window can be among the best. */
  #clear(found: number): void {
    const sums = this.#sums;
    const list = this.#found;
    for (let i = 0; i < found; i++) sums[list[i]!] = 0;
  }

  /** Adds the rows that reach the threshold to the best rows and clears the sums. */
  #collect(found: number, base: number): void {
    const sums = this.#sums;
    const best = this.#best;
    let { threshold } = best;
    for (let i = 0; i < found; i++) {
      const slot = this.#found[i]!;
      const sum = sums[slot]!;
      sums[slot] = 0;
      if (sum >= threshold) threshold = best.add(base + slot, sum);
    }
  }
}

/** The read position in a posting list. */
interface Cursor {
  readonly postings: ScoredPostings;
  /** The next position in `postings.rows`, and the end. */
  at: number;
  readonly to: number;
  /** Null after the values are filled in. */
  pending: PendingValues | null;
  /** The maximum score of a row from this list. */
  maxScore: number;
  /** The maximum score of a row from this list and all lists after it. */
  maxRemaining: number;
}

/** Ordered by falling maximum score. */
function cursorsOf(lists: readonly ScoredPostings[]): readonly Cursor[] {
  const ordered: ScoredPostings[] = [];
  for (const postings of lists) if (postings.length > 0) ordered.push(postings);
  if (ordered.length > 1) ordered.sort(byMaxScore);
  const cursors: Cursor[] = [];
  for (const postings of ordered) {
    const { from, length, pending, max, frequency } = postings;
    cursors.push({ postings, at: from, to: from + length, pending, maxScore: max * frequency, maxRemaining: 0 });
  }
  return cursors;
}

function fillPending(cursor: Cursor): void {
  if (cursor.pending === null) return;
  cursor.maxScore = cursor.pending.fill() * cursor.postings.frequency;
  cursor.pending = null;
}

/** Fills in the values of the essential lists. The rest alone cannot bring a row to the threshold. */
function fillEssential(cursors: readonly Cursor[], threshold: number): void {
  setMaxRemaining(cursors);
  for (let k = 0; k < cursors.length && (k === 0 || cursors[k]!.maxRemaining >= threshold); k++)
    fillPending(cursors[k]!);
  setMaxRemaining(cursors);
}

function setMaxRemaining(cursors: readonly Cursor[]): void {
  let maxRemaining = 0;
  for (let k = cursors.length - 1; k >= 0; k--) {
    const cursor = cursors[k]!;
    maxRemaining += cursor.maxScore;
    cursor.maxRemaining = maxRemaining;
  }
}

/** The next unread row of the essential lists; `rowCount` if there is none. */
function nextRow(cursors: readonly Cursor[], essential: number, rowCount: number): number {
  let next = rowCount | 0;
  for (let k = 0; k < essential; k++) {
    const { postings, at, to } = cursors[k]!;
    if (at >= to) continue;
    const row = postings.rows[at]! | 0;
    if (row < next) next = row;
  }
  return next;
}

function byMaxScore(a: ScoredPostings, b: ScoredPostings): number {
  return b.max * b.frequency - a.max * a.frequency || a.length - b.length;
}
