import { compareIds } from '../../retrieval/compare-ids.ts';
import type { Candidate } from './candidate.ts';

/** Longer lists are sorted by `Array.sort`, because insertion sort takes quadratic time. */
const MAX_INSERTION_SORT = 250;

/**
 * Sorts in place, by depth, then best first, and equal scores by key. `ties: 'order'` keeps the order of equal scores. Uses
 * an insertion sort, which is fast because the results of two legs are mostly sorted.
 */
export function bestCandidatesFirst(candidates: Candidate[], ties: 'id' | 'order' = 'id'): Candidate[] {
  const byKey = ties === 'id';
  if (candidates.length > MAX_INSERTION_SORT) {
    return candidates.sort((a, b) => a.depth - b.depth || b.score - a.score || (byKey ? compareIds(a.key, b.key) : 0));
  }
  for (let i = 1; i < candidates.length; i++) {
    const moving = candidates[i]!;
    const { depth, score } = moving;
    let at = i;
    for (; at > 0; at--) {
      const other = candidates[at - 1]!;
      if (other.depth < depth || (other.depth === depth && other.score > score)) break;
      if (other.depth === depth && other.score === score && (!byKey || compareIds(other.key, moving.key) <= 0)) break;
      candidates[at] = other;
    }
    candidates[at] = moving;
  }
  return candidates;
}
