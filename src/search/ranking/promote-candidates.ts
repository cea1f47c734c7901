import { leaf, scaled } from '../../model/answer/explanation.ts';
import { ANCHOR_FACTOR } from '../identifier/adr-003.ts';
import type { QueryClassification } from '../identifier/classify-query.ts';
import { nameMatcher } from '../identifier/name-matcher.ts';
import { type Holders, isOwnResult, type ResultParts, resultKey } from '../retrieval/retrieval.ts';
import type { Actions } from '../text/action-words.ts';
import { bestCandidatesFirst } from './candidates/best-candidates.ts';
import { type Candidate, rescored } from './candidates/candidate.ts';

/** If a query names an identifier exactly, a holder of it is among this many first results. */
const TOP_PLACES = 3;

/** Added to a score to rank above equal scores. Too small to show in the answer. */
const TIE_BREAK = 1e-9;

const NOT_HELD: ReadonlyMap<string, number> = new Map();

/** The number of anchors that each result holds, by result key. */
export function heldAnchors(plan: ResultParts, anchors: readonly Holders[]): ReadonlyMap<string, number> {
  if (anchors.length === 0) return NOT_HELD;
  const held = new Map<string, number>();
  for (const { units } of anchors) {
    for (const key of new Set(units.map((hit) => resultKey(plan, hit)))) held.set(key, (held.get(key) ?? 0) + 1);
  }
  return held;
}

/** Only this many of the best candidates are checked for an exact name, and none that only a deeper search finds. */
const MAX_NAME_CHECKS = 30;
/** A candidate needs at least this share of the best keyword score to be checked. */
const MIN_NAME_SHARE = 0.6;

/** The best keyword score of the candidate's units. */
function keywordScore({ units }: Candidate): number {
  let best = 0;
  for (const { keyword } of units) if (keyword !== null && keyword > best) best = keyword;
  return best;
}

const NONE: ReadonlySet<string> = new Set();

/** The keys of the candidates whose name is exactly the query. The name of a tool does not name its server. */
export function exactlyNamed(
  candidates: readonly Candidate[],
  plan: ResultParts & { readonly text: string },
  isOpposite: ((does: Actions) => boolean) | null = null,
): ReadonlySet<string> {
  const isNamed = nameMatcher(plan.text);
  if (isNamed === null) return NONE;
  let checked = 0;
  while (checked < MAX_NAME_CHECKS && candidates[checked]?.depth === 0) checked++;
  let best = 0;
  for (let at = 0; at < checked; at++) best = Math.max(best, keywordScore(candidates[at]!));
  const named = new Set<string>();
  for (let at = 0; at < checked; at++) {
    const candidate = candidates[at]!;
    if (keywordScore(candidate) < MIN_NAME_SHARE * best) continue;
    for (const { found } of candidate.units) {
      if (found.keyword === null || (found.kind !== 'card' && !isOwnResult(plan, found))) continue;
      if (isNamed(found.title) && isOpposite?.(found.actions) !== true) named.add(candidate.key);
    }
  }
  return named;
}

/** Puts the named candidates first. */
export function promoteNamed(
  candidates: readonly Candidate[],
  named: ReadonlySet<string>,
  query: string,
): readonly Candidate[] {
  if (named.size === 0) return candidates;
  const lifted: Candidate[] = [];
  for (const candidate of candidates)
    lifted.push(lift(candidate, named.has(candidate.key) ? 1 : 0, 1, `the name ${query}`));
  return bestCandidatesFirst(lifted);
}

/** The keys of the results that have an address or a package name of the query. */
export function identifiedResults(plan: ResultParts, { anchors }: QueryClassification): ReadonlySet<string> {
  const identified = anchors.filter(({ byIdentifier }) => byIdentifier);
  return identified.length === 0 ? NONE : new Set(heldAnchors(plan, identified).keys());
}

