import { leaf, scaled } from '../../model/explanation.ts';
import { bestCandidatesFirst } from '../ranking/best-candidates.ts';
import { type Candidate, rescored } from '../ranking/candidate.ts';
import { isOwnResult, resultKey } from '../retrieval/retrieval.ts';
import { ANCHOR_FACTOR } from './adr-003.ts';
import { nameMatcher } from './named.ts';
import type { QueryReading } from './read-query.ts';

/** An exact identifier is never buried: its holder is among the first so many. */
const FIRST = 3;

/** Enough to come before equal scores, too little to be seen. */
const A_LITTLE = 1e-9;

/** How many of the query's anchors each result holds. */
function heldBy(plan: { readonly toolsAsResults: boolean }, reading: QueryReading): ReadonlyMap<string, number> {
  const held = new Map<string, number>();
  for (const { units } of reading.anchors) {
    for (const key of new Set(units.map((hit) => resultKey(plan, hit)))) held.set(key, (held.get(key) ?? 0) + 1);
  }
  return held;
}

/** So many of the best are looked at for the query's words as their name, and only if keywords found them nearly best. */
const MAX_NAMES = 30;
const NEARLY_BEST = 0.6;

/** The best that keywords give any unit of it. */
function keywordOf({ units }: Candidate): number {
  let best = 0;
  for (const { keyword } of units) if (keyword !== null && keyword > best) best = keyword;
  return best;
}

/** What is called just what the query says comes first: nothing else can be more meant. */
export function promoteExactNames(
  candidates: readonly Candidate[],
  plan: { readonly text: string; readonly toolsAsResults: boolean },
): readonly Candidate[] {
  const { text: query } = plan;
  const isNamed = nameMatcher(query);
  if (isNamed === null) return candidates;
  const looked = Math.min(MAX_NAMES, candidates.length);
  let best = 0;
  for (let at = 0; at < looked; at++) best = Math.max(best, keywordOf(candidates[at]!));
  const named = new Set<Candidate>();
  for (let at = 0; at < looked; at++) {
    const candidate = candidates[at]!;
    if (keywordOf(candidate) < NEARLY_BEST * best) continue;
    for (const { found } of candidate.units) {
      if (found.keyword === null || (found.kind !== 'card' && !isOwnResult(plan, found))) continue;
      if (isNamed(found.title)) named.add(candidate);
    }
  }
  if (named.size === 0) return candidates;
  const lifted: Candidate[] = [];
  for (const candidate of candidates)
    lifted.push(lift(candidate, named.has(candidate) ? 1 : 0, 1, `the name ${query}`));
  return bestCandidatesFirst(lifted);
}

/**
 * Orders candidates by what they hold of the query's identifiers. A query that is nothing but identifiers gets their
 * holders first. In one that says more, the best holder comes third if it was not among the first three: the rest of the
 * query may well be what was meant.
 */
export function tiered(
  candidates: readonly Candidate[],
  plan: { readonly toolsAsResults: boolean },
  reading: QueryReading,
): readonly Candidate[] {
  if (reading.anchors.length === 0 || candidates.length === 0) return candidates;
  const held = heldBy(plan, reading);
  const count = ({ key }: Candidate) => held.get(key) ?? 0;
  let most = 0;
  for (const candidate of candidates) most = Math.max(most, count(candidate));
  if (most === 0) return candidates;
  const names = reading.anchors.map(({ anchor }) => anchor.text).join(', ');
  if (reading.class === 'identifier') {
    const lifted: Candidate[] = [];
    for (const candidate of candidates) lifted.push(lift(candidate, count(candidate), most, names));
    return bestCandidatesFirst(lifted);
  }
  const at = candidates.findIndex((candidate) => count(candidate) === most);
  if (at < FIRST) return candidates;
  const { place, score } = placeAmongFirst(candidates);
  const reordered: Candidate[] = [];
  for (let i = 0; i < candidates.length; i++) {
    if (i === place) reordered.push(moved(candidates[at]!, score, names));
    if (i !== at) reordered.push(candidates[i]!);
  }
  return reordered;
}

/** The last of the first places that has a score of its own: among equals the ids decide, and would bury it again. */
function placeAmongFirst(candidates: readonly Candidate[]): { readonly place: number; readonly score: number } {
  for (let place = FIRST - 1; place > 0; place--) {
    const own = candidates[place]!.score;
    const score = (candidates[place - 1]!.score + own) / 2;
    if (score > own) return { place, score };
  }
  return { place: 0, score: candidates[0]!.score + A_LITTLE };
}

/** Whoever holds more comes before whoever holds less, however far behind it was; scores stay within 0 and 1. */
function lift(candidate: Candidate, held: number, most: number, names: string): Candidate {
  const { explain } = candidate;
  const own = held === 0 ? 0 : held / (most + 1) + A_LITTLE;
  const score = own + candidate.score / (most + 1);
  if (explain === undefined) return rescored(candidate, score, undefined);
  const parts = () => [leaf(`holds ${names}`, own), scaled(explain(), 1 / (most + 1))];
  return rescored(candidate, score, () => ({ label: 'identifier', value: score, parts: parts() }));
}

function moved(candidate: Candidate, score: number, names: string): Candidate {
  const { explain } = candidate;
  if (explain === undefined) return rescored(candidate, score, undefined);
  return rescored(candidate, score, () => {
    const before = explain();
    return { label: 'identifier', value: score, parts: [before, leaf(`holds ${names}`, score - before.value)] };
  });
}

/** ADR-003, option C: times 1.5 for each anchor that a result holds, whatever the anchor's rarity. */
export function multiplied(
  candidates: readonly Candidate[],
  plan: { readonly toolsAsResults: boolean },
  reading: QueryReading,
): readonly Candidate[] {
  const held = heldBy(plan, reading);
  const raised = candidates.map((candidate): Candidate => {
    const factor = ANCHOR_FACTOR ** (held.get(candidate.key) ?? 0);
    const { explain } = candidate;
    const score = candidate.score * factor;
    return rescored(candidate, score, explain && factor !== 1 ? () => scaled(explain(), factor) : explain);
  });
  return bestCandidatesFirst(raised);
}
