import { leaf, sum } from '../../../model/answer/explanation.ts';
import type { EntityId } from '../../../model/entity.ts';
import { bestCandidatesFirst } from '../candidates/best-candidates.ts';
import { type Candidate, rescored } from '../candidates/candidate.ts';

/** Enough for the order, too little to see. */
const STEP = 1e-6;

/**
 * Puts each superseded memory right below the memory that superseded it. The successor takes the better score of the two: who
 * asks in the words of the old fact finds the new one. `successors` goes on over memories that were not found.
 */
export function belowSuccessors(
  candidates: readonly Candidate[],
  successors: ReadonlyMap<EntityId, EntityId>,
): readonly Candidate[] {
  if (successors.size === 0) return candidates;
  const byEntity = new Map<EntityId, Candidate>();
  for (const candidate of candidates) byEntity.set(candidate.entity, candidate);
  const after = new Map<Candidate, Candidate>();
  for (const candidate of candidates) {
    const successor = foundSuccessor(candidate.entity, successors, byEntity);
    if (successor !== undefined && !isReached(candidate, successor, after)) after.set(candidate, successor);
  }
  if (after.size === 0) return candidates;
  /** By candidate, the memory whose score and depth it takes. */
  const raised = new Map<Candidate, Candidate>();
  const scoreOf = (candidate: Candidate) => (raised.get(candidate) ?? candidate).score;
  for (const candidate of after.keys()) {
    // Ends at a score that is as good: the memory that has it, or gave it, raises the rest of the chain.
    let next = after.get(candidate);
    for (; next !== undefined && scoreOf(next) < candidate.score; next = after.get(next)) {
      raised.set(next, candidate);
    }
  }
  const placed = new Map<Candidate, number>();
  // A loop, not a recursion: a chain may have more versions than the stack has room for.
  const placeOf = (candidate: Candidate): number => {
    const chain: Candidate[] = [];
    let at: Candidate | undefined = candidate;
    for (; at !== undefined && !placed.has(at); at = after.get(at)) chain.push(at);
    for (let one = chain.pop(); one !== undefined; one = chain.pop()) {
      const successor = after.get(one);
      const own = scoreOf(one);
      placed.set(one, successor === undefined ? own : Math.min(own, placed.get(successor)! - STEP));
    }
    return placed.get(candidate)!;
  };
  const ordered: Candidate[] = [];
  for (const candidate of candidates) {
    const score = placeOf(candidate);
    const { depth } = raised.get(candidate) ?? candidate;
    ordered.push(score === candidate.score ? candidate : moved(candidate, score, depth));
  }
  return bestCandidatesFirst(ordered);
}

/** The next memory of its chain that was found. */
function foundSuccessor(
  entity: EntityId,
  successors: ReadonlyMap<EntityId, EntityId>,
  byEntity: ReadonlyMap<EntityId, Candidate>,
): Candidate | undefined {
  const seen = new Set([entity]);
  let next = successors.get(entity);
  while (next !== undefined && !seen.has(next)) {
    const found = byEntity.get(next);
    if (found !== undefined) return found;
    seen.add(next);
    next = successors.get(next);
  }
  return undefined;
}

/** Whether the way from a candidate leads to another. Entities that others have written may supersede each other in a circle. */
function isReached(wanted: Candidate, from: Candidate, after: ReadonlyMap<Candidate, Candidate>): boolean {
  for (let at: Candidate | undefined = from; at !== undefined; at = after.get(at)) if (at === wanted) return true;
  return false;
}

function moved(candidate: Candidate, score: number, depth: number): Candidate {
  const { explain } = candidate;
  const change = leaf(score < candidate.score ? 'superseded' : 'supersedes a better match', score - candidate.score);
  return rescored(candidate, score, explain && (() => sum('fusion', [explain(), change])), depth);
}
