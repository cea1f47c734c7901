import type { FoundUnit } from '../../retrieval/retrieval.ts';
import type { Candidate, ResultUnits, ScoredUnit } from '../candidates/candidate.ts';

/**
 * Confidence: the estimated probability that a result answers the query, comparable between queries and catalogs.
 * `relevance_score` is not: the best result of every answer has 1, even of a bad answer.
 *
 * It is the product of two logistic models, fitted to ten public collections of tools, servers and texts:
 * - Does the catalog answer the query at all? From the best cosine, the best keyword score and the size of the catalog: the
 *   more units there are, the more similar is the best one by coincidence. Without cosines, also from the order of words in
 *   the best unit: words that only occur somewhere in it may mean something else. Queries of other collections are the
 *   negative examples and count twice: to be sure of a wrong answer is worse than to doubt a right one. A long text says much
 *   besides what it needs, so less similarity is enough.
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
  /** `adjacentWords` of the best unit of the keyword leg; 0 with a vector leg, whose estimate does not read it. */
  readonly adjacent: number;
  /** The number of units in the catalog. */
  readonly units: number;
  /** null without a vector leg. */
  readonly cosines: CosineEvidence | null;
  /** Whether the query is a long text, see `MAX_WHOLE_CHARS`. Default: false. */
  readonly isLong?: boolean;
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
  /** The same for a unit with these scores that neither leg ranks. */
  readonly unranked: (keyword: number | null, vector: number | null) => number;
}

/** What the first estimate is made from. */
export interface QueryFacts {
  readonly cosine: number;
  readonly explained: number;
  readonly length: number;
  readonly adjacent: number;
  readonly size: number;
  /** 1 for a long text, else 0. */
  readonly long: number;
}

/** What the second estimate is made from. */
export interface ResultFacts {
  readonly keywordGap: number;
  readonly keywordRank: number;
  readonly vectorGap: number;
  readonly vectorRank: number;
  readonly lead: number;
}

export interface ConfidenceFacts {
  readonly query: QueryFacts;
  readonly of: (candidate: Candidate) => ResultFacts;
  /** The facts of a unit with these scores that neither leg ranks. */
  readonly unranked: (keyword: number | null, vector: number | null) => ResultFacts;
}

/** The facts of both estimates. `share` divides a keyword score by the maximum of its scorer. */
export function confidenceFacts(
  { bestKeyword, terms, adjacent, units, cosines, isLong = false }: QueryEvidence,
  candidates: readonly Candidate[],
  share: (keyword: number) => number,
): ConfidenceFacts {
  const length = Math.log(1 + terms);
  // A long query repeats itself less in one unit, so the same share means more.
  const explained = share(bestKeyword) * length;
  const lead = leadOf(candidates, cosines === null ? ({ found }) => share(found.keyword ?? 0) * length : fusedScore);

  function factsOf(
    { keyword, vector }: UnitScores,
    { keywordRank, vectorRank }: UnitRanks,
    leadBy: number,
  ): ResultFacts {
    return {
      keywordGap: explained - share(keyword ?? 0) * length,
      keywordRank: byRank(keywordRank),
      vectorGap: cosines === null ? 0 : gapOf(vector, cosines),
      vectorRank: cosines === null ? 0 : byRank(vectorRank),
      lead: leadBy,
    };
  }
  return {
    query: {
      cosine: cosines?.best ?? 0,
      explained,
      length,
      adjacent,
      size: Math.log(Math.max(1, units)),
      long: isLong ? 1 : 0,
    },
    // How far each leg is searched depends on the page. So the ranks of what only a deeper search finds do not count.
    of: ({ result, depth, best }) =>
      factsOf((best.place ?? best).found, depth === 0 ? best : NO_RANKS, result === lead.result ? lead.by : 0),
    unranked: (keyword, vector) => factsOf({ keyword, vector }, NO_RANKS, 0),
  };
}

type UnitScores = Pick<FoundUnit, 'keyword' | 'vector'>;
type UnitRanks = Pick<ScoredUnit, 'keywordRank' | 'vectorRank'>;

const byRank = (rank: number | null) => (rank === null ? 0 : 1 / (RANK_OFFSET + rank));

function gapOf(cosine: number | null, { best, floor }: CosineEvidence): number {
  return cosine === null ? UNKNOWN_GAP : Math.max(0, best - calibratedCosine(cosine, floor));
}

/** The arguments are those of `confidenceFacts`. */
export function confidenceFor(
  evidence: QueryEvidence,
  candidates: readonly Candidate[],
  share: (keyword: number) => number,
): Confidence {
  const { query, of, unranked } = confidenceFacts(evidence, candidates, share);
  const { ANSWERABLE, RESULT } = evidence.cosines === null ? LEXICAL : HYBRID;
  const answerable = logistic(
    ANSWERABLE.base +
      ANSWERABLE.cosine * query.cosine +
      ANSWERABLE.explained * query.explained +
      ANSWERABLE.length * query.length +
      ANSWERABLE.adjacent * query.adjacent +
      ANSWERABLE.size * query.size +
      ANSWERABLE.long * query.long,
  );

  function estimate(facts: ResultFacts): number {
    return (
      answerable *
      logistic(
        RESULT.base +
          RESULT.keywordGap * facts.keywordGap +
          RESULT.keywordRank * facts.keywordRank +
          RESULT.vectorGap * facts.vectorGap +
          RESULT.vectorRank * facts.vectorRank +
          RESULT.lead * facts.lead,
      )
    );
  }
  return {
    answerable,
    of: (candidate) => estimate(of(candidate)),
    unranked: (keyword, vector) => estimate(unranked(keyword, vector)),
  };
}

const fusedScore = ({ score }: ScoredUnit) => score ?? 0;

/** The candidate with the best score, and how far it is ahead of the next. A deeper search does not change it. */
function leadOf(candidates: readonly Candidate[], scoreOf: (unit: ScoredUnit) => number) {
  let [first, second] = [0, 0];
  let result: ResultUnits | null = null;
  for (const candidate of candidates) {
    if (candidate.depth > 0) continue;
    const score = scoreOf(candidate.best);
    if (score > first) {
      second = first;
      first = score;
      result = candidate.result;
    } else if (score > second) second = score;
  }
  return { result, by: first - second };
}

const NO_RANKS: UnitRanks = { keywordRank: null, vectorRank: null };
const RANK_OFFSET = 3;

/** The distance from the best cosine of a unit whose vector is missing. */
const UNKNOWN_GAP = 0.3;

/**
 * `npm run quality -- DIR --only cross-fit` fits both with the default model, and prints them. `ANSWERABLE` is also
 * fitted to small samples of the collections: a fit to whole collections alone overrates the size, and is wrong for catalogs
 * of ten or 25,000 entities. The size itself is not fitted again, and neither is `long`: it was chosen on long tasks, in their
 * own catalogs and in others.
 */
export const HYBRID = {
  ANSWERABLE: { base: -4.49, cosine: 13.54, explained: 3.92, length: 0, adjacent: 0, size: -0.52, long: 1.5 },
  RESULT: { base: -2.02, keywordGap: -3.63, keywordRank: 6.73, vectorGap: -7.2, vectorRank: 7.25, lead: 6.37 },
} as const;

export const LEXICAL = {
  ANSWERABLE: { base: -1.84, cosine: 0, explained: 7.18, length: 0.24, adjacent: 1.84, size: -0.39, long: 0 },
  RESULT: { base: -2.66, keywordGap: -6.73, keywordRank: 15.55, vectorGap: 0, vectorRank: 0, lead: 3.45 },
} as const;
