import type { Candidate, ScoredUnit } from '../../src/search/ranking/candidate.ts';
import type { FoundUnit } from '../../src/search/retrieval/retrieval.ts';

/** The unit with its own scores, as no leg's list has it. */
export function scoredUnit(found: FoundUnit, more: Partial<ScoredUnit> = {}): ScoredUnit {
  const { keyword, vector } = found;
  return { found, keyword, vector, keywordRank: null, vectorRank: null, score: null, ...more };
}

/** A result of these units, the best first. */
export function candidateOf(units: readonly [ScoredUnit, ...ScoredUnit[]], more: Partial<Candidate> = {}): Candidate {
  const [best] = units;
  const { entity, type } = best.found;
  return { key: entity, entity, type, best, units, score: 1, depth: 0, explain: undefined, ...more };
}
