import { inverseFrequency, type TermFrequency, toScoreUnits } from './bm25f.ts';
import { grown, type PostingPool } from './posting-pool.ts';

/** A list of postings with what each is worth, in score units and never 0. */
export interface Impacts {
  readonly rows: Uint32Array;
  readonly rowsFrom: number;
  readonly values: Uint32Array;
  readonly valuesFrom: number;
  readonly length: number;
  readonly max: number;
}

/**
 * What each posting is worth, worked out list by list when a query first asks and kept until the next write: every
 * write moves the averages that all scores rest on. Between writes a query only adds numbers up. For the default
 * weights, which are all above 0.
 */
export class TermImpacts {
  readonly #pool: PostingPool<Uint32Array>;
  #values = new Uint32Array(0);
  #max = new Uint32Array(0);
  /** The state of the index that a list was worked out for; 0 for never. */
  #states = new Uint32Array(0);
  #state = 1;

  constructor(pool: PostingPool<Uint32Array>) {
    this.#pool = pool;
  }

  /** Forgets everything. Costs nothing. */
  invalidate(): void {
    this.#state++;
  }

  /** `units` and `tf` must be those of the index since the last `invalidate`. */
  of(list: number, units: number, tf: TermFrequency): Impacts {
    const pool = this.#pool;
    if (this.#values.length < pool.rows.length) this.#values = grown(this.#values, pool.rows.length);
    if (this.#states.length < pool.lists) {
      this.#states = grown(this.#states, pool.lists);
      this.#max = grown(this.#max, pool.lists);
    }
    const from = pool.start(list);
    const length = pool.length(list);
    if (this.#states[list] !== this.#state) {
      this.#max[list] = this.#workOut(list, inverseFrequency(units, length), tf);
      this.#states[list] = this.#state;
    }
    const max = this.#max[list]!;
    return { rows: pool.rows, rowsFrom: from, values: this.#values, valuesFrom: from, length, max };
  }

  /** The values by place in the pool, if those of the list are worked out. */
  known(list: number): Uint32Array | null {
    return this.#states[list] === this.#state ? this.#values : null;
  }

  /** Fills in the values of a list and gives the largest. */
  #workOut(list: number, idf: number, tf: TermFrequency): number {
    const from = this.#pool.start(list);
    const to = from + this.#pool.length(list);
    return tf.fillScoreUnits(idf, this.#pool, from, to, this.#values);
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
  return { rows, rowsFrom: 0, values, valuesFrom: 0, length, max };
}
