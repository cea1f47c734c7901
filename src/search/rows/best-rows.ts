import { bestFirst } from './best-first.ts';
import { grown } from './grown.ts';
import type { CompareRows, RowScores } from './row-scores.ts';

/** Rows kept beyond twice the limit before the rest is dropped. */
const SPARE = 64;

/**
 * Collects the best `limit` rows by score, equal scores by `compareRows`. Rows can be added in any order.
 * Buffers more than twice the limit and then drops the worst rows, so most rows cost one comparison of scores. Rows on the
 * threshold wait until the end: comparing two rows reads their ids, and most thresholds rise again. Reuse one object for
 * many searches.
 */
export class BestRows {
  /** The rows above the threshold. */
  #rows = new Uint32Array(256);
  #scores = new Float64Array(256);
  #size = 0;
  /** The rows on the threshold. */
  #equals = new Uint32Array(256);
  #equalCount = 0;
  #threshold = Number.NEGATIVE_INFINITY;
  #capacity = 0;
  #limit = 0;
  #compareRows: CompareRows = () => 0;

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
    this.#equalCount = 0;
    this.#threshold = threshold;
  }

  /** Rows with a lower score need not be added. */
  get threshold(): number {
    return this.#threshold;
  }

  /** Returns the new threshold. */
  add(row: number, score: number): number {
    const threshold = this.#threshold;
    if (score <= threshold) {
      if (score === threshold) this.#addEqual(row);
      return threshold;
    }
    const size = this.#size;
    this.#rows[size] = row;
    this.#scores[size] = score;
    this.#size = size + 1;
    if (size + 1 === this.#capacity) this.#shrink();
    return this.#threshold;
  }

  /** The lowest score so far. After at least `limit` rows, no row with a lower score can be among the best. */
  get lowestScore(): number {
    if (this.#equalCount > 0) return this.#threshold;
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
    const room = this.#limit - this.#size;
    if (this.#equalCount > room) this.#cutEquals(room);
    const size = this.#size + this.#equalCount;
    for (let i = this.#size; i < size; i++) {
      this.#rows[i] = this.#equals[i - this.#size]!;
      this.#scores[i] = this.#threshold;
    }
    return bestFirst(this.#rows, this.#scores, size, this.#compareRows);
  }

  #addEqual(row: number): void {
    const at = this.#equalCount++;
    if (at === this.#equals.length) this.#equals = grown(this.#equals, at + 1);
    this.#equals[at] = row;
  }

  /** Keeps the first `count` rows on the threshold by `compareRows`, in any order. */
  #cutEquals(count: number): void {
    const equals = this.#equals;
    const atOnce = Math.min(this.#equalCount, 2 * count + SPARE);
    const first = Array.from(equals.subarray(0, atOnce)).sort(this.#compareRows);
    first.length = count;
    for (let i = atOnce; i < this.#equalCount && count > 0; i++) {
      if (this.#compareRows(equals[i]!, first[count - 1]!) > 0) continue;
      first.push(equals[i]!);
      if (first.length === atOnce) first.sort(this.#compareRows).length = count;
    }
    if (first.length > count) first.sort(this.#compareRows).length = count;
    equals.set(first);
    this.#equalCount = count;
  }

  /** Raises the threshold to the score of the row at the limit and drops the rows below it. */
  #shrink(): void {
    const limit = this.#limit;
    const rows = this.#rows;
    const scores = this.#scores;
    selectHighest(rows, scores, this.#size, limit);
    let threshold = Number.POSITIVE_INFINITY;
    for (let i = 0; i < limit; i++) if (scores[i]! < threshold) threshold = scores[i]!;
    this.#threshold = threshold;
    this.#equalCount = 0;
    let above = 0;
    for (let i = 0; i < this.#size; i++) {
      const score = scores[i]!;
      const row = rows[i]!;
      if (score === threshold) this.#addEqual(row);
      else if (score > threshold) {
        rows[above] = row;
        scores[above++] = score;
      }
    }
    this.#size = above;
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
