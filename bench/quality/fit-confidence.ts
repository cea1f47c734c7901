import { HYBRID, LEXICAL } from '../../src/search/ranking/calibrate/confidence.ts';
import type { Judged } from './calibration.ts';
import type { AnswerFacts } from './confidence-facts.ts';
import { fitLogistic, type LogisticWeights, logisticEstimate, type Observation } from './logistic-fit.ts';

/** An answer to a query of one set from the catalog of another, or from its own. */
export interface FactsOfPair extends AnswerFacts {
  readonly corpus: string;
  readonly queries: string;
}

/** The estimates of an answer. */
export interface EstimatedPair {
  readonly corpus: string;
  readonly isOwn: boolean;
  /** Whether the catalog answers the query. */
  readonly answerable: number;
  readonly results: readonly Judged[];
}

export type Mode = 'hybrid' | 'keyword';

interface Fitted {
  readonly answerable: LogisticWeights;
  readonly result: LogisticWeights;
}

/** A query that the catalog does not answer counts so often: to be sure of a wrong answer is worse than to doubt a right one. */
const FOREIGN_WEIGHT = 2;

const QUERY_FACTS = { hybrid: ['cosine', 'explained'], keyword: ['explained', 'length', 'adjacent'] } as const;
const RESULT_FACTS = {
  hybrid: ['keywordGap', 'keywordRank', 'vectorGap', 'vectorRank', 'lead'],
  keyword: ['keywordGap', 'keywordRank', 'lead'],
} as const;
/** Not fitted: ten catalogs differ in more than their size, and have hardly a long query. */
const NOT_FITTED = { hybrid: HYBRID.ANSWERABLE, keyword: LEXICAL.ANSWERABLE };

const isOwn = ({ corpus, queries }: FactsOfPair) => corpus === queries;
const queryFacts = ({ query }: FactsOfPair, mode: Mode) => QUERY_FACTS[mode].map((name) => query[name]);
const offsetOf = ({ query }: FactsOfPair, mode: Mode) =>
  NOT_FITTED[mode].size * query.size + NOT_FITTED[mode].long * query.long;
const resultFacts = (facts: AnswerFacts['results'][number]['facts'], mode: Mode) =>
  RESULT_FACTS[mode].map((name) => facts[name]);

/** Fits the first estimate to all pairs, then the second to the results of own queries. */
export function fitConfidence(pairs: readonly FactsOfPair[], mode: Mode): Fitted {
  const answerable = fitLogistic(queryObservations(pairs, mode, 1));
  return { answerable, result: fitResult(pairs.filter(isOwn), mode, (pair) => answerableOf(answerable, pair, mode)) };
}

/** The pairs for a fit of the first estimate. All together count as much as `weight` says, however many there are. */
function queryObservations(pairs: readonly FactsOfPair[], mode: Mode, weight: number): readonly Observation[] {
  const own = pairs.filter(isOwn).length;
  const foreign = pairs.length - own;
  return pairs.map((pair) => ({
    facts: queryFacts(pair, mode),
    isTrue: isOwn(pair),
    weight: weight * (isOwn(pair) ? 1 / own : FOREIGN_WEIGHT / foreign),
    offset: offsetOf(pair, mode),
    factor: 1,
  }));
}

/** Fits the second estimate. `factorOf` is the first. */
function fitResult(own: readonly FactsOfPair[], mode: Mode, factorOf: (pair: FactsOfPair) => number): LogisticWeights {
  return fitLogistic(
    own.flatMap((pair) => {
      const factor = factorOf(pair);
      return pair.results.map(({ facts, isRight }) => {
        return { facts: resultFacts(facts, mode), isTrue: isRight, weight: 1, offset: 0, factor };
      });
    }),
  );
}

function answerableOf(weights: LogisticWeights, pair: FactsOfPair, mode: Mode): number {
  return logisticEstimate(weights, queryFacts(pair, mode), offsetOf(pair, mode));
}

/** The estimates of each catalog by a fit without this catalog and without its queries. */
export function crossFitted(pairs: readonly FactsOfPair[], mode: Mode): readonly EstimatedPair[] {
  return [...new Set(pairs.map(({ corpus }) => corpus))].flatMap((left) => {
    const others = pairs.filter(({ corpus, queries }) => corpus !== left && queries !== left);
    const weights = fitConfidence(others, mode);
    return pairs
      .filter(({ corpus }) => corpus === left)
      .map((pair) => {
        const answerable = answerableOf(weights.answerable, pair, mode);
        const results = pair.results.map(({ facts, isRight }) => {
          return { confidence: answerable * logisticEstimate(weights.result, resultFacts(facts, mode)), isRight };
        });
        return { corpus: left, isOwn: isOwn(pair), answerable, results };
      });
  });
}

/** The weights of `RESULT` in `confidence.ts`, fitted to all pairs with its `ANSWERABLE`. */
export function fittedWeights(pairs: readonly FactsOfPair[], mode: Mode): string {
  const { ANSWERABLE } = mode === 'hybrid' ? HYBRID : LEXICAL;
  const names = QUERY_FACTS[mode];
  const served = [ANSWERABLE.base, ...names.map((name) => ANSWERABLE[name])];
  const fitted = fitResult(pairs.filter(isOwn), mode, (pair) => answerableOf(served, pair, mode));
  return named(['base', ...RESULT_FACTS[mode]], fitted);
}

/**
 * The weights of `ANSWERABLE` in `confidence.ts`, fitted to whole catalogs and to samples of them, a list of pairs for each
 * size of sample. All samples count as much as the whole catalogs.
 */
export function fittedAnswerable(
  whole: readonly FactsOfPair[],
  samples: readonly (readonly FactsOfPair[])[],
  mode: Mode,
): string {
  const observations = samples.flatMap((pairs) => queryObservations(pairs, mode, 1 / samples.length));
  const fitted = fitLogistic([...queryObservations(whole, mode, 1), ...observations]);
  return named(['base', ...QUERY_FACTS[mode]], fitted);
}

const named = (names: readonly string[], weights: LogisticWeights) =>
  names.map((name, i) => `${name} ${weights[i]!.toFixed(2)}`).join(', ');
