import { bestFirst } from './best-first.ts';
import type { CompareRows, RowScores } from './row-scores.ts';

/** Rows kept beyond twice the limit before the worse half is dropped. */
const SPARE = 64;

/**
 * The best rows of those added in any order, by score and then by `compareRows`. Keeps more than twice as many as wanted
 * and drops the worse half when there is no more room, so that a row mostly costs one comparison. One object serves search
 * after search.
 */
export class BestRows {
  #rows = new Uint32Array(256);
  #scores = new Float64Array(256);
  #room = 0;
  #limit = 0;
  #compareRows: CompareRows = () => 0;
  #size = 0;
  /** The last row that is still in; -1 until as many as the limit have come. */
  #lastRow = -1;
  #floor = Number.NEGATIVE_INFINITY;

  /** Forgets everything. The caller knows that as many rows as the limit reach `floor`. */
  start(limit: number, compareRows: CompareRows, floor = Number.NEGATIVE_INFINITY): void {
    const room = 2 * limit + SPARE;
    if (room > this.#rows.length) {
      this.#rows = new Uint32Array(room);
      this.#scores = new Float64Array(room);
    }
    this.#room = room;
    this.#limit = limit;
    this.#compareRows = compareRows;
    this.#size = 0;
    this.#lastRow = -1;
    this.#floor = floor;
  }

  /** A row that scores below this need not be added. */
  get floor(): number {
    return this.#floor;
  }

  /** Returns the new floor. */
  add(row: number, score: number): number {
    const floor = this.#floor;
    if (score < floor) return floor;
    if (score === floor && this.#lastRow >= 0 && this.#compareRows(row, this.#lastRow) > 0) return floor;
    const size = this.#size;
    this.#rows[size] = row;
    this.#scores[size] = score;
    this.#size = size + 1;
    if (size + 1 === this.#room) this.#shrink();
    return this.#floor;
  }

  /** A row that scores below this cannot be among the best: as many as the limit reach it. Call it once there are. */
  get lowest(): number {
    let lowest = Number.POSITIVE_INFINITY;
    for (let i = 0; i < this.#size; i++) if (this.#scores[i]! < lowest) lowest = this.#scores[i]!;
    return lowest;
  }

  /** The score of the last of the best; the floor while there are fewer than the limit. */
  nth(): number {
    if (this.#size >= this.#limit) this.#shrink();
    return this.#floor;
  }

  /** Best first. */
  take(): RowScores {
    if (this.#size > this.#limit) this.#shrink();
    return bestFirst(this.#rows, this.#scores, this.#size, this.#compareRows);
  }

  /** Moves the best to the front and drops the rest (Hoare's quickselect). */
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
    this.#floor = scores[last]!;
  }
}
