import type { CompareRows, RowScores } from '../row-scores.ts';

/** Rows kept beyond twice the limit before the worse half is dropped. */
const SPARE = 64;

/** The best rows of those added, by score and then by `compareRows`. One is used for search after search. */
export class BestRows {
  #rows = new Uint32Array(0);
  #scores = new Float64Array(0);
  #otherRows = new Uint32Array(0);
  #otherScores = new Float64Array(0);
  #limit = 0;
  #compareRows: CompareRows = () => 0;
  #size = 0;
  /** The last row that is still in, once there are as many as the limit; before, a score that every row reaches. */
  #lastRow = 0;
  #lastScore = Number.NEGATIVE_INFINITY;

  /** Forgets everything. At most `rows` rows will be added. */
  start(limit: number, rows: number, compareRows: CompareRows): void {
    const room = Math.min(rows, 2 * limit + SPARE);
    if (room > this.#rows.length) {
      this.#rows = new Uint32Array(room);
      this.#scores = new Float64Array(room);
      this.#otherRows = new Uint32Array(room);
      this.#otherScores = new Float64Array(room);
    }
    this.#limit = limit;
    this.#compareRows = compareRows;
    this.#size = 0;
    this.#lastScore = Number.NEGATIVE_INFINITY;
  }

  add(row: number, score: number): void {
    if (score < this.#lastScore) return;
    if (score === this.#lastScore && this.#compareRows(row, this.#lastRow) > 0) return;
    if (this.#size === this.#rows.length) this.#shrink();
    this.#rows[this.#size] = row;
    this.#scores[this.#size++] = score;
  }

  /** A row that scores below this cannot be among the best: as many as the limit reach it. Call it once there are. */
  get lowest(): number {
    let lowest = Number.POSITIVE_INFINITY;
    for (let i = 0; i < this.#size; i++) if (this.#scores[i]! < lowest) lowest = this.#scores[i]!;
    return lowest;
  }

  /** Best first. */
  take(): RowScores {
    this.#sort();
    const size = Math.min(this.#size, this.#limit);
    const rows = new Array<number>(size);
    const scores = new Array<number>(size);
    for (let i = 0; i < size; i++) {
      rows[i] = this.#rows[i]!;
      scores[i] = this.#scores[i]!;
    }
    return { rows, scores };
  }

  #shrink(): void {
    this.#sort();
    this.#size = this.#limit;
    this.#lastRow = this.#rows[this.#size - 1]!;
    this.#lastScore = this.#scores[this.#size - 1]!;
  }

  /** Merges runs of growing length, back and forth between two pairs of lists. */
  #sort(): void {
    for (let run = 1; run < this.#size; run *= 2) {
      for (let from = 0; from < this.#size; from += 2 * run) this.#merge(from, run);
      [this.#rows, this.#otherRows] = [this.#otherRows, this.#rows];
      [this.#scores, this.#otherScores] = [this.#otherScores, this.#scores];
    }
  }

  #merge(from: number, run: number): void {
    const rows = this.#rows;
    const scores = this.#scores;
    const toRows = this.#otherRows;
    const toScores = this.#otherScores;
    const middle = Math.min(from + run, this.#size);
    const end = Math.min(middle + run, this.#size);
    let left = from;
    let right = middle;
    for (let to = from; to < end; to++) {
      const takesLeft = right === end || (left < middle && !this.#isBetter(right, left));
      const at = takesLeft ? left++ : right++;
      toRows[to] = rows[at]!;
      toScores[to] = scores[at]!;
    }
  }

  #isBetter(a: number, b: number): boolean {
    const difference = this.#scores[a]! - this.#scores[b]!;
    return difference !== 0 ? difference > 0 : this.#compareRows(this.#rows[a]!, this.#rows[b]!) < 0;
  }
}
