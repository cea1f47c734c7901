import { leaf, scaled, sum } from '../../model/explanation.ts';
import { multiplyAnchorHolders, promoteAnchorHolders, promoteExactNames } from '../identifier/promote-candidates.ts';
import type { SearchPlan } from '../plan.ts';
import { bestCandidatesFirst } from './best-candidates.ts';
import { roundScore, type Scaling, scalingOf } from './calibrate/normalize-scores.ts';
import { type Candidate, rescored } from './candidate.ts';
import { distribute } from './distribute/distribute.ts';
import { fuse, type RankInput } from './fuse.ts';

interface RankContext extends RankInput {
  readonly plan: SearchPlan;
}

/** A step from candidates to candidates. Pure. */
export interface Stage {
  readonly name: string;
  run(candidates: readonly Candidate[], context: RankContext): readonly Candidate[];
}

const join: Stage = {
  name: 'fuse',
  run: (_, context) => fuse(context.plan, context),
};

const anchors: Stage = {
  name: 'anchors',
  run(candidates, { plan, classification }) {
    if (plan.preset.anchors === 'tier')
      return promoteAnchorHolders(promoteExactNames(candidates, plan), plan, classification);
    return plan.preset.anchors === 'factor' ? multiplyAnchorHolders(candidates, plan, classification) : candidates;
  },
};

/** What a dead server's score is worth: it is still found by its name, and behind anything alive that is about as good. */
const DEAD_FACTOR = 0.5;

const demote: Stage = {
  name: 'demote the dead',
  run(candidates, { dead }) {
    if (dead.size === 0 || !candidates.some(({ entity }) => dead.has(entity))) return candidates;
    const demoted: Candidate[] = [];
    for (const candidate of candidates) {
      const { explain, score } = candidate;
      const explainHalved = explain && (() => scaled(explain(), DEAD_FACTOR));
      demoted.push(dead.has(candidate.entity) ? rescored(candidate, score * DEAD_FACTOR, explainHalved) : candidate);
    }
    return bestCandidatesFirst(demoted);
  },
};

/** Everything that matched, best first: what pages and counts are taken of. */
const MATCHING: readonly Stage[] = [join, anchors, demote];

const share: Stage = {
  name: 'share',
  run(candidates, { plan }) {
    const { offset, max_results } = plan.request;
    let rest = candidates;
    // Page by page, so that every page is what it would be if the ones before had been asked for.
    for (let passed = 0; passed < (offset ?? 0); passed += max_results) {
      const shown = new Set(pageOf(rest, plan, Math.min(max_results, (offset ?? 0) - passed)));
      rest = rest.filter((candidate) => !shown.has(candidate));
    }
    return pageOf(rest, plan, max_results);
  },
};

function pageOf(candidates: readonly Candidate[], { preset }: SearchPlan, size: number): readonly Candidate[] {
  if (preset.perTypeCap !== null) return capped(candidates, preset.perTypeCap).slice(0, size);
  const page = distribute(candidates, { maxResults: size, softCap: preset.softCap });
  return preset.resort ? bestCandidatesFirst(page) : page;
}

function capped(candidates: readonly Candidate[], cap: number): readonly Candidate[] {
  const taken = new Map<string, number>();
  return candidates.filter(({ type }) => {
    const count = (taken.get(type) ?? 0) + 1;
    taken.set(type, count);
    return count <= cap;
  });
}

/** Brings a score to the scale of the page and accounts for the change in its explanation. */
function normalized(candidate: Candidate, { factor, offset }: Scaling): Candidate {
  const { explain } = candidate;
  const exact = candidate.score * factor + offset;
  const bounded = Math.min(1, Math.max(0, exact));
  const score = roundScore(bounded);
  if (explain === undefined) return rescored(candidate, score, undefined);
  return rescored(candidate, score, () => {
    const parts = [scaled(explain(), factor)];
    if (offset !== 0) parts.push(leaf(factor === 0 ? 'all scores are equal' : 'lowest score of the page', offset));
    if (bounded !== exact) parts.push(leaf(exact > 1 ? 'no more than 1' : 'no less than 0', bounded - exact));
    const rest = score - sum('', parts).value;
    if (rest !== 0) parts.push(leaf('rounding', rest));
    return { label: 'relevance', value: score, parts };
  });
}

function scoresOf(candidates: readonly Candidate[]): readonly number[] {
  const scores: number[] = [];
  for (const { score } of candidates) scores.push(score);
  return scores;
}

const AS_IT_IS: Scaling = { factor: 1, offset: 0 };

const normalize: Stage = {
  name: 'normalize',
  run(candidates, { plan }) {
    const mode = plan.preset.normalize;
    const scaling = mode === null ? AS_IT_IS : scalingOf(scoresOf(candidates), mode);
    const page: Candidate[] = [];
    for (const candidate of candidates) page.push(normalized(candidate, scaling));
    return page;
  },
};

const floor: Stage = {
  name: 'floor',
  run(candidates, { plan }) {
    const passing: Candidate[] = [];
    for (const candidate of candidates) if (candidate.score >= plan.preset.floor) passing.push(candidate);
    return passing;
  },
};

/** From what matched to one page. */
const PAGING: readonly Stage[] = [share, normalize, floor];

export interface RankedPage {
  /** Best first, scores in [0, 1]. */
  readonly page: readonly Candidate[];
  /** Everything that matched and is sure enough, best first. */
  readonly matched: readonly Candidate[];
  /** Nothing is sure enough; then the page is empty and `nearest` has the best of what there is. */
  readonly noMatch: boolean;
  readonly nearest: readonly Candidate[];
}

/** How many results are shown as near where nothing matches. */
const NEAREST = 3;

/** A query without one word that the index knows, or nearly knows, must at least come this near to something. */
const NEAR_COSINE = 0.4;

/** From what retrieval found to the page of results. */
export function rank(plan: SearchPlan, input: RankInput): RankedPage {
  const { retrieved, classification, evidence, dead } = input;
  const context: RankContext = { plan, retrieved, classification, evidence, dead };
  const run = (stages: readonly Stage[], from: readonly Candidate[]) => {
    let candidates = from;
    for (const stage of stages) candidates = stage.run(candidates, context);
    return candidates;
  };
  const found = run(MATCHING, []);
  const matched = sureEnough(found, plan, input);
  const noMatch = matched.length === 0 && plan.text !== '';
  return {
    page: run(PAGING, matched),
    matched,
    noMatch,
    nearest: noMatch ? run(PAGING, found).slice(0, NEAREST) : [],
  };
}

/**
 * A minimum confidence in the request holds for each result. Without one, an answer is empty only when its best result is
 * below the preset's minimum: then the catalog has nothing of the kind. What holds an identifier of the query matches.
 */
function sureEnough(
  found: readonly Candidate[],
  { request, preset }: SearchPlan,
  { classification, retrieved, evidence }: RankInput,
): readonly Candidate[] {
  const minimum = request.min_confidence;
  if (minimum !== undefined) return found.filter(({ confidence }) => confidence >= minimum);
  if (preset.noMatchBelow === 0 || classification.anchors.length > 0) return found;
  const isUnknown = retrieved.keyword.length === 0 && (evidence.cosines?.best ?? 0) < NEAR_COSINE;
  return !isUnknown && found.some(({ confidence }) => confidence >= preset.noMatchBelow) ? found : [];
}
