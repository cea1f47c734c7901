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
  /** The row at the limit after the last `#shrink`; -1 before. */
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
    this.#lastRow = -1;
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
    if (score === threshold && this.#lastRow >= 0 && this.#compareRows(row, this.#lastRow) > 0) return threshold;
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

  /** Moves the best `limit` rows to the front and drops the rest (Hoare's quickselect). */
  #shrink(): void {
    const rows = this.#rows;
    const scores = this.#scores;
    const compareRows = this.#compareRows;
    const last = this.#limit - 1;
    let low = 0;
    let high = this.#size - 1;
    while (low < high) {
      const pivot = scores[(low + high) >>> 1]!;
      const pivotRow = rows[(low + high) >>> 1]!;
      let i = low;
      let j = high;
      while (i <= j) {
        while (scores[i]! > pivot || (scores[i] === pivot && compareRows(rows[i]!, pivotRow) < 0)) i++;
        while (scores[j]! < pivot || (scores[j] === pivot && compareRows(rows[j]!, pivotRow) > 0)) j--;
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
    this.#size = this.#limit;
    this.#lastRow = rows[last]!;
    this.#threshold = scores[last]!;
  }
}
