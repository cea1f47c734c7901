import { leaf, scaled } from '../model/explanation.ts';
import { roundScore, scalingOf } from './calibrate/normalize-scores.ts';
import type { Candidate } from './candidate.ts';
import { distribute } from './distribute/distribute.ts';
import { fuse, type Retrieved } from './fuse.ts';
import type { SearchPlan } from './plan.ts';
import { compareIds } from './ranked-list.ts';

interface RankContext extends Retrieved {
  readonly plan: SearchPlan;
}

/** A step from candidates to candidates. Pure. */
export interface Stage {
  readonly name: string;
  run(candidates: readonly Candidate[], context: RankContext): readonly Candidate[];
}

const join: Stage = {
  name: 'fuse',
  run: (_, { plan, ...retrieved }) => fuse(plan, retrieved),
};

const share: Stage = {
  name: 'share',
  run(candidates, { plan }) {
    const { softCap, resort } = plan.preset;
    const page = distribute(candidates, { maxResults: plan.request.max_results, softCap });
    return resort ? [...page].sort((a, b) => b.score - a.score || compareIds(a.key, b.key)) : page;
  },
};

/** Rewrites a score and accounts for the change in its explanation. */
function rescored(candidate: Candidate, score: number, factor: number, label: string, offset: number): Candidate {
  const { explain } = candidate;
  if (explain === undefined) return { ...candidate, score };
  return {
    ...candidate,
    score,
    explain() {
      const parts = [scaled(explain(), factor)];
      if (offset !== 0) parts.push(leaf(label, offset));
      const rest = score - parts[0]!.value - offset;
      if (rest !== 0) parts.push(leaf('rounding', rest));
      return { label: 'relevance', value: score, parts };
    },
  };
}

const normalize: Stage = {
  name: 'normalize',
  run(candidates, { plan }) {
    const mode = plan.preset.normalize;
    const { factor, offset } =
      mode === null
        ? { factor: 1, offset: 0 }
        : scalingOf(
            candidates.map((candidate) => candidate.score),
            mode,
          );
    const label = factor === 0 ? 'all scores are equal' : 'lowest score of the page';
    return candidates.map((candidate) => {
      const score = Math.min(1, Math.max(0, roundScore(candidate.score * factor + offset)));
      return rescored(candidate, score, factor, label, offset);
    });
  },
};

const floor: Stage = {
  name: 'floor',
  run: (candidates, { plan }) => candidates.filter((candidate) => candidate.score >= plan.preset.floor),
};

export const STAGES: readonly Stage[] = [join, share, normalize, floor];

/** From what the legs found to the page of results, best first, with scores in [0, 1]. */
export function rank(plan: SearchPlan, retrieved: Retrieved): readonly Candidate[] {
  const context: RankContext = { plan, ...retrieved };
  let candidates: readonly Candidate[] = [];
  for (const stage of STAGES) candidates = stage.run(candidates, context);
  return candidates;
}
