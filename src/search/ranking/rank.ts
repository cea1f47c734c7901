import { leaf, scaled, sum } from '../../model/answer/explanation.ts';
import type { EntityId } from '../../model/entity.ts';
import type { SearchPlan } from '../plan/plan.ts';
import { MAX_LEXICAL_BOOST, OLDER_LEXICAL_BOOST } from '../plan/presets.ts';
import { orderByReading, type Readings } from './by-reading.ts';
import { confidenceFor, type QueryEvidence } from './calibrate/confidence.ts';
import { roundScore, type Scaling, scalingOf } from './calibrate/normalize-scores.ts';
import { pooledConfidence } from './calibrate/pool-confidence.ts';
import { oppositeOf } from './candidates/actions.ts';
import { bestCandidatesFirst } from './candidates/best-candidates.ts';
import { type Candidate, rescored, type ScoredUnit } from './candidates/candidate.ts';
import type { GraphLinks } from './candidates/graph-links.ts';
import { distribute } from './distribute/distribute.ts';
import { type Fused, fuse, type RankInput } from './fuse.ts';
import { type MatchContext, matchesOf, unitLine } from './matches.ts';
import {
  exactlyNamed,
  identifiedResults,
  multiplyAnchorHolders,
  promoteAnchorHolders,
  promoteNamed,
} from './promote-candidates.ts';
import { belowSuccessors } from './rerank/below-successors.ts';
import { lowerDeeper } from './rerank/lower-deeper.ts';
import { rerankByGraph } from './rerank/rerank-by-graph.ts';
import { rerankLegacy } from './rerank/rerank-legacy.ts';
import { chooseTools } from './tool-choice.ts';

interface RankContext extends RankInput, MatchContext {
  /** The keys of candidates with an address or a package name of the query. */
  readonly identified: ReadonlySet<string>;
}

/** A pure step of the ranking. */
type Stage = (candidates: readonly Candidate[], context: RankContext) => readonly Candidate[];

/**
 * Before names are promoted: what a query names outranks what is used with it. Only the candidates that every search finds
 * raise others and are raised.
 */
const rerank: Stage = (candidates, { plan, links = null }) => {
  if (plan.preset.graph === 'none' || plan.text === '') return candidates;
  const known = links ?? NO_LINKS;
  if (plan.preset.graph === 'legacy') return rerankLegacy(candidates, known);
  const deeper = candidates.findIndex(({ depth }) => depth > 0);
  if (deeper < 0) return rerankByGraph(candidates, known);
  return [...rerankByGraph(candidates.slice(0, deeper), known), ...candidates.slice(deeper)];
};
const NO_LINKS: GraphLinks = { now: 0, around: new Map() };

const promote: Stage = (candidates, { plan, classification, named }) => {
  if (plan.preset.anchors === 'tier')
    return promoteAnchorHolders(promoteNamed(candidates, named, plan.text), plan, classification);
  return plan.preset.anchors === 'factor' ? multiplyAnchorHolders(candidates, plan, classification) : candidates;
};

/** A server that did not respond loses this share of its score, unless the query names it. */
const demoteDead: Stage = (candidates, { plan, dead, named, identified }) => {
  const { deadShare } = plan.preset;
  const isLowered = ({ entity, key }: Candidate) => dead.has(entity) && !named.has(key) && !identified.has(key);
  if (deadShare === 0 || dead.size === 0 || !candidates.some(isLowered)) return candidates;
  const demoted: Candidate[] = [];
  for (const candidate of candidates) {
    const { explain, score } = candidate;
    const loss = -deadShare * score;
    const explainLoss = explain && (() => sum('fusion', [explain(), leaf('did not respond to the last check', loss)]));
    demoted.push(isLowered(candidate) ? rescored(candidate, score + loss, explainLoss) : candidate);
  }
  return bestCandidatesFirst(demoted);
};

/** The stages from the fused candidates to all matches, best first. Pages and counts come from this list. */
const MATCHING: readonly Stage[] = [
  rerank,
  demoteDead,
  promote,
  lowerDeeper,
  (candidates, { successors = NO_SUCCESSORS }) => belowSuccessors(candidates, successors),
];
const NO_SUCCESSORS: ReadonlyMap<EntityId, EntityId> = new Map();

/**
 * Cuts the page. Computes the earlier pages too, so that no result appears on two pages. A preset with a `window` orders the
 * candidates window by window, so that the first results are the same for every page size. No window has candidates of two
 * depths: what a deeper search finds must not change the results before it.
 */
