import type { CompareRows, RowScores } from './row-scores.ts';

/** Scores are distributed over this many buckets, from the best score to the worst. */
const BUCKETS = 1 << 16;
const DIGIT_VALUES = 256;

/** A bucket with more rows is sorted by `Array.sort`. */
const MAX_INSERTION_SORT = 32;

/** Reused by every call, because allocating arrays takes longer than filling them. */
const lowStarts = new Uint32Array(DIGIT_VALUES);
const highStarts = new Uint32Array(DIGIT_VALUES);
let buckets = new Uint16Array(256);
let byLowDigit = new Uint32Array(256);
let order = new Uint32Array(256);

/**
 * Sorts the first `count` rows by score, best first, and equal scores by `compareRows`. A radix sort of two digits that
 * compares only rows in the same bucket: for a hundred rows, comparing would take most of the time of a search.
 */
export function bestFirst(
  rows: ArrayLike<number>,
  scores: ArrayLike<number>,
  count: number,
  compareRows: CompareRows,
): RowScores {
  if (count > buckets.length) {
    buckets = new Uint16Array(2 * count);
    byLowDigit = new Uint32Array(2 * count);
    order = new Uint32Array(2 * count);
  }
  fillBuckets(scores, count);
  fillOrder(count);
  const compare = (a: number, b: number) => scores[b]! - scores[a]! || compareRows(rows[a]!, rows[b]!);
  for (let from = 0; from < count; ) {
    let to = from + 1;
    while (to < count && buckets[order[to]!] === buckets[order[from]!]) to++;
    if (to - from > 1) sortBucket(from, to, compare);
    from = to;
  }
  const sorted = { rows: new Array<number>(count), scores: new Array<number>(count) };
  for (let i = 0; i < count; i++) {
    const at = order[i]!;
    sorted.rows[i] = rows[at]!;
    sorted.scores[i] = scores[at]!;
  }
  return sorted;
}

/** The best score gets bucket 0, lower scores get the same bucket or a higher one. */
function fillBuckets(scores: ArrayLike<number>, count: number): void {
  let best = Number.NEGATIVE_INFINITY;
  let worst = Number.POSITIVE_INFINITY;
  for (let i = 0; i < count; i++) {
    const score = scores[i]!;
    if (score > best) best = score;
    if (score < worst) worst = score;
  }
  const scale = best > worst ? (BUCKETS - 1) / (best - worst) : 0;
  for (let i = 0; i < count; i++) buckets[i] = (best - scores[i]!) * scale;
}

function fillOrder(count: number): void {
  lowStarts.fill(0);
  highStarts.fill(0);
  for (let i = 0; i < count; i++) {
    const bucket = buckets[i]!;
    lowStarts[bucket & 255] = lowStarts[bucket & 255]! + 1;
    highStarts[bucket >>> 8] = highStarts[bucket >>> 8]! + 1;
  }
  countsToStarts(lowStarts);
  countsToStarts(highStarts);
  for (let i = 0; i < count; i++) {
    const digit = buckets[i]! & 255;
    byLowDigit[lowStarts[digit]!] = i;
    lowStarts[digit] = lowStarts[digit]! + 1;
  }
  for (let i = 0; i < count; i++) {
    const at = byLowDigit[i]!;
    const digit = buckets[at]! >>> 8;
    order[highStarts[digit]!] = at;
    highStarts[digit] = highStarts[digit]! + 1;
  }
}

/** Replaces the count of each digit by the position of its first row. */
function countsToStarts(counts: Uint32Array): void {
  let start = 0;
  for (let digit = 0; digit < DIGIT_VALUES; digit++) {
    const count = counts[digit]!;
    counts[digit] = start;
    start += count;
  }
}

function sortBucket(from: number, to: number, compare: (a: number, b: number) => number): void {
  if (to - from > MAX_INSERTION_SORT) {
    order.set(Array.from(order.subarray(from, to)).sort(compare), from);
    return;
  }
  for (let i = from + 1; i < to; i++) {
    const moving = order[i]!;
    let at = i;
    for (; at > from && compare(order[at - 1]!, moving) > 0; at--) order[at] = order[at - 1]!;
    order[at] = moving;
  }
}
