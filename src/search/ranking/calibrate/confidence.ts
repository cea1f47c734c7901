import { separation } from '../fusion/blend.ts';

/**
 * How sure one can be that a result answers the query at all, from 0 to 1, comparable between queries and catalogs.
 * `relevance_score` cannot say that: it is 1 for the best of any answer, also of a bad one.
 *
 * A logistic model of a few facts, fitted to ten public collections of tools, servers and texts: their own queries and
 * names against queries and names of the other nine and against nonsense, each side counting half. 0.5 means that it
 * could be either. `docs/quality.md` has how well it tells them apart.
 */
export interface QueryEvidence {
  /** The highest score a unit could have by keyword. */
  readonly ceiling: number;
  /** The share of the query's terms that the index knows. */
  readonly known: number;
  /** How many terms the query has. */
  readonly terms: number;
  /** What the vector leg shows, calibrated; null without one. */
  readonly cosines: CosineEvidence | null;
}

export interface CosineEvidence {
  readonly best: number;
  /** The mean of the best twenty. */
  readonly near: number;
  /** The cosine of the query with the mean of all vectors: what it has in common with everything here. */
  readonly background: number;
  /** How far the best stands above the rest of its list, in standard deviations. */
  readonly separation: number;
  /** Cosines below this say nothing with this model. */
  readonly floor: number;
}

const NEAR = 20;
/** As many as a list has at least: a longer one, for a longer page, must not change how sure a result is. */
const LISTED = 75;

/** Up to this mean cosine between its texts a model spreads them out; past it, it gives every pair a high one. */
const SPREAD_OUT = 0.35;

/** So many texts say as much of a model as is taken for granted without any: a few may be alike by chance. */
const TAKEN_FOR_GRANTED = 20;

/**
 * Where a model's cosines begin to mean something, from the mean of the `count` vectors of an index. 0 for models that
 * spread texts out.
 */
export function cosineFloor(meanVector: Float32Array | null, count: number): number {
  if (meanVector === null || count < 2) return 0;
  // The square of the mean counts each text with itself; this is the mean cosine of two different ones.
  const pairs = (count * dotOf(meanVector, meanVector) - 1) / (count - 1);
  const shown = (pairs * count) / (count + TAKEN_FOR_GRANTED);
  return Math.min(0.95, Math.max(0, shown - SPREAD_OUT));
}

function dotOf(a: Float32Array, b: Float32Array): number {
  let dot = 0;
  for (let i = 0; i < a.length; i++) dot += a[i]! * b[i]!;
  return dot;
}

/** Puts a cosine on the scale of models that spread texts out. */
export function calibratedCosine(cosine: number, floor: number): number {
  return floor === 0 ? cosine : (cosine - floor) / (1 - floor);
}

/** `cosines` are those of the vector leg's list, best first; `count` is how many vectors the mean is of. */
export function cosineEvidence(
  cosines: readonly number[],
  query: Float32Array,
  meanVector: Float32Array | null,
  count: number,
): CosineEvidence | null {
  if (cosines.length === 0) return null;
  const floor = cosineFloor(meanVector, count);
  const nearest = Math.min(NEAR, cosines.length);
  let near = 0;
  for (let i = 0; i < nearest; i++) near += calibratedCosine(cosines[i]!, floor) / nearest;
  const squares = dotOf(query, query);
  const dot = meanVector === null ? 0 : dotOf(query, meanVector);
  const background = squares === 0 ? 0 : calibratedCosine(dot / Math.sqrt(squares), floor);
  const best = calibratedCosine(cosines[0]!, floor);
  const listed = cosines.length > LISTED ? cosines.slice(0, LISTED) : cosines;
  return { best, near, background, separation: separation(listed), floor };
}

const logistic = (x: number) => 1 / (1 + Math.exp(-x));

/** `cosine` is null where the unit has no vector; `share` is how much of what keywords could give it has, from 0 to 1. */
export type ConfidenceOf = (cosine: number | null, share: number) => number;

/** What depends on the query alone is worked out once for all its results. */
export function confidenceFor({ known, terms, cosines }: QueryEvidence): ConfidenceOf {
  const length = Math.log(1 + terms);
  const bySharing = Math.max(MIN_SLOPE, LEXICAL.share + LEXICAL.shareByLength * length);
  const base = LEXICAL.base + LEXICAL.known * known + LEXICAL.length * length;
  if (cosines === null) return (_, share) => logistic(base + bySharing * share);
  const hybridSharing = Math.max(MIN_SLOPE, HYBRID.share + HYBRID.shareByLength * length);
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
      ? logistic(base + bySharing * share)
      : logistic(hybridBase + HYBRID.cosine * calibratedCosine(cosine, cosines.floor) + hybridSharing * share);
}

export function confidenceOf(evidence: QueryEvidence, cosine: number | null, share: number): number {
  return confidenceFor(evidence)(cosine, share);
}

/** A better match by keyword never makes a result less sure, however short the query. */
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
