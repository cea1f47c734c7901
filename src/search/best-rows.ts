import { bestFirst } from './best-first.ts';
import type { CompareRows, RowScores } from './row-scores.ts';

/** Rows kept beyond twice the limit before the rest is dropped. */
const SPARE = 64;

/**
 * Collects the best `limit` rows by score, equal scores by `compareRows`. Rows can be added in any order.
 * Buffers more than twice the limit and then drops the worst rows, so most rows cost one comparison. Reuse one object
 * for many searches.
 */
export class BestRows {
  #rows = new Uint32Array(256);
  #scores = new Float64Array(256);
  #capacity = 0;
  #limit = 0;
  #compareRows: CompareRows = () => 0;
  #size = 0;
  /** Whether the first `limit` rows are the best so far. */
  #isShrunk = false;
  /** The last of them by `compareRows` among those with the threshold as score; -1 until somebody asks. */
  #lastRow = -1;
  #threshold = Number.NEGATIVE_INFINITY;

  /** Clears everything. Pass a `threshold` only if at least `limit` rows will reach it. */
  start(limit: number, compareRows: CompareRows, threshold = Number.NEGATIVE_INFINITY): void {
    const capacity = 2 * limit + SPARE;
    if (capacity > this.#rows.length) {
      this.#rows = new Uint32Array(capacity);
      this.#scores = new Float64Array(capacity);
    }
    this.#capacity = capacity;
    this.#limit = limit;
    this.#compareRows = compareRows;
    this.#size = 0;
    this.#isShrunk = false;
    this.#threshold = threshold;
  }

  /** Rows with a lower score need not be added. */
  get threshold(): number {
    return this.#threshold;
  }

  /** Returns the new threshold. */
  add(row: number, score: number): number {
    const threshold = this.#threshold;
    if (score < threshold) return threshold;
    if (score === threshold && this.#isShrunk && this.#compareRows(row, this.#lastOfThreshold()) > 0) return threshold;
    const size = this.#size;
    this.#rows[size] = row;
    this.#scores[size] = score;
    this.#size = size + 1;
    if (size + 1 === this.#capacity) this.#shrink();
    return this.#threshold;
  }

  /** The lowest score in the buffer. After at least `limit` rows, no row with a lower score can be among the best. */
  get lowestScore(): number {
    let lowestScore = Number.POSITIVE_INFINITY;
    for (let i = 0; i < this.#size; i++) if (this.#scores[i]! < lowestScore) lowestScore = this.#scores[i]!;
    return lowestScore;
  }

  /** The score of the row at the limit; the threshold while there are fewer rows. */
  kthScore(): number {
    if (this.#size >= this.#limit) this.#shrink();
    return this.#threshold;
  }

  /** Best first. */
  take(): RowScores {
    if (this.#size > this.#limit) this.#shrink();
    return bestFirst(this.#rows, this.#scores, this.#size, this.#compareRows);
  }

  #lastOfThreshold(): number {
    if (this.#lastRow >= 0) return this.#lastRow;
    let last = -1;
    for (let i = 0; i < this.#limit; i++) {
      if (this.#scores[i] !== this.#threshold) continue;
      if (last < 0 || this.#compareRows(this.#rows[i]!, last) > 0) last = this.#rows[i]!;
    }
    this.#lastRow = last;
    return last;
  }

  /** Moves the best `limit` rows to the front and drops the rest. */
  #shrink(): void {
    const limit = this.#limit;
    const scores = this.#scores;
    selectHighest(this.#rows, scores, this.#size, limit);
    let threshold = Number.POSITIVE_INFINITY;
    for (let i = 0; i < limit; i++) if (scores[i]! < threshold) threshold = scores[i]!;
    this.#threshold = threshold;
    this.#orderThreshold();
    this.#size = limit;
    this.#isShrunk = true;
    this.#lastRow = -1;
  }

  /** If rows with the threshold as score are on both sides of the limit, moves the first by `compareRows` before it. */
  #orderThreshold(): void {
    const limit = this.#limit;
    const threshold = this.#threshold;
    const scores = this.#scores;
    const rows = this.#rows;
    let isShared = false;
    for (let i = limit; i < this.#size; i++) if (scores[i] === threshold) isShared = true;
    if (!isShared) return;
    const equals: number[] = [];
    for (let i = 0; i < this.#size; i++) if (scores[i] === threshold) equals.push(rows[i]!);
    equals.sort(this.#compareRows);
    let next = 0;
    for (let i = 0; i < limit; i++) if (scores[i] === threshold) rows[i] = equals[next++]!;
  }
}

/** Moves the `limit` highest of the first `size` scores to the front, with their rows (Hoare's quickselect). */
function selectHighest(rows: Uint32Array, scores: Float64Array, size: number, limit: number): void {
  const last = limit - 1;
  let low = 0;
  let high = size - 1;
  while (low < high) {
    const pivot = scores[(low + high) >>> 1]!;
    let i = low;
    let j = high;
    while (i <= j) {
      while (scores[i]! > pivot) i++;
      while (scores[j]! < pivot) j--;
      if (i > j) break;
      const score = scores[i]!;
      const row = rows[i]!;
      scores[i] = scores[j]!;
      rows[i++] = rows[j]!;
      scores[j] = score;
      rows[j--] = row;
    }
    if (last <= j) high = j;
    else if (last >= i) low = i;
    else break;
  }
}
