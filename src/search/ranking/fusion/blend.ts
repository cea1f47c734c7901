/**
 * Score-aware fusion. Each leg's scores are brought to one scale (how many standard deviations above the mean of the
 * candidates), and the legs are weighted for each query by three things: how clearly a leg's best stands out from the rest
 * of its own list; how long the query is, since a few words say little to a keyword index and enough to a model; and how
 * near the model's nearest neighbor is.
 * Ranks alone forget by how much the first won; fixed weights lose wherever one leg is far better. `docs/quality.md` has
 * the comparison on every set.
 */
export interface LegWeights {
  readonly keyword: number;
  readonly vector: number;
}

/** Scales and weights are made of so many of each list, so that a longer page does not change what the shorter one showed. */
export const MAX_COUNTED = 75;

/** Lists shorter than this are filled up with zeros: two keyword hits in the whole index are a strong sign, not none. */
const MIN_LIST = 20;

/**
 * The share of the vector leg for a query of usual length, what a few words add to it and what more words take: a few
 * words say little to a keyword index and enough to a model. These numbers, and those below, were found by nDCG@10 over
 * half of the queries of ten public collections and hold on the other half.
 */
const USUAL_SHARE = 0.46;
const USUAL_TERMS = 12;
const SHORT_QUERY_TERMS = 4;
const SHORT_QUERY_EXTRA = 0.2;
const PER_LENGTH = -0.12;

/** What a best cosine above or below the usual one adds or takes: a model that finds a close neighbor is sure of it. */
const USUAL_COSINE = 0.55;
const PER_COSINE = 0.34;

/** How much it counts that one leg tells its own results apart more clearly than the other. */
const PER_SEPARATION = 0.4;

/** No leg is ever silenced by a guess: three words may be a name, and names are the keyword leg's. */
const MIN_SHARE = 0.05;
const MAX_SHARE = 0.8;

export interface BlendFacts {
  /** How many different terms the query has. */
  readonly terms: number;
  /** As `calibratedCosine` gives it. */
  readonly bestCosine: number;
}

export interface Spread {
  readonly mean: number;
  /** Infinite for scores that are all alike: they tell nothing apart, so they must not count, however small they are. */
  readonly deviation: number;
}

/** Scores that differ by less than this share of their mean are alike: the rest is rounding. */
const ALIKE = 1e-5;

/** Of the scores and of `zeros` more that are 0. */
export function spreadOf(scores: readonly number[], zeros = 0): Spread {
  const count = scores.length + zeros;
  if (count === 0) return { mean: 0, deviation: Number.POSITIVE_INFINITY };
  let total = 0;
  for (const score of scores) total += score;
  const mean = total / count;
  let squares = zeros * mean * mean;
  for (const score of scores) squares += (score - mean) * (score - mean);
  const deviation = Math.sqrt(squares / count);
  const differs = deviation > ALIKE * Math.abs(mean) && deviation > Number.MIN_VALUE;
  return { mean, deviation: differs ? deviation : Number.POSITIVE_INFINITY };
}

/** How far the best of a list stands above the rest, in standard deviations; 0 for an empty list. */
export function separation(scores: readonly number[]): number {
  if (scores.length === 0) return 0;
  const zeros = Math.max(0, MIN_LIST - scores.length);
  const { mean, deviation } = spreadOf(scores, zeros);
  let best = zeros > 0 ? 0 : Number.NEGATIVE_INFINITY;
  for (const score of scores) if (score > best) best = score;
  return (best - mean) / deviation;
}

/**
 * The weights for one query, which add up to 1. `keyword` and `vector` are the scores of what each leg itself found, best
 * first.
 */
export function blendWeights(
  keyword: readonly number[],
  vector: readonly number[],
  { terms, bestCosine }: BlendFacts,
): LegWeights {
  if (vector.length === 0) return { keyword: 1, vector: 0 };
  if (keyword.length === 0) return { keyword: 0, vector: 1 };
  const length = Math.max(1, terms);
  const byLength =
    SHORT_QUERY_EXTRA * Math.min(1, SHORT_QUERY_TERMS / length) + PER_LENGTH * Math.log(length / USUAL_TERMS);
  const byCosine = PER_COSINE * (bestCosine - USUAL_COSINE);
  const clearKeyword = separation(keyword);
  const clearVector = separation(vector);
  const clear = clearKeyword + clearVector;
  const bySeparation = PER_SEPARATION * (clear > 0 ? clearVector / clear - 0.5 : 0);
  const share = USUAL_SHARE + byLength + byCosine + bySeparation;
  const bounded = Math.min(MAX_SHARE, Math.max(MIN_SHARE, share));
  return { keyword: 1 - bounded, vector: bounded };
}
