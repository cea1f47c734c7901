import type { Candidate, ScoredUnit } from '../candidate.ts';

/**
 * Confidence: the estimated probability that a result answers the query, comparable between queries and catalogs.
 * `relevance_score` is not: the best result of every answer has 1, even of a bad answer.
 *
 * It is the product of two logistic models, fitted to ten public collections of tools, servers and texts:
 * - Does the catalog answer the query at all? From the best cosine, the best keyword score and the size of the catalog: the
 *   more units there are, the more similar is the best one by coincidence. Queries of other collections and nonsense are the
 *   negative examples; both kinds count half, so 0.5 means undecided.
 * - If it does, is this the answer? From the distance to the best of each leg, the ranks, and how far the first is ahead.
 *
 * `docs/quality.md` shows how well it works.
 */
export interface QueryEvidence {
  /** The maximum keyword score of a unit. */
  readonly ceiling: number;
  /** The best keyword score of the keyword leg; 0 without a match. */
  readonly bestKeyword: number;
  /** The number of terms of the query. */
  readonly terms: number;
  /** The number of units in the catalog. */
  readonly units: number;
  /** null without a vector leg. */
  readonly cosines: CosineEvidence | null;
}

export interface CosineEvidence {
  /** The best cosine, calibrated. */
  readonly best: number;
  /** Lower cosines mean nothing with this model. */
  readonly floor: number;
}

/** If the mean cosine of two texts is higher, the model gives every pair a high cosine. */
const MAX_SPREAD_MEAN = 0.35;

/** The weight of the prior, a mean cosine of 0, in texts. A few texts may be similar by coincidence. */
const PRIOR_TEXTS = 20;

/** The lowest meaningful cosine of a model, from the mean of `count` vectors. 0 unless all texts have similar vectors. */
export function cosineFloor(meanVector: Float32Array | null, count: number): number {
  if (meanVector === null || count < 2) return 0;
  let squares = 0;
  for (let i = 0; i < meanVector.length; i++) squares += meanVector[i]! * meanVector[i]!;
  // The square of the mean also counts each text with itself. This is the mean cosine of two different texts.
  const pairMean = (count * squares - 1) / (count - 1);
  const estimate = (pairMean * count) / (count + PRIOR_TEXTS);
  return Math.min(0.95, Math.max(0, estimate - MAX_SPREAD_MEAN));
}

/** Rescales a cosine so that the floor becomes 0 and 1 stays 1. */
export function calibratedCosine(cosine: number, floor: number): number {
  return floor === 0 ? cosine : (cosine - floor) / (1 - floor);
}

const logistic = (x: number) => 1 / (1 + Math.exp(-x));

export interface Confidence {
  /** Whether the catalog answers the query at all, from 0 to 1. */
  readonly answerable: number;
  /** Whether this result answers it, from 0 to 1. */
  readonly of: (candidate: Candidate) => number;
}

/** `share` divides a keyword score by the maximum of its scorer. */
export function confidenceFor(
  { bestKeyword, terms, units, cosines }: QueryEvidence,
  candidates: readonly Candidate[],
  share: (keyword: number) => number,
): Confidence {
  const length = Math.log(1 + terms);
  const size = Math.log(Math.max(1, units));
  const floor = cosines?.floor ?? 0;
  // A long query repeats itself less in one unit, so the same share means more.
  const explained = share(bestKeyword) * length;
  const lead = leadOf(candidates, cosines === null ? ({ found }) => share(found.keyword ?? 0) * length : fusedScore);
  const { ANSWERABLE, RESULT } = cosines === null ? LEXICAL : HYBRID;
  const answerable = logistic(
    ANSWERABLE.base +
      ANSWERABLE.cosine * (cosines?.best ?? 0) +
      ANSWERABLE.explained * explained +
      ANSWERABLE.length * length +
      ANSWERABLE.size * size,
  );

  function of(candidate: Candidate): number {
    const { found } = candidate.best;
    // How far each leg is searched depends on the page. So the ranks of what only a deeper search finds do not count.
    const { keywordRank, vectorRank } = candidate.depth === 0 ? candidate.best : NO_RANKS;
    let evidence =
      RESULT.base +
      RESULT.keywordGap * (explained - share(found.keyword ?? 0) * length) +
      (keywordRank === null ? 0 : RESULT.keywordRank / (RANK_OFFSET + keywordRank)) +
      (candidate.key === lead.key ? RESULT.lead * lead.by : 0);
    if (cosines !== null) {
      const gap = found.vector === null ? UNKNOWN_GAP : cosines.best - calibratedCosine(found.vector, floor);
      evidence +=
        RESULT.vectorGap * Math.max(0, gap) +
        (vectorRank === null ? 0 : RESULT.vectorRank / (RANK_OFFSET + vectorRank));
    }
    return answerable * logistic(evidence);
  }
  return { answerable, of };
}

const fusedScore = ({ score }: ScoredUnit) => score ?? 0;

/** The candidate with the best score, and how far it is ahead of the next. A deeper search does not change it. */
function leadOf(candidates: readonly Candidate[], scoreOf: (unit: ScoredUnit) => number) {
  let [first, second, key] = [0, 0, ''];
  for (const candidate of candidates) {
    if (candidate.depth > 0) continue;
    const score = scoreOf(candidate.best);
    if (score > first) {
      second = first;
      first = score;
      key = candidate.key;
    } else if (score > second) second = score;
  }
  return { key, by: first - second };
}

const NO_RANKS = { keywordRank: null, vectorRank: null };
const RANK_OFFSET = 3;

/** The distance from the best cosine of a unit whose vector is missing. */
const UNKNOWN_GAP = 0.3;

const HYBRID = {
  ANSWERABLE: { base: -2.51, cosine: 11.39, explained: 3.87, length: 0, size: -0.52 },
  RESULT: { base: -2.87, keywordGap: -3.65, keywordRank: 8.06, vectorGap: -5.08, vectorRank: 5.93, lead: 4.44 },
} as const;

const LEXICAL = {
  ANSWERABLE: { base: -1.99, cosine: 0, explained: 8.35, length: 0.63, size: -0.39 },
  RESULT: { base: -3.65, keywordGap: -4.95, keywordRank: 13.3, vectorGap: 0, vectorRank: 0, lead: 12.5 },
} as const;
