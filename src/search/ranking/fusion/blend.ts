/**
 * Score-aware fusion. The scores of each leg are divided by their standard deviation and weighted for each query. The
 * weights depend on how clearly the best result of a leg stands out, on the length of the query, and on the best cosine.
 *
 * RRF ignores score differences, and fixed weights are worse when one leg is much better. `docs/quality.md` compares them.
 */
export interface LegWeights {
  readonly keyword: number;
  readonly vector: number;
}

/** Scales and weights use at most this many units of each list, so that the page size does not change the scores. */
export const MAX_SAMPLED = 75;

/** Shorter lists are padded with zeros: if only two units match in the whole index, they stand out. */
const MIN_LIST = 20;

/**
 * The weight of the vector leg for a query of typical length, and its changes for short and long queries: a few words are
 * often enough for an embedding, but not for keywords. These numbers and those below were tuned by nDCG@10 on half of the
 * queries of ten public collections and verified on the other half.
 */
const BASE_VECTOR_SHARE = 0.46;
const TYPICAL_TERMS = 12;
const SHORT_QUERY_TERMS = 4;
const SHORT_QUERY_EXTRA = 0.2;
const PER_LENGTH = -0.12;
/** A longer text has no more of the words that matter, only more of the others. */
const MAX_COUNTED_TERMS = 48;

/** The change per difference of the best cosine from the typical one: a high cosine is a reliable match. */
const TYPICAL_COSINE = 0.55;
const PER_COSINE = 0.34;

/** The weight of the difference in separation between the legs. */
const PER_SEPARATION = 0.4;

/**
 * The change per share of the query that the best keyword hit explains beyond this. A hit with most of the query's words is
 * rarely wrong. Twice as much for one or two words: a model knows little about a rare word alone, such as `soql`.
 */
const MIN_EXPLAINED = 0.4;
const PER_EXPLAINED = -0.5;
const MAX_FEW_TERMS = 2;

/**
 * The change per share below this. A long text has hundreds of words, and if the best hit has next to none of its weight, the
 * hit is there by chance: the keyword leg must not lead.
 */
const UNEXPLAINED_BELOW = 0.04;
const PER_UNEXPLAINED = 25;
const MAX_UNEXPLAINED_SHARE = 0.9;

/** The weights are estimates, so both legs always count: three words may be a name, which keywords find best. */
const MIN_VECTOR_SHARE = 0.05;
const MAX_VECTOR_SHARE = 0.8;

interface BlendFacts {
  /** The number of distinct terms of the query. */
  readonly terms: number;
  /** Calibrated, see `calibratedCosine`. */
  readonly bestCosine: number;
  /** The best keyword score as a share of the highest that a unit could have, from 0 to 1. */
  readonly explained: number;
}

export interface Spread {
  readonly mean: number;
  /** Infinite if all scores are equal, so that they do not count. */
  readonly deviation: number;
}

/** With a smaller deviation, also relative to the mean, scores count as equal: the differences are rounding errors. */
const MIN_RELATIVE_DEVIATION = 1e-5;
const MIN_DEVIATION = 1e-9;

/** The spread of the scores and `zeros` additional zeros. */
export function spreadOf(scores: readonly number[], zeros = 0): Spread {
  const count = scores.length + zeros;
  if (count === 0) return { mean: 0, deviation: Number.POSITIVE_INFINITY };
  let total = 0;
  for (let i = 0; i < scores.length; i++) total += scores[i]!;
  const mean = total / count;
  let squares = zeros * mean * mean;
  for (let i = 0; i < scores.length; i++) squares += (scores[i]! - mean) * (scores[i]! - mean);
  const deviation = Math.sqrt(squares / count);
  const differs = deviation > MIN_RELATIVE_DEVIATION * Math.abs(mean) && deviation > MIN_DEVIATION;
  return { mean, deviation: differs ? deviation : Number.POSITIVE_INFINITY };
}

