import { Candidate, type ResultUnits, type ScoredUnit } from '../../src/search/ranking/candidates/candidate.ts';
import type { FoundUnit } from '../../src/search/retrieval/retrieval.ts';

/** The unit with its own scores, as no leg's list has it. */
export function scoredUnit(found: FoundUnit, more: Partial<ScoredUnit> = {}): ScoredUnit {
  const { keyword, vector } = found;
  return { found, keyword, vector, keywordRank: null, vectorRank: null, score: null, ...more };
}

type CandidateParts = Partial<Pick<Candidate, 'score' | 'depth' | 'explain'> & Pick<ResultUnits, 'isPart'>>;

/** A result of these units, the best first. */
export function candidateOf(
  units: readonly [ScoredUnit, ...ScoredUnit[]],
  { score = 1, depth = 0, isPart = false, explain }: CandidateParts = {},
): Candidate {
  return new Candidate({ units, isPart }, units[0], score, depth, explain);
}
