import { leaf, sum } from '../../../model/answer/explanation.ts';
import { type Candidate, rescored } from '../candidates/candidate.ts';

/** Scores of one depth differ by at most 1. A bit more, so that no two depths have equal scores. */
const DEEPER_DISTANCE = 1.001;

/** Moves the scores of each depth below those of the depths before it. The candidates are ordered by depth. */
export function lowerDeeper(candidates: readonly Candidate[]): readonly Candidate[] {
  if ((candidates.at(-1)?.depth ?? 0) === 0) return candidates;
  const lowered: Candidate[] = [];
  let [depth, change, lowest] = [0, 0, 1];
  for (const candidate of candidates) {
    if (candidate.depth > depth) {
      depth = candidate.depth;
      change = lowest - DEEPER_DISTANCE;
    }
    lowest = candidate.score + change;
    lowered.push(depth === 0 ? candidate : lower(candidate, change));
  }
  return lowered;
}

function lower(candidate: Candidate, change: number): Candidate {
  const { explain, score } = candidate;
  const parts = explain && (() => [explain(), leaf('found after the first candidates', change)]);
  return rescored(candidate, score + change, parts && (() => sum('fusion', parts())));
}
