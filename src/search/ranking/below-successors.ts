import { leaf, sum } from '../../model/explanation.ts';
import { bestCandidatesFirst } from './best-candidates.ts';
import { type Candidate, rescored } from './candidate.ts';

/** Enough for the order, too little to see. */
const STEP = 1e-6;

/** Puts a superseded memory below the memory that superseded it, where both were found. */
export function belowSuccessors(candidates: readonly Candidate[]): readonly Candidate[] {
  let isSuperseded = false;
  // The type first: reading the facts of every candidate takes longer than all other checks.
  for (const { type, best } of candidates) {
    if (type === 'memory' && best.found.facts.memory?.successor != null) isSuperseded = true;
  }
  if (!isSuperseded) return candidates;
  const byEntity = new Map<string, Candidate>();
  for (const candidate of candidates) byEntity.set(candidate.entity, candidate);
  const capped = new Map<Candidate, number>();
  const scoreOf = (candidate: Candidate): number => {
    const known = capped.get(candidate);
    if (known !== undefined) return known;
    // Before its successor is looked at, so that a circle ends.
    capped.set(candidate, candidate.score);
    const successor = byEntity.get(candidate.best.found.facts.memory?.successor ?? '');
    const score = successor === undefined ? candidate.score : Math.min(candidate.score, scoreOf(successor) - STEP);
    capped.set(candidate, score);
    return score;
  };
  const ordered: Candidate[] = [];
  for (const candidate of candidates) {
    const score = scoreOf(candidate);
    ordered.push(score === candidate.score ? candidate : lowered(candidate, score));
  }
  return bestCandidatesFirst(ordered);
}

function lowered(candidate: Candidate, score: number): Candidate {
  const { explain } = candidate;
  const lower = leaf('superseded', score - candidate.score);
  return rescored(candidate, score, explain && (() => sum('fusion', [explain(), lower])));
}
