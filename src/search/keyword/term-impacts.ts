import { inverseFrequency, type TermFrequency, toScoreUnits } from './bm25f.ts';
import { grown, type PostingPool } from './posting-pool.ts';

/** Score units of a list's postings, in the order of the list. */
export interface Impacts {
  readonly values: Uint32Array;
  readonly from: number;
  readonly max: number;
}

/**
 * What each posting is worth, worked out list by list when a query first asks and kept until the next write: every
 * write moves the averages that all scores rest on. Between writes a query only adds numbers up.
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
    if (this.#states[list] !== this.#state) {
      this.#max[list] = workOut(pool, list, units, tf, this.#values, from);
      this.#states[list] = this.#state;
    }
    return { values: this.#values, from, max: this.#max[list]! };
  }
}

/** The same for one query, without keeping it: for weights that are not the default ones. */
export function impactsOf(pool: PostingPool<Uint32Array>, list: number, units: number, tf: TermFrequency): Impacts {
  const values = new Uint32Array(pool.length(list));
  return { values, from: 0, max: workOut(pool, list, units, tf, values, 0) };
}

function workOut(
  pool: PostingPool<Uint32Array>,
  list: number,
  units: number,
  tf: TermFrequency,
  values: Uint32Array,
  to: number,
): number {
  const { rows, payload } = pool;
  const from = pool.start(list);
  const length = pool.length(list);
  const idf = inverseFrequency(units, length);
  let max = 0;
  for (let i = 0; i < length; i++) {
    const value = toScoreUnits(idf, tf.of(rows[from + i]!, payload[from + i]!));
    values[to + i] = value;
    if (value > max) max = value;
  }
  return max;
}
