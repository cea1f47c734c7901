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
    const order = this.#rows.map((_, i) => i);
    order.sort((a, b) => this.#scores[b]! - this.#scores[a]! || this.#compareRows(this.#rows[a]!, this.#rows[b]!));
    return { rows: order.map((i) => this.#rows[i]!), scores: order.map((i) => this.#scores[i]!) };
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
    const size = this.#rows.length;
    let at = 0;
    for (;;) {
      let worst = at;
      for (const child of [2 * at + 1, 2 * at + 2]) {
        if (
          child < size &&
          this.#isWorse(this.#scores[child]!, this.#rows[child]!, this.#scores[worst]!, this.#rows[worst]!)
        )
          worst = child;
      }
      if (worst === at) return;
      this.#swap(at, worst);
      at = worst;
    }
  }
}
