import { separation } from '../fusion/blend.ts';

/**
 * Confidence: the estimated probability that a result answers the query, comparable between queries and catalogs.
 * `relevance_score` is not: the best result of every answer has 1, even of a bad answer.
 *
 * A logistic model, fitted to ten public collections of tools, servers and texts. Positive examples are the queries and
 * names of a collection. Negative examples are those of the other nine, and nonsense. Both count half, so 0.5 means
 * undecided. `docs/quality.md` shows how well it works.
 */
export interface QueryEvidence {
  /** The maximum keyword score of a unit. */
  readonly ceiling: number;
  /** The share of the query's terms that are in the index. */
  readonly known: number;
  /** The number of terms of the query. */
  readonly terms: number;
  /** Calibrated cosines of the vector leg; null without a vector leg. */
  readonly cosines: CosineEvidence | null;
}

interface CosineEvidence {
  readonly best: number;
  /** The mean of the best 20. */
  readonly near: number;
  /** The cosine of the query and the mean of all vectors. */
  readonly background: number;
  /** The distance of the best cosine from the mean of the list, in standard deviations. */
  readonly separation: number;
  /** Lower cosines mean nothing with this model. */
  readonly floor: number;
}

const NEAREST = 20;
/** The minimum length of a list. Longer lists are cut, so that the page size does not change the confidence. */
const MAX_LISTED = 75;

/** If the mean cosine of two texts is higher, the model gives every pair a high cosine. */
const MAX_SPREAD_MEAN = 0.35;

/** The weight of the prior, a mean cosine of 0, in texts. A few texts may be similar by coincidence. */
const PRIOR_TEXTS = 20;

/** The lowest meaningful cosine of a model, from the mean of `count` vectors. 0 unless all texts have similar vectors. */
export function cosineFloor(meanVector: Float32Array | null, count: number): number {
  if (meanVector === null || count < 2) return 0;
  // The square of the mean also counts each text with itself. This is the mean cosine of two different texts.
  const pairMean = (count * dotProduct(meanVector, meanVector) - 1) / (count - 1);
  const estimate = (pairMean * count) / (count + PRIOR_TEXTS);
  return Math.min(0.95, Math.max(0, estimate - MAX_SPREAD_MEAN));
}

function dotProduct(a: Float32Array, b: Float32Array): number {
  let dot = 0;
  for (let i = 0; i < a.length; i++) dot += a[i]! * b[i]!;
  return dot;
}

/** Rescales a cosine so that the floor becomes 0 and 1 stays 1. */
export function calibratedCosine(cosine: number, floor: number): number {
  return floor === 0 ? cosine : (cosine - floor) / (1 - floor);
}

/** `cosines` are those of the vector leg, best first. `meanVector` is the mean of `count` vectors. */
export function cosineEvidence(
  cosines: readonly number[],
  query: Float32Array,
  meanVector: Float32Array | null,
  count: number,
): CosineEvidence | null {
  if (cosines.length === 0) return null;
  const floor = cosineFloor(meanVector, count);
  const nearest = Math.min(NEAREST, cosines.length);
  let near = 0;
  for (let i = 0; i < nearest; i++) near += calibratedCosine(cosines[i]!, floor) / nearest;
  const squares = dotProduct(query, query);
  const dot = meanVector === null ? 0 : dotProduct(query, meanVector);
  const background = squares === 0 ? 0 : calibratedCosine(dot / Math.sqrt(squares), floor);
  const best = calibratedCosine(cosines[0]!, floor);
  const listed = cosines.length > MAX_LISTED ? cosines.slice(0, MAX_LISTED) : cosines;
  return { best, near, background, separation: separation(listed), floor };
}

const logistic = (x: number) => 1 / (1 + Math.exp(-x));

/** `cosine` is null for a unit without a vector. `share` is its keyword score divided by the maximum, from 0 to 1. */
type ConfidenceOf = (cosine: number | null, share: number) => number;

/** Computes everything that depends only on the query, once for all results. */
export function confidenceFor({ known, terms, cosines }: QueryEvidence): ConfidenceOf {
  const length = Math.log(1 + terms);
  const keywordSlope = Math.max(MIN_SLOPE, LEXICAL.share + LEXICAL.shareByLength * length);
  const keywordBase = LEXICAL.base + LEXICAL.known * known + LEXICAL.length * length;
  if (cosines === null) return (_, share) => logistic(keywordBase + keywordSlope * share);
  const hybridSlope = Math.max(MIN_SLOPE, HYBRID.share + HYBRID.shareByLength * length);
  const hybridBase =
    HYBRID.base +
    HYBRID.best * cosines.best +
    HYBRID.near * cosines.near +
    HYBRID.background * cosines.background +
    HYBRID.separation * cosines.separation +
    (HYBRID.known + HYBRID.knownByLength * length) * known +
    HYBRID.length * length;
  return (cosine, share) =>
    cosine === null
      ? logistic(keywordBase + keywordSlope * share)
      : logistic(hybridBase + HYBRID.cosine * calibratedCosine(cosine, cosines.floor) + hybridSlope * share);
}

/** Keeps the slope positive: a better keyword match never lowers the confidence, even for short queries. */
const MIN_SLOPE = 1;

const HYBRID = {
  base: -3.84,
  cosine: 2.67,
  best: 15.25,
  near: -16.31,
  background: 16.32,
  separation: -0.55,
  share: -4.15,
  shareByLength: 6.07,
  known: 1.41,
  knownByLength: -0.97,
  length: 0.62,
} as const;

const LEXICAL = { base: -1.75, share: -4.2, shareByLength: 9.4, known: -2.15, length: 0.26 } as const;
