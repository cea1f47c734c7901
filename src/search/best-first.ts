import type { CompareRows, RowScores } from './row-scores.ts';

/** Scores are told apart by their place among this many steps from the best to the worst. */
const STEPS = 1 << 16;
const DIGIT = 256;

/** Longer stretches of rows in one step are worth a sort of their own. */
const FEW = 12;

/** Used again by every call: making arrays takes longer than filling them. */
const lowStarts = new Uint32Array(DIGIT);
const highStarts = new Uint32Array(DIGIT);
let steps = new Uint16Array(256);
let byLowDigit = new Uint32Array(256);
let order = new Uint32Array(256);

/**
 * The first `count` rows by score, best first, and by `compareRows` where scores are equal. Comparing every row with
 * seven others is most of a search for a hundred rows, so this counts instead (a radix sort by steps of two digits) and
 * compares only rows of the same step.
 */
export function bestFirst(
  rows: ArrayLike<number>,
  scores: ArrayLike<number>,
  count: number,
  compareRows: CompareRows,
): RowScores {
  if (count > steps.length) {
    steps = new Uint16Array(2 * count);
    byLowDigit = new Uint32Array(2 * count);
    order = new Uint32Array(2 * count);
  }
  fillSteps(scores, count);
  fillOrder(count);
  const isBefore = (a: number, b: number) => scores[b]! - scores[a]! || compareRows(rows[a]!, rows[b]!);
  for (let from = 0; from < count; ) {
    let to = from + 1;
    while (to < count && steps[order[to]!] === steps[order[from]!]) to++;
    if (to - from > 1) sortStretch(from, to, isBefore);
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

/** 0 for the best score; a lower score never has a lower step. */
function fillSteps(scores: ArrayLike<number>, count: number): void {
  let best = Number.NEGATIVE_INFINITY;
  let worst = Number.POSITIVE_INFINITY;
  for (let i = 0; i < count; i++) {
    const score = scores[i]!;
    if (score > best) best = score;
    if (score < worst) worst = score;
  }
  const scale = best > worst ? (STEPS - 1) / (best - worst) : 0;
  for (let i = 0; i < count; i++) steps[i] = (best - scores[i]!) * scale;
}

function fillOrder(count: number): void {
  lowStarts.fill(0);
  highStarts.fill(0);
  for (let i = 0; i < count; i++) {
    const step = steps[i]!;
    lowStarts[step & 255] = lowStarts[step & 255]! + 1;
    highStarts[step >>> 8] = highStarts[step >>> 8]! + 1;
  }
  toStarts(lowStarts);
  toStarts(highStarts);
  for (let i = 0; i < count; i++) {
    const digit = steps[i]! & 255;
    byLowDigit[lowStarts[digit]!] = i;
    lowStarts[digit] = lowStarts[digit]! + 1;
  }
  for (let i = 0; i < count; i++) {
    const at = byLowDigit[i]!;
    const digit = steps[at]! >>> 8;
    order[highStarts[digit]!] = at;
    highStarts[digit] = highStarts[digit]! + 1;
  }
}

/** Counts by digit become where the first of each digit goes. */
function toStarts(counts: Uint32Array): void {
  let start = 0;
  for (let digit = 0; digit < DIGIT; digit++) {
    const count = counts[digit]!;
    counts[digit] = start;
    start += count;
  }
}

function sortStretch(from: number, to: number, compare: (a: number, b: number) => number): void {
  if (to - from > FEW) {
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
