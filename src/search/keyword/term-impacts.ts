import { inverseFrequency, maxScoreUnits, type TermFrequency, toScoreUnits } from './bm25f.ts';
import { grown, type PostingPool } from './posting-pool.ts';

/** A posting list with the impact of each posting: its score in score units, never 0. */
export interface Impacts {
  readonly rows: Uint32Array;
  readonly rowsFrom: number;
  /** Read them only after `pending` has filled them in. */
  readonly values: Uint32Array;
  readonly valuesFrom: number;
  readonly length: number;
  /** The largest value, or an upper bound of it if values are pending. */
  readonly max: number;
  /** Computes the values; null if they are computed. */
  readonly pending: PendingValues | null;
}

/** Values that are computed on demand. */
export interface PendingValues {
  /** Computes all values and returns the largest. */
  fill(): number;
  /** Computes one value by its position in `rows`, without storing it. */
  at(position: number): number;
}

/** Lists up to this length are always computed at once, because that is cheap. */
const MAX_EAGER_LENGTH = 64;

/**
 * Caches the impacts of posting lists until the next write, which changes the average lengths and so every score.
 * On first use, a long list is computed only as far as the search needs it. On second use it is computed completely.
 * For the default weights, which are all above 0.
 */
export class TermImpacts {
  readonly #pool: PostingPool<Uint32Array>;
  #values = new Uint32Array(0);
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
  of(list: number, unitCount: number, tf: TermFrequency): Impacts {
    this.#ensureCapacity();
    const isFirstUse = this.#states[list]! < this.#generation;
    if (!isFirstUse || this.#pool.length(list) <= MAX_EAGER_LENGTH) return this.computed(list, unitCount, tf);
    this.#states[list] = this.#generation;
    const idf = inverseFrequency(unitCount, this.#pool.length(list));
    const { rows, payload } = this.#pool;
    return this.#impacts(list, maxScoreUnits(idf), {
      fill: () => this.#compute(list, idf, tf),
      at: (position) => toScoreUnits(idf, tf.of(rows[position]!, payload[position]!)),
    });
  }

  /** Without pending values. */
  computed(list: number, unitCount: number, tf: TermFrequency): Impacts {
    this.#ensureCapacity();
    const isComputed = this.#states[list]! > this.#generation;
    const max = isComputed
      ? this.#max[list]!
      : this.#compute(list, inverseFrequency(unitCount, this.#pool.length(list)), tf);
    return this.#impacts(list, max, null);
  }

  /** The values by position in the pool; null if the list is not computed. */
  computedValues(list: number): Uint32Array | null {
    return this.#states[list]! > this.#generation ? this.#values : null;
  }

  #ensureCapacity(): void {
    const { rows, lists } = this.#pool;
    if (this.#values.length < rows.length) this.#values = grown(this.#values, rows.length);
    if (this.#states.length >= lists) return;
    this.#states = grown(this.#states, lists);
    this.#max = grown(this.#max, lists);
  }

  #impacts(list: number, max: number, pending: PendingValues | null): Impacts {
    const from = this.#pool.start(list);
    const length = this.#pool.length(list);
    return { rows: this.#pool.rows, rowsFrom: from, values: this.#values, valuesFrom: from, length, max, pending };
  }

  /** Computes the values of a list and returns the largest. */
  #compute(list: number, idf: number, tf: TermFrequency): number {
    const from = this.#pool.start(list);
    const to = from + this.#pool.length(list);
    const max = tf.fillScoreUnits(idf, this.#pool, from, to, this.#values);
    this.#max[list] = max;
    this.#states[list] = this.#generation + 1;
    return max;
  }
}

/** Computes impacts for custom weights, without caching. A weight of 0 can make an impact 0: such postings are dropped. */
export function computeImpacts(
  pool: PostingPool<Uint32Array>,
  list: number,
  unitCount: number,
  tf: TermFrequency,
): Impacts {
  const from = pool.start(list);
  const to = from + pool.length(list);
  const idf = inverseFrequency(unitCount, to - from);
  const rows = new Uint32Array(to - from);
  const values = new Uint32Array(to - from);
  let length = 0;
  let max = 0;
  for (let at = from; at < to; at++) {
    const row = pool.rows[at]!;
    const value = toScoreUnits(idf, tf.of(row, pool.payload[at]!));
    if (value === 0) continue;
    rows[length] = row;
    values[length++] = value;
    if (value > max) max = value;
  }
  return { rows, rowsFrom: 0, values, valuesFrom: 0, length, max, pending: null };
}