/**
 * Promotes candidates that hold identifiers of the query. If the query has only identifiers, their holders come first, and so
 * does the holder of an address or a package name. If the query has other words too, the best holder of another identifier
 * moves up to place 3, because the other words may matter more.
 */
export function promoteAnchorHolders(
  candidates: readonly Candidate[],
  plan: ResultParts,
  classification: QueryClassification,
): readonly Candidate[] {
  if (classification.anchors.length === 0 || candidates.length === 0) return candidates;
  const identified = classification.anchors.filter(({ byIdentifier }) => byIdentifier);
  const comeFirst = classification.class === 'identifier' || identified.length > 0;
  const anchors = classification.class === 'identifier' || !comeFirst ? classification.anchors : identified;
  const held = heldAnchors(plan, anchors);
  const count = ({ key }: Candidate) => held.get(key) ?? 0;
  let maxHeld = 0;
  for (const candidate of candidates) maxHeld = Math.max(maxHeld, count(candidate));
  if (maxHeld === 0) return candidates;
  const anchorTexts = anchors.map(({ anchor }) => anchor.text).join(', ');
  if (comeFirst) {
    const lifted: Candidate[] = [];
    for (const candidate of candidates) lifted.push(lift(candidate, count(candidate), maxHeld, anchorTexts));
    return bestCandidatesFirst(lifted);
  }
  const at = candidates.findIndex((candidate) => count(candidate) === maxHeld);
  if (at < TOP_PLACES) return candidates;
  const { place, score } = placeAtTop(candidates);
  const reordered: Candidate[] = [];
  for (let i = 0; i < candidates.length; i++) {
    if (i === place) reordered.push(moveTo(candidates[at]!, score, anchorTexts));
    if (i !== at) reordered.push(candidates[i]!);
  }
  return reordered;
}

/** The last top place with a higher score above it. Among equal scores the id decides, so the holder could fall back. */
function placeAtTop(candidates: readonly Candidate[]): { readonly place: number; readonly score: number } {
  for (let place = TOP_PLACES - 1; place > 0; place--) {
    const current = candidates[place]!.score;
    const score = (candidates[place - 1]!.score + current) / 2;
    if (score > current) return { place, score };
  }
  return { place: 0, score: candidates[0]!.score + TIE_BREAK };
}

/** Ranks candidates that hold more anchors above those that hold fewer. Scores stay between 0 and 1. */
function lift(candidate: Candidate, held: number, maxHeld: number, heldText: string): Candidate {
  const { explain } = candidate;
  const bonus = held === 0 ? 0 : held / (maxHeld + 1) + TIE_BREAK;
  const score = bonus + candidate.score / (maxHeld + 1);
  if (explain === undefined) return rescored(candidate, score, undefined);
  const parts = () => [leaf(`holds ${heldText}`, bonus), scaled(explain(), 1 / (maxHeld + 1))];
  return rescored(candidate, score, () => ({ label: 'identifier', value: score, parts: parts() }));
}

function moveTo(candidate: Candidate, score: number, heldText: string): Candidate {
  const { explain } = candidate;
  if (explain === undefined) return rescored(candidate, score, undefined);
  return rescored(candidate, score, () => {
    const before = explain();
    return { label: 'identifier', value: score, parts: [before, leaf(`holds ${heldText}`, score - before.value)] };
  });
}

/** ADR-003, option C: multiplies a score by 1.5 for each anchor that the result holds, rare or not. */
export function multiplyAnchorHolders(
  candidates: readonly Candidate[],
  plan: ResultParts,
  classification: QueryClassification,
): readonly Candidate[] {
  const held = heldAnchors(plan, classification.anchors);
  const multiplied = candidates.map((candidate): Candidate => {
    const factor = ANCHOR_FACTOR ** (held.get(candidate.key) ?? 0);
    const { explain } = candidate;
    const score = candidate.score * factor;
    return rescored(candidate, score, explain && factor !== 1 ? () => scaled(explain(), factor) : explain);
  });
  return bestCandidatesFirst(multiplied);
}
