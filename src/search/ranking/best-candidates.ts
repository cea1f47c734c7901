import { compareIds } from '../retrieval/compare-ids.ts';
import type { Candidate } from './candidate.ts';

/** Longer lists are sorted by the runtime: moving takes a time that grows with the square. */
const SHORT = 250;

/**
 * Sorts in place, best first; equal scores by key, or as they stand where `ties` is 'order'. By insertion: what two legs
 * bring is in order for long stretches, and calling a function to compare two takes longer than to move ten.
 */
export function bestCandidatesFirst(candidates: Candidate[], ties: 'id' | 'order' = 'id'): Candidate[] {
  const byKey = ties === 'id';
  if (candidates.length > SHORT) {
    return candidates.sort((a, b) => b.score - a.score || (byKey ? compareIds(a.key, b.key) : 0));
  }
  for (let i = 1; i < candidates.length; i++) {
    const moving = candidates[i]!;
    const { score } = moving;
    let at = i;
    for (; at > 0; at--) {
      const other = candidates[at - 1]!;
      if (other.score > score) break;
      if (other.score === score && (!byKey || compareIds(other.key, moving.key) <= 0)) break;
      candidates[at] = other;
    }
    candidates[at] = moving;
  }
  return candidates;
}
