import type { CompareRows, RowScores } from '../row-scores.ts';

/** Rows kept beyond twice the limit before the worse half is dropped. */
const SPARE = 64;

/** Runs that are sorted in place before any are merged. */
const SHORT_RUN = 8;

/** The best rows of those added, by score and then by `compareRows`. One is used for search after search. */
export class BestRows {
  #rows: Uint32Array = new Uint32Array(0);
  #scores: Float64Array = new Float64Array(0);
  #otherRows: Uint32Array = new Uint32Array(0);
  #otherScores: Float64Array = new Float64Array(0);
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
    const size = this.#size;
    for (let from = 0; from < size; from += SHORT_RUN) {
      insert(this.#rows, this.#scores, from, Math.min(from + SHORT_RUN, size), this.#compareRows);
    }
    for (let run = SHORT_RUN; run < size; run *= 2) {
      const from: List = { rows: this.#rows, scores: this.#scores };
      const to: List = { rows: this.#otherRows, scores: this.#otherScores };
      for (let start = 0; start < size; start += 2 * run) merge(from, to, start, run, size, this.#compareRows);
      this.#rows = to.rows;
      this.#scores = to.scores;
      this.#otherRows = from.rows;
      this.#otherScores = from.scores;
    }
  }
}

interface List {
  readonly rows: Uint32Array;
  readonly scores: Float64Array;
}

/** Sorts a few neighbors in place. */
function insert(rows: Uint32Array, scores: Float64Array, from: number, end: number, compareRows: CompareRows): void {
  for (let i = from + 1; i < end; i++) {
    const row = rows[i]!;
    const score = scores[i]!;
    let to = i;
    for (; to > from; to--) {
      const other = scores[to - 1]!;
      if (other > score || (other === score && compareRows(rows[to - 1]!, row) < 0)) break;
      rows[to] = rows[to - 1]!;
      scores[to] = other;
    }
    rows[to] = row;
    scores[to] = score;
  }
}

/** Makes one sorted run of two that follow each other. */
function merge(from: List, to: List, start: number, run: number, size: number, compareRows: CompareRows): void {
  const { rows, scores } = from;
  const { rows: toRows, scores: toScores } = to;
  const middle = Math.min(start + run, size);
  const end = Math.min(middle + run, size);
  let left = start;
  let right = middle;
  let at = start;
  while (left < middle && right < end) {
    const difference = scores[left]! - scores[right]!;
    const takesLeft = difference > 0 || (difference === 0 && compareRows(rows[left]!, rows[right]!) < 0);
    const next = takesLeft ? left++ : right++;
    toRows[at] = rows[next]!;
    toScores[at++] = scores[next]!;
  }
  for (; left < middle; left++, at++) {
    toRows[at] = rows[left]!;
    toScores[at] = scores[left]!;
  }
  for (; right < end; right++, at++) {
    toRows[at] = rows[right]!;
    toScores[at] = scores[right]!;
  }
}