const cutPage: Stage = (candidates, { plan }) => {
  const { offset = 0, max_results } = plan.request;
  const end = offset + max_results;
  const ordered: Candidate[] = [];
  let from = 0;
  for (const until of depthEnds(candidates)) {
    if (ordered.length < end) addPages(ordered, candidates.slice(from, until), plan);
    from = until;
  }
  return ordered.slice(offset, end);
};

/** Where the candidates of each depth end. One that was promoted counts to those that it is among. */
function depthEnds(candidates: readonly Candidate[]): readonly number[] {
  const ends: number[] = [];
  let lowest = Number.POSITIVE_INFINITY;
  for (let at = candidates.length - 1; at >= 0 && lowest > 0; at--) {
    const { depth } = candidates[at]!;
    if (depth < lowest) ends.push(at + 1);
    lowest = Math.min(lowest, depth);
  }
  return ends.reverse();
}

function addPages(ordered: Candidate[], candidates: readonly Candidate[], plan: SearchPlan): void {
  const { offset = 0, max_results } = plan.request;
  const { window } = plan.preset;
  const end = offset + max_results;
  let rest = candidates;
  while (ordered.length < end) {
    const isPage = window === null && ordered.length >= offset;
    const picked = pageOf(
      rest,
      plan,
      window ?? (isPage ? max_results : Math.min(max_results, offset - ordered.length)),
    );
    for (const candidate of picked) ordered.push(candidate);
    if (isPage || picked.length === 0 || ordered.length >= end) break;
    const taken = new Set(picked);
    rest = rest.filter((candidate) => !taken.has(candidate));
  }
}

