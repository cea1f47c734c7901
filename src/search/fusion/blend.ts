/**
 * Score-aware fusion. Each leg's scores are brought to one scale (how many standard deviations above the mean of the
 * candidates), and the legs are weighted for each query by two things: how clearly a leg's best stands out from the rest
 * of its own list, and how long the query is, since a few words say little to a keyword index and enough to a model.
 * Ranks alone forget by how much the first won; fixed weights lose wherever one leg is far better. `docs/quality.md` has
 * the comparison on every set.
 */
export interface LegWeights {
  readonly keyword: number;
  readonly vector: number;
}

/** Lists shorter than this are filled up with zeros: two keyword hits in the whole index are a strong sign, not none. */
const LEAST_LIST = 20;

/** Share of the vector leg for a long query, what a short one adds to it, and how many terms still count as short. */
const LONG_QUERY_SHARE = 0.45;
const SHORT_QUERY_EXTRA = 0.3;
const SHORT_QUERY_TERMS = 6;

/** How much the query's length counts beside what the lists themselves show. */
const LENGTH_INFLUENCE = 0.5;

export interface Spread {
  readonly mean: number;
  /** Infinite for scores that are all alike: they tell nothing apart, so they must not count, however small they are. */
  readonly deviation: number;
}

/** Scores that differ by less than this share of their mean are alike: the rest is rounding. */
const ALIKE = 1e-5;

export function spreadOf(scores: readonly number[]): Spread {
  if (scores.length === 0) return { mean: 0, deviation: Number.POSITIVE_INFINITY };
  let total = 0;
  for (const score of scores) total += score;
  const mean = total / scores.length;
  let squares = 0;
  for (const score of scores) squares += (score - mean) ** 2;
  const deviation = Math.sqrt(squares / scores.length);
  const differs = deviation > ALIKE * Math.abs(mean) && deviation > Number.MIN_VALUE;
  return { mean, deviation: differs ? deviation : Number.POSITIVE_INFINITY };
}

/** How far the best of a list stands above the rest, in standard deviations; 0 for an empty list. */
export function separation(scores: readonly number[]): number {
  if (scores.length === 0) return 0;
  const padded =
    scores.length < LEAST_LIST ? [...scores, ...new Array<number>(LEAST_LIST - scores.length).fill(0)] : scores;
  const { mean, deviation } = spreadOf(padded);
  let best = Number.NEGATIVE_INFINITY;
  for (const score of padded) if (score > best) best = score;
  return (best - mean) / deviation;
}

/**
 * The weights for one query, which add up to 1. `keyword` and `vector` are the scores of what each leg itself found;
 * `terms` is how many different terms the query has.
 */
export function blendWeights(keyword: readonly number[], vector: readonly number[], terms: number): LegWeights {
  if (vector.length === 0) return { keyword: 1, vector: 0 };
  if (keyword.length === 0) return { keyword: 0, vector: 1 };
  const byLength = LONG_QUERY_SHARE + SHORT_QUERY_EXTRA * Math.min(1, SHORT_QUERY_TERMS / Math.max(1, terms));
  const clearKeyword = separation(keyword);
  const clearVector = separation(vector);
  const clear = clearKeyword + clearVector;
  const bySeparation = clear > 0 ? clearVector / clear : 0.5;
  const share = LENGTH_INFLUENCE * byLength + (1 - LENGTH_INFLUENCE) * bySeparation;
  return { keyword: 1 - share, vector: share };
}
