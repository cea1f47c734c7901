import { inverseFrequency, mostScoreUnits, type TermFrequency, toScoreUnits } from './bm25f.ts';
import { grown, type PostingPool } from './posting-pool.ts';

/** A list of postings with what each is worth, in score units and never 0. */
export interface Impacts {
  readonly rows: Uint32Array;
  readonly rowsFrom: number;
  /** Not to be read before `pending` has filled them in. */
  readonly values: Uint32Array;
  readonly valuesFrom: number;
  readonly length: number;
  /** No value is above this; the largest value itself when nothing is pending. */
  readonly max: number;
  /** For values that are not worked out yet, null for those that are. */
  readonly pending: PendingValues | null;
}

/** Values that are worked out as far as a search needs them. */
export interface PendingValues {
  /** Fills all of them in and gives the largest. */
  fill(): number;
  /** One of them, by its place in `rows`, without filling it in. */
  at(place: number): number;
}

/** Up to this length a list is worked out at once: it costs little, and what its values stay below says little. */
const SHORT = 64;

/**
 * What each posting is worth, worked out list by list and kept until the next write: every write moves the averages that
 * all scores rest on. A long list that is asked for once is only worked out as far as the search needs it; when it is
 * asked for again it is worth having whole. Then a query only adds numbers up. For the default weights, which are all
 * above 0.
 */
export class TermImpacts {
  readonly #pool: PostingPool<Uint32Array>;
  #values = new Uint32Array(0);
  #max = new Uint32Array(0);
  /** `#asked` for a list that was asked for since the last write, one more for one that is worked out. */
  #states = new Uint32Array(0);
  #asked = 2;

  constructor(pool: PostingPool<Uint32Array>) {
    this.#pool = pool;
  }

  /** Forgets everything. Costs nothing. */
  invalidate(): void {
    this.#asked += 2;
  }

  /** `units` and `tf` must be those of the index since the last `invalidate`, here and below. */
  of(list: number, units: number, tf: TermFrequency): Impacts {
    this.#makeRoom();
    const isFirst = this.#states[list]! < this.#asked;
    if (!isFirst || this.#pool.length(list) <= SHORT) return this.whole(list, units, tf);
    this.#states[list] = this.#asked;
    const idf = inverseFrequency(units, this.#pool.length(list));
    const { rows, payload } = this.#pool;
    return this.#impacts(list, mostScoreUnits(idf), {
      fill: () => this.#workOut(list, idf, tf),
      at: (place) => toScoreUnits(idf, tf.of(rows[place]!, payload[place]!)),
    });
  }

  /** With nothing pending. */
  whole(list: number, units: number, tf: TermFrequency): Impacts {
    this.#makeRoom();
    const isWorkedOut = this.#states[list]! > this.#asked;
    const max = isWorkedOut
      ? this.#max[list]!
      : this.#workOut(list, inverseFrequency(units, this.#pool.length(list)), tf);
    return this.#impacts(list, max, null);
  }

  /** The values by place in the pool, if those of the list are worked out. */
  known(list: number): Uint32Array | null {
    return this.#states[list]! > this.#asked ? this.#values : null;
  }

  #makeRoom(): void {
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

  /** Fills in the values of a list and gives the largest. */
  #workOut(list: number, idf: number, tf: TermFrequency): number {
    const from = this.#pool.start(list);
    const to = from + this.#pool.length(list);
    const max = tf.fillScoreUnits(idf, this.#pool, from, to, this.#values);
    this.#max[list] = max;
    this.#states[list] = this.#asked + 1;
    return max;
  }
}

/**
 * The same for one query, without keeping it: for weights that are not the default ones. Those may switch fields off,
 * so postings that are worth nothing are left out.
 */
export function impactsOf(pool: PostingPool<Uint32Array>, list: number, units: number, tf: TermFrequency): Impacts {
  const from = pool.start(list);
  const to = from + pool.length(list);
  const idf = inverseFrequency(units, to - from);
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