function pageOf(candidates: readonly Candidate[], { preset }: SearchPlan, size: number): readonly Candidate[] {
  if (preset.perTypeCap !== null) return capPerType(candidates, preset.perTypeCap).slice(0, size);
  // A memory that is superseded must not be picked before its successor in any preset.
  const inOrder = (type: string) => preset.window !== null || type === 'memory';
  const page = distribute(candidates, { maxResults: size, softCap: preset.softCap, inOrder });
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

/**
 * Cuts the page and normalizes its scores: over all candidates if the preset has a `window`, so that a result has the same
 * score on every page, else over the page, as the registry does.
 */
const cutAndNormalize: Stage = (candidates, context) => {
  const { normalize: mode, window } = context.plan.preset;
  const cut = cutPage(candidates, context);
  const scaling = mode === null ? UNCHANGED : scalingOf(scoresOf(window === null ? cut : candidates), mode);
  const page: Candidate[] = [];
  for (const candidate of cut) page.push(normalized(candidate, scaling));
  return page;
};

const applyFloor: Stage = (candidates, { plan }) => {
  const passing: Candidate[] = [];
  for (const candidate of candidates) if (candidate.score >= plan.preset.floor) passing.push(candidate);
  return passing;
};

export interface RankedPage {
  /** The results of the page, best first, with scores from 0 to 1. */
  readonly page: readonly Candidate[];
  /** The estimated probability that a candidate answers the query, see `calibrate/confidence.ts`. */
  readonly confidence: (candidate: Candidate) => number;
  /** Everything that was retrieved, best first. */
  readonly found: readonly Candidate[];
  /** All candidates with enough confidence, best first. */
  readonly matched: readonly Candidate[];
  /** The matches do not fill the page, and a deeper search may find more: ask again for all that a page can show. */
  readonly isCutShort: boolean;
  /** The page with the results whose score is too low. */
  readonly cut: readonly Candidate[];
  /** No candidate has enough confidence. The page is empty, and `nearest` has the best candidates. */
  readonly noMatch: boolean;
  readonly nearest: readonly Candidate[];
  /** The keys of candidates whose name is exactly the query. */
  readonly named: ReadonlySet<string>;
  /** Whether a unit of a candidate would be a match by itself: a tool below this line is not listed. */
  readonly isMatch: (candidate: Candidate, unit: ScoredUnit) => boolean;
}

const MAX_NEAREST = 3;
const NOT_POOLED: ReturnType<typeof pooledConfidence> = new Map();

/**
 * Recommendations choose among the results by the confidence that each has by itself: what hardly matches may come first in a
 * search, but is not recommended.
 */
const hasPooledConfidence = ({ fusion, graph }: SearchPlan['preset']) => fusion === 'blend' && graph === 'none';

/** The confidence of a result whose name is exactly the query, or that has its address or package name. */
const NAMED_CONFIDENCE = 0.95;

const NO_VECTORS: ReadonlyMap<string, Float32Array> = new Map();

/** What was asked of models on the way, because the ranking itself is pure. */
export interface RankModels {
  /** Those of the texts of the choice among tools (`textsOf`). Default: none. */
  readonly vectors?: ReadonlyMap<string, Float32Array> | undefined;
  /** Those of the first tools (`unitsToRead`). Default: none. */
  readonly readings?: Readings | undefined;
}

/** The fused candidates after the choice among the tools of each server. */
export function choose(
  plan: SearchPlan,
  { evidence }: RankInput,
  fused: Fused,
  vectors: RankModels['vectors'] = NO_VECTORS,
): readonly Candidate[] {
  return chooseTools(fused.candidates, { plan, evidence, ...fused, vectors });
}

/** Ranks the retrieved units and returns one page of results. Pure. `fused` is what `fuse` gave for the same input. */
export function rank(
  plan: SearchPlan,
  input: RankInput,
  fused: Fused = fuse(plan, input),
  { vectors, readings }: RankModels = {},
): RankedPage {
  const { retrieved, classification, evidence, dead, links = null, successors, matching } = input;
  const named = exactlyNamed(fused.candidates, plan, oppositeOf(plan.text));
  const identified = identifiedResults(plan, classification);
  const context: RankContext = {
    plan,
    retrieved,
    classification,
    evidence,
    dead,
    links,
    successors,
    named,
    identified,
    matching,
  };
  let found = choose(plan, input, fused, vectors);
  if (readings !== undefined) found = orderByReading(found, readings);
  for (const stage of MATCHING) found = stage(found, context);
  const { answerable, of, unranked } = confidenceFor(evidence, found, keywordShare(plan, evidence));
  const isNamed = ({ key }: Candidate) => named.has(key) || identified.has(key);
  const pooled = hasPooledConfidence(plan.preset) ? pooledConfidence(found, of, isNamed) : NOT_POOLED;
  const confidence = (candidate: Candidate) => {
    if (plan.text === '') return 1;
    const estimate = pooled.get(candidate.result) ?? of(candidate);
    // Rounded here, so that a result passes a minimum equal to its displayed confidence.
    return roundScore(estimate < NAMED_CONFIDENCE && isNamed(candidate) ? NAMED_CONFIDENCE : estimate);
  };
  const { matched, isCutShort } = matchesOf(found, context, { answerable, of, unranked, confidence });
  const noMatch = matched.length === 0 && plan.text !== '';
  const cut = cutAndNormalize(matched, context);
  return {
    page: applyFloor(cut, context),
    confidence,
    found,
    matched,
    isCutShort,
    cut,
    noMatch,
    nearest: noMatch ? nearestOf(found, context) : [],
    named,
    isMatch: unitLine(context, of),
  };
}

/** The keys of everything that a search shows: the results that match, and the tools of theirs that match. */
export function matchingKeys({ matched, isMatch }: Pick<RankedPage, 'matched' | 'isMatch'>): ReadonlySet<string> {
  const keys = new Set<string>();
  for (const candidate of matched) {
    keys.add(candidate.key);
    for (const unit of candidate.units) {
      if (unit.found.kind === 'tool' && isMatch(candidate, unit)) keys.add(unit.found.unit);
    }
  }
  return keys;
}

/** The first candidates, whatever page was asked for. */
function nearestOf(found: readonly Candidate[], context: RankContext): readonly Candidate[] {
  const { plan } = context;
  const first = { ...context, plan: { ...plan, request: { ...plan.request, offset: undefined } } };
  return applyFloor(cutAndNormalize(found, first), first).slice(0, MAX_NEAREST);
}

/** Divides a keyword score by the maximum of its scorer. */
function keywordShare({ preset }: SearchPlan, { ceiling }: QueryEvidence): (score: number) => number {
  const maxScore = {
    bm25f: ceiling,
    boost: MAX_LEXICAL_BOOST,
    'boost-each': OLDER_LEXICAL_BOOST,
    coverage: 1,
    constant: 1,
  }[preset.keyword.scorer];
  return maxScore === 0 ? () => 0 : (score) => Math.min(1, score / maxScore);
}