/** The distance of the best score from the mean, in standard deviations; 0 for an empty list. */
export function separation(scores: readonly number[]): number {
  if (scores.length === 0) return 0;
  const zeros = Math.max(0, MIN_LIST - scores.length);
  const { mean, deviation } = spreadOf(scores, zeros);
  let best = zeros > 0 ? 0 : Number.NEGATIVE_INFINITY;
  for (let i = 0; i < scores.length; i++) if (scores[i]! > best) best = scores[i]!;
  return (best - mean) / deviation;
}

/** How much clearer the best result of the vector leg stands out, from 0 to 1; 0.5 if neither does. */
function vectorClarity(keyword: readonly number[], vector: readonly number[]): number {
  const byVector = separation(vector);
  const total = separation(keyword) + byVector;
  return total > 0 ? byVector / total : 0.5;
}

/** The weights for one query. Their sum is 1. `keyword` and `vector` are the scores of the units that each leg found. */
export function blendWeights(
  keyword: readonly number[],
  vector: readonly number[],
  { terms, bestCosine, explained }: BlendFacts,
): LegWeights {
  if (vector.length === 0) return { keyword: 1, vector: 0 };
  if (keyword.length === 0) return { keyword: 0, vector: 1 };
  const length = Math.max(1, terms);
  const byLength =
    SHORT_QUERY_EXTRA * Math.min(1, SHORT_QUERY_TERMS / length) +
    PER_LENGTH * Math.log(Math.min(length, MAX_COUNTED_TERMS) / TYPICAL_TERMS);
  const byCosine = PER_COSINE * (bestCosine - TYPICAL_COSINE);
  const bySeparation = PER_SEPARATION * (vectorClarity(keyword, vector) - 0.5);
  const fewFactor = terms <= MAX_FEW_TERMS ? 2 : 1;
  const byExplained = fewFactor * PER_EXPLAINED * Math.max(0, explained - MIN_EXPLAINED);
  const usual = BASE_VECTOR_SHARE + byLength + byCosine + bySeparation + byExplained;
  const byUnexplained = PER_UNEXPLAINED * Math.max(0, UNEXPLAINED_BELOW - explained);
  const most = byUnexplained > 0 ? MAX_UNEXPLAINED_SHARE : MAX_VECTOR_SHARE;
  const bounded = Math.min(most, Math.max(MIN_VECTOR_SHARE, usual + byUnexplained));
  return { keyword: 1 - bounded, vector: bounded };
}

/**
 * The vector share for memories. Turns of a conversation are alike, so the words of a question tell more than in a catalog:
 * the base is lower. It is higher if the vector leg has the clearer best result, and if the best keyword hit has so little of
 * the query that it is probably there by chance. Fitted to conversations of others and to our own, cross-fitted by
 * conversation: `docs/quality.md`.
 */
const CONVERSATION_SHARE = 0.44;
const CONVERSATION_PER_COSINE = -0.4;
const CONVERSATION_PER_SEPARATION = 0.6;
const CONVERSATION_CHANCE_BELOW = 0.18;
const CONVERSATION_PER_CHANCE = 5;

/** The weights for a search of memories. The arguments are those of `blendWeights`. */
export function conversationWeights(
  keyword: readonly number[],
  vector: readonly number[],
  { bestCosine, explained }: BlendFacts,
): LegWeights {
  if (vector.length === 0) return { keyword: 1, vector: 0 };
  if (keyword.length === 0) return { keyword: 0, vector: 1 };
  const share =
    CONVERSATION_SHARE +
    CONVERSATION_PER_COSINE * (bestCosine - TYPICAL_COSINE) +
    CONVERSATION_PER_SEPARATION * (vectorClarity(keyword, vector) - 0.5) +
    CONVERSATION_PER_CHANCE * Math.max(0, CONVERSATION_CHANCE_BELOW - explained);
  const bounded = Math.min(1, Math.max(0, share));
  return { keyword: 1 - bounded, vector: bounded };
}
