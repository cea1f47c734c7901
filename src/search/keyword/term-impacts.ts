import { grown } from '../rows/grown.ts';
import { inverseFrequency, maxScoreUnits, type TermFrequency, toScoreUnits } from './bm25f.ts';
import type { PostingPool } from './postings/posting-pool.ts';
import type { PendingValues, ScoredPostings } from './postings/score-accumulator.ts';

/** Lists up to this length are always computed at once, because that is cheap. */
const MAX_EAGER_LENGTH = 64;

/**
 * Caches the impacts of posting lists until the next write, which changes the average lengths and so every score.
 * On first use, a long list is computed only as far as the search needs it. On second use it is computed completely.
 * An impact is never 0, because all field weights are above 0.
 */
export class TermImpacts {
  readonly #pool: PostingPool<Uint32Array>;
  /** By page of the pool. */
  readonly #values: Uint32Array[] = [];
  #max = new Uint32Array(0);
  /** By list: `#generation` after the first use since the last write, `#generation + 1` when it is computed. */
  #states = new Uint32Array(0);
  #generation = 2;

  constructor(pool: PostingPool<Uint32Array>) {
    this.#pool = pool;
  }

  /** Call it after every write. Takes constant time. */
  invalidate(): void {
    this.#generation += 2;
  }

  /** `unitCount` and `tf` must match the index since the last `invalidate`. */
  of(list: number, frequency: number, unitCount: number, tf: TermFrequency): ScoredPostings {
    this.#ensureCapacity();
    const isFirstUse = this.#states[list]! < this.#generation;
    if (!isFirstUse || this.#pool.length(list) <= MAX_EAGER_LENGTH)
      return this.computed(list, frequency, unitCount, tf);
    this.#states[list] = this.#generation;
    const idf = inverseFrequency(unitCount, this.#pool.length(list));
    const { rows, payload } = this.#pool.page(list);
    return this.#postings(list, frequency, maxScoreUnits(idf), {
      fill: () => this.#compute(list, idf, tf),
      at: (position) => toScoreUnits(idf, tf.of(rows[position]!, payload[position]!)),
    });
  }

  /** Without pending values. */
  computed(list: number, frequency: number, unitCount: number, tf: TermFrequency): ScoredPostings {
    this.#ensureCapacity();
    const isComputed = this.#states[list]! > this.#generation;
    const max = isComputed
      ? this.#max[list]!
      : this.#compute(list, inverseFrequency(unitCount, this.#pool.length(list)), tf);
    return this.#postings(list, frequency, max, null);
  }

  /** The values by position in the page of the list; null if the list is not computed. */
  computedValues(list: number): Uint32Array | null {
    return this.#states[list]! > this.#generation ? this.#valuesOf(list) : null;
  }

  #valuesOf(list: number): Uint32Array {
    const number = this.#pool.pageNumber(list);
    const { rows } = this.#pool.page(list);
    let values = this.#values[number] ?? new Uint32Array(rows.length);
    // A page that is not full may have grown.
    if (values.length < rows.length) values = grown(values, rows.length);
    this.#values[number] = values;
    return values;
  }

  #ensureCapacity(): void {
    const { lists } = this.#pool;
    if (this.#states.length >= lists) return;
    this.#states = grown(this.#states, lists);
    this.#max = grown(this.#max, lists);
  }

  #postings(list: number, frequency: number, max: number, pending: PendingValues | null): ScoredPostings {
    const { rows } = this.#pool.page(list);
    const from = this.#pool.start(list);
    const length = this.#pool.length(list);
    return { rows, values: this.#valuesOf(list), from, length, frequency, max, pending };
  }

  /** Computes the values of a list and returns the largest. */
  #compute(list: number, idf: number, tf: TermFrequency): number {
    const from = this.#pool.start(list);
    const to = from + this.#pool.length(list);
    const max = tf.fillScoreUnits(idf, this.#pool.page(list), from, to, this.#valuesOf(list));
    this.#max[list] = max;
    this.#states[list] = this.#generation + 1;
    return max;
  }
}
