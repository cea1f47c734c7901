import type { Candidate } from '../candidates/candidate.ts';
import { roundScore } from './normalize-scores.ts';

/** Candidates in a row that share their mean confidence. */
interface Pool {
  total: number;
  count: number;
}

/**
 * Makes order and confidence agree: no candidate is more confident than one before it. The order says that one answers the
 * query better, the estimate says the same of the other, and both know something. So neighbors in the wrong order share their
 * mean (isotonic regression): the expected number of right results stays what the estimates say.
 *
 * Exactly named candidates keep their confidence. The candidates of each depth are pooled on their own, and those that only a
 * deeper search finds are at most as confident as all before them: how deep a search goes must not change its first results.
 */
export function pooledConfidence(
  candidates: readonly Candidate[],
  estimateOf: (candidate: Candidate) => number,
  isNamed: (candidate: Candidate) => boolean,
): ReadonlyMap<Candidate['result'], number> {
  const pooled = new Map<Candidate['result'], number>();
  let most = 1;
  for (let from = 0; from < candidates.length; ) {
    const { depth } = candidates[from]!;
    const together: Candidate[] = [];
    for (; from < candidates.length && candidates[from]!.depth === depth; from++) {
      if (!isNamed(candidates[from]!)) together.push(candidates[from]!);
    }
    let least = most;
    let at = 0;
    for (const { total, count } of poolsOf(together, estimateOf)) {
      least = Math.min(most, roundScore(total / count));
      for (const end = at + count; at < end; at++) pooled.set(together[at]!.result, least);
    }
    most = least;
  }
  return pooled;
}

/** The pools of these candidates, in order. Their means fall. */
function poolsOf(candidates: readonly Candidate[], estimateOf: (candidate: Candidate) => number): readonly Pool[] {
  const pools: Pool[] = [];
  for (const candidate of candidates) {
    const pool: Pool = { total: estimateOf(candidate), count: 1 };
    for (let last = pools.at(-1); last !== undefined; last = pools.at(-1)) {
      if (last.total / last.count >= pool.total / pool.count) break;
      pool.total += last.total;
      pool.count += last.count;
      pools.pop();
    }
    pools.push(pool);
  }
  return pools;
}
