import { bestFirst } from './best-first.ts';

/** What an in-process index answers: rows and their scores, best first. */
export interface RowScores {
  readonly rows: readonly number[];
  readonly scores: readonly number[];
}

/** Orders two rows of equal score; engines order by unit id. Negative when `a` comes first. */
export type CompareRows = (a: number, b: number) => number;

/**
 * Keeps the best `limit` rows of those offered. Offer in any order: ties are settled by `compareRows`, so the outcome
 * does not depend on it.
 */
export class TopRows {
  readonly #limit: number;
  readonly #compareRows: CompareRows;
  readonly #rows: number[] = [];
  readonly #scores: number[] = [];

  constructor(limit: number, compareRows: CompareRows) {
    this.#limit = limit;
    this.#compareRows = compareRows;
  }

  /** A row that scores below this cannot get in any more. -Infinity until the list is full. */
  get threshold(): number {
    return this.#rows.length < this.#limit ? Number.NEGATIVE_INFINITY : (this.#scores[0] ?? Number.POSITIVE_INFINITY);
  }

  offer(row: number, score: number): void {
    const size = this.#rows.length;
    if (size < this.#limit) {
      this.#rows.push(row);
      this.#scores.push(score);
      this.#siftUp(size);
    } else if (this.#limit > 0 && this.#isWorse(this.#scores[0]!, this.#rows[0]!, score, row)) {
      this.#rows[0] = row;
      this.#scores[0] = score;
      this.#siftDown();
    }
  }

  /** Best first. */
  take(): RowScores {
    return bestFirst(this.#rows, this.#scores, this.#rows.length, this.#compareRows);
  }

  /** Whether the first pair comes after the second in the final order. */
  #isWorse(scoreA: number, rowA: number, scoreB: number, rowB: number): boolean {
    return scoreA !== scoreB ? scoreA < scoreB : this.#compareRows(rowA, rowB) > 0;
  }

  #swap(a: number, b: number): void {
    const row = this.#rows[a]!;
    const score = this.#scores[a]!;
    this.#rows[a] = this.#rows[b]!;
    this.#scores[a] = this.#scores[b]!;
    this.#rows[b] = row;
    this.#scores[b] = score;
  }

  #siftUp(from: number): void {
    let at = from;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (!this.#isWorse(this.#scores[at]!, this.#rows[at]!, this.#scores[parent]!, this.#rows[parent]!)) return;
      this.#swap(at, parent);
      at = parent;
    }
  }

  #siftDown(): void {
    const rows = this.#rows;
    const scores = this.#scores;
    const size = rows.length;
    let at = 0;
    for (;;) {
      let worst = at;
      const left = 2 * at + 1;
      const right = left + 1;
      if (left < size && this.#isWorse(scores[left]!, rows[left]!, scores[worst]!, rows[worst]!)) worst = left;
      if (right < size && this.#isWorse(scores[right]!, rows[right]!, scores[worst]!, rows[worst]!)) worst = right;
      if (worst === at) return;
      this.#swap(at, worst);
      at = worst;
    }
  }
}
