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

/** A pure step of the ranking. */
type Stage = (candidates: readonly Candidate[], context: RankContext) => readonly Candidate[];

const fuseLegs: Stage = (_, context) => fuse(context.plan, context);

const promote: Stage = (candidates, { plan, classification }) => {
  if (plan.preset.anchors === 'tier')
    return promoteAnchorHolders(promoteExactNames(candidates, plan), plan, classification);
  return plan.preset.anchors === 'factor' ? multiplyAnchorHolders(candidates, plan, classification) : candidates;
};

/** The factor for the score of a dead server. It can still be found by name, but ranks below similar live servers. */
const DEAD_FACTOR = 0.5;

const demoteDead: Stage = (candidates, { dead }) => {
  if (dead.size === 0 || !candidates.some(({ entity }) => dead.has(entity))) return candidates;
  const demoted: Candidate[] = [];
  for (const candidate of candidates) {
    const { explain, score } = candidate;
    const explainHalved = explain && (() => scaled(explain(), DEAD_FACTOR));
    demoted.push(dead.has(candidate.entity) ? rescored(candidate, score * DEAD_FACTOR, explainHalved) : candidate);
  }
  return bestCandidatesFirst(demoted);
};

/** The stages up to the list of all matches, best first. Pages and counts come from this list. */
const MATCHING: readonly Stage[] = [fuseLegs, promote, demoteDead];

const cutPage: Stage = (candidates, { plan }) => {
  const { offset, max_results } = plan.request;
  let rest = candidates;
  // Compute the earlier pages too, so that no result appears on two pages.
  for (let passed = 0; passed < (offset ?? 0); passed += max_results) {
    const shown = new Set(pageOf(rest, plan, Math.min(max_results, (offset ?? 0) - passed)));
    rest = rest.filter((candidate) => !shown.has(candidate));
  }
  return pageOf(rest, plan, max_results);
};

function pageOf(candidates: readonly Candidate[], { preset }: SearchPlan, size: number): readonly Candidate[] {
  if (preset.perTypeCap !== null) return capPerType(candidates, preset.perTypeCap).slice(0, size);
  const page = distribute(candidates, { maxResults: size, softCap: preset.softCap });
  return preset.resort ? bestCandidatesFirst(page) : page;
}

function capPerType(candidates: readonly Candidate[], cap: number): readonly Candidate[] {
  const taken = new Map<string, number>();
  return candidates.filter(({ type }) => {
    const count = (taken.get(type) ?? 0) + 1;
    taken.set(type, count);
    return count <= cap;
  });
}

/** Normalizes a score and adds the change to its explanation. */
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

const UNCHANGED: Scaling = { factor: 1, offset: 0 };

const normalizeScores: Stage = (candidates, { plan }) => {
  const mode = plan.preset.normalize;
  const scaling = mode === null ? UNCHANGED : scalingOf(scoresOf(candidates), mode);
  const page: Candidate[] = [];
  for (const candidate of candidates) page.push(normalized(candidate, scaling));
  return page;
};

const applyFloor: Stage = (candidates, { plan }) => {
  const passing: Candidate[] = [];
  for (const candidate of candidates) if (candidate.score >= plan.preset.floor) passing.push(candidate);
  return passing;
};

/** The stages from all matches to one page. */
const PAGING: readonly Stage[] = [cutPage, normalizeScores, applyFloor];

export interface RankedPage {
  /** The results of the page, best first, with scores from 0 to 1. */
  readonly page: readonly Candidate[];
  /** All candidates with enough confidence, best first. */
  readonly matched: readonly Candidate[];
  /** No candidate has enough confidence. The page is empty, and `nearest` has the best candidates. */
  readonly noMatch: boolean;
  readonly nearest: readonly Candidate[];
}

const MAX_NEAREST = 3;

/** A query without keyword matches needs at least this best cosine. */
const MIN_COSINE = 0.4;

/** Ranks the retrieved units and returns one page of results. Pure. */
export function rank(plan: SearchPlan, input: RankInput): RankedPage {
  const { retrieved, classification, evidence, dead } = input;
  const context: RankContext = { plan, retrieved, classification, evidence, dead };
  const run = (stages: readonly Stage[], from: readonly Candidate[]) => {
    let candidates = from;
    for (const stage of stages) candidates = stage(candidates, context);
    return candidates;
  };
  const found = run(MATCHING, []);
  const matched = filterByConfidence(found, plan, input);
  const noMatch = matched.length === 0 && plan.text !== '';
  return {
    page: run(PAGING, matched),
    matched,
    noMatch,
    nearest: noMatch ? run(PAGING, found).slice(0, MAX_NEAREST) : [],
  };
}

/**
 * The minimum confidence of a request applies to each result. The minimum of a preset applies to the whole answer: nothing
 * matches if no result reaches it. The preset's minimum is ignored if the index has an identifier of the query.
 */
function filterByConfidence(
  found: readonly Candidate[],
  { request, preset }: SearchPlan,
  { classification, retrieved, evidence }: RankInput,
): readonly Candidate[] {
  const minimum = request.min_confidence;
  if (minimum !== undefined) return found.filter(({ confidence }) => confidence >= minimum);
  if (preset.noMatchBelow === 0 || classification.anchors.length > 0) return found;
  const isUnknown = retrieved.keyword.length === 0 && (evidence.cosines?.best ?? 0) < MIN_COSINE;
  return !isUnknown && found.some(({ confidence }) => confidence >= preset.noMatchBelow) ? found : [];
}
