import type { Explanation } from '../../model/explanation.ts';
import type { SearchPlan } from '../plan.ts';
import { CARD_SHARE, isOwnResult, type LegHit, resultKey } from './candidate.ts';
import type { Pair } from './fusion/fusion.ts';
import type { RankedList, UnitHit } from './ranked-list.ts';

export type Leg = 'keyword' | 'vector';

/** What one leg says of a result, as far as it has been asked. */
interface Side extends LegHit {
  unitScore: number;
  detail: Explanation | undefined;
  score: number;
  rank: number | null;
  /** The score of its card: null where it is not known yet, or does not count. */
  card: number | null;
}

/** A result that some leg has named, before every leg has been asked about it. */
export interface Draft extends Pair {
  readonly key: string;
  /** Any unit of it that is known. */
  readonly known: UnitHit;
  keyword: Side | undefined;
  vector: Side | undefined;
}

/** A score that a leg is still asked for: of the unit itself, or of the card of its entity. */
export interface Asked {
  readonly hit: UnitHit;
  readonly card: boolean;
}

/** What one leg is asked, and for each question the result that it is about. */
export interface Asks {
  readonly asked: readonly Asked[];
  readonly about: readonly Draft[];
}

/**
 * What both legs found, one draft for each result: those of the vector leg first, then the rest, in list order. Then what
 * the query names, whether a leg found it or not.
 */
export function joinLegs(
  plan: SearchPlan,
  keyword: RankedList,
  vector: RankedList | null,
  named: readonly { readonly units: RankedList }[],
): readonly Draft[] {
  const drafts = new Map<string, Draft>();
  if (vector !== null) addList(plan, drafts, vector, 'vector');
  addList(plan, drafts, keyword, 'keyword');
  for (const { units } of named) for (const hit of units) draftOf(plan, drafts, hit);
  const joined: Draft[] = [];
  for (const draft of drafts.values()) joined.push(draft);
  return joined;
}

function addList(plan: SearchPlan, drafts: Map<string, Draft>, list: RankedList, leg: Leg): void {
  let rank = 0;
  for (const hit of list) {
    const draft = draftOf(plan, drafts, hit);
    let side = draft[leg];
    if (side === undefined) {
      rank += 1;
      side = sideOf(hit, hit.score, rank, hit.detail);
      draft[leg] = side;
    }
    if (hit.kind === 'card') side.card = hit.score;
  }
}

function draftOf(plan: SearchPlan, drafts: Map<string, Draft>, hit: UnitHit): Draft {
  const key = resultKey(plan, hit);
  let draft = drafts.get(key);
  if (draft === undefined) {
    draft = { key, known: hit, keyword: undefined, vector: undefined };
    drafts.set(key, draft);
  }
  return draft;
}

function sideOf(hit: UnitHit, unitScore: number, rank: number | null, detail: Explanation | undefined): Side {
  return { hit, unitScore, detail, score: unitScore, rank, card: null };
}

/**
 * What a leg is asked about drafts it does not know well enough: the unit that another leg found best, and the card of a
 * result that is known by a part of it, where cards count.
 */
export function asksOf(plan: SearchPlan, drafts: readonly Draft[], leg: Leg): Asks {
  const asked: Asked[] = [];
  const about: Draft[] = [];
  const otherLeg = leg === 'keyword' ? 'vector' : 'keyword';
  for (const draft of drafts) {
    const side = draft[leg];
    const hit = (side ?? draft[otherLeg])?.hit ?? draft.known;
    if (side === undefined) {
      asked.push({ hit, card: false });
      about.push(draft);
    }
    if ((side === undefined || side.card === null) && wantsCard(plan, hit)) {
      asked.push({ hit, card: true });
      about.push(draft);
    }
  }
  return { asked, about };
}

/** A tool that is a result of its own has no card; neither has a card. */
function wantsCard(plan: SearchPlan, hit: UnitHit): boolean {
  return plan.preset.cardCounts && hit.kind !== 'card' && !isOwnResult(plan, hit);
}

/**
 * Enters the answers, in the order asked. null: the unit has no score there; by keyword, 0 is no match. Of a result that a
 * leg says nothing of, the card's score counts for nothing.
 */
export function enterScores(
  leg: Leg,
  { asked, about }: Asks,
  scores: readonly (number | null)[],
  details: ReadonlyMap<string, Explanation>,
): void {
  for (let i = 0; i < asked.length; i++) {
    const { hit, card } = asked[i]!;
    const draft = about[i]!;
    const score = scores[i] ?? null;
    const side = draft[leg];
    if (!card) {
      if (score === null || (leg === 'keyword' && score === 0)) continue;
      // Looking a long name up costs more than all the rest, and mostly there are no details.
      const detail = details.size === 0 ? undefined : details.get(hit.unit);
      draft[leg] = sideOf(hit, score, null, detail);
    } else if (side !== undefined) side.card = score;
  }
}

/** The drafts with one score for each leg, without those that no leg says anything of. */
export function toPairs(plan: SearchPlan, drafts: readonly Draft[]): readonly Pair[] {
  for (const { keyword, vector } of drafts) {
    if (keyword !== undefined) countCard(plan, keyword, 0);
    if (vector !== undefined) countCard(plan, vector, null);
  }
  const pairs: Pair[] = [];
  for (const draft of drafts) if (draft.keyword !== undefined || draft.vector !== undefined) pairs.push(draft);
  return pairs;
}

/** `noCard` is what a card without a score counts as: no match by keyword, unknown by vector. */
function countCard(plan: SearchPlan, side: Side, noCard: 0 | null): void {
  if (!wantsCard(plan, side.hit)) return;
  const card = side.card ?? noCard;
  if (card !== null) side.score = (1 - CARD_SHARE) * side.unitScore + CARD_SHARE * card;
}
