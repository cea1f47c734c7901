import type { Explanation } from '../model/explanation.ts';
import { CARD_SHARE, type LegHit, resultKey } from './candidate.ts';
import type { Pair } from './fusion/fusion.ts';
import type { SearchPlan } from './plan.ts';
import type { RankedList, UnitHit } from './ranked-list.ts';

/** What one leg knows of a result so far. */
interface Side {
  hit: UnitHit | undefined;
  rank: number | null;
  /** The score of its card: null where it is not known yet, or does not count. */
  card: number | null;
}

/** A result that some leg has named, before every leg has been asked about it. */
export interface Draft {
  readonly key: string;
  /** Any unit of it that is known. */
  readonly known: UnitHit;
  readonly keyword: Side;
  readonly vector: Side;
}

/** A score that a leg is still asked for: of the unit itself, or of the card of its entity. */
export interface Asked {
  readonly hit: UnitHit;
  readonly card: boolean;
}

/** What both legs found, one draft for each result: those of the vector leg first, then the rest, in list order. */
export function joinLegs(
  plan: SearchPlan,
  keyword: RankedList,
  vector: RankedList | null,
  holders: RankedList,
): readonly Draft[] {
  const drafts = new Map<string, Draft>();
  const draftOf = (hit: UnitHit): Draft => {
    const key = resultKey(plan, hit);
    let draft = drafts.get(key);
    if (draft === undefined) {
      const unknown = { hit: undefined, rank: null, card: null };
      draft = { key, known: hit, keyword: unknown, vector: { ...unknown } };
      drafts.set(key, draft);
    }
    return draft;
  };
  addList(vector ?? [], draftOf, (draft) => draft.vector);
  addList(keyword, draftOf, (draft) => draft.keyword);
  for (const hit of holders) draftOf(hit);
  return [...drafts.values()];
}

function addList(list: RankedList, draftOf: (hit: UnitHit) => Draft, sideOf: (draft: Draft) => Side): void {
  let rank = 0;
  for (const hit of list) {
    const side = sideOf(draftOf(hit));
    if (hit.kind === 'card') side.card = hit.score;
    if (side.hit !== undefined) continue;
    rank += 1;
    side.hit = hit;
    side.rank = rank;
  }
}

/**
 * What a leg is asked about drafts it does not know well enough: the unit that another leg found best, and the card of a
 * result that is known by a part of it, where cards count.
 */
export function asksOf(plan: SearchPlan, drafts: readonly Draft[], leg: 'keyword' | 'vector'): readonly Asked[] {
  const asked: Asked[] = [];
  for (const draft of drafts) {
    const side = draft[leg];
    const hit = side.hit ?? draft[leg === 'keyword' ? 'vector' : 'keyword'].hit ?? draft.known;
    if (side.hit === undefined) asked.push({ hit, card: false });
    if (wantsCard(plan, draft, hit) && side.card === null) asked.push({ hit, card: true });
  }
  return asked;
}

function wantsCard(plan: SearchPlan, { key }: Draft, hit: UnitHit): boolean {
  return plan.preset.cardCounts && hit.kind !== 'card' && key !== hit.unit;
}

/** Enters the answers, in the order asked. null: the unit has no score there. By keyword, 0 is no match. */
export function enterScores(
  drafts: readonly Draft[],
  leg: 'keyword' | 'vector',
  asked: readonly Asked[],
  scores: readonly (number | null)[],
  details: ReadonlyMap<string, Explanation>,
): void {
  let at = 0;
  for (const draft of drafts) {
    const side = draft[leg];
    for (; at < asked.length && isAbout(draft, asked[at]!); at++) {
      const { hit, card } = asked[at]!;
      const score = scores[at] ?? null;
      if (card) side.card = score;
      else if (score !== null && (leg === 'vector' || score > 0))
        side.hit = withScore(hit, score, details.get(hit.unit));
    }
  }
}

const isAbout = ({ key, known }: Draft, { hit }: Asked) =>
  key === hit.unit || (known.entity === hit.entity && key === hit.entity);

function withScore(hit: UnitHit, score: number, detail: Explanation | undefined): UnitHit {
  const { unit, entity, type, kind, title } = hit;
  const found = { unit, entity, type, kind, title, score };
  return detail === undefined ? found : { ...found, detail };
}

/** The drafts with one score for each leg. */
export function toPairs(plan: SearchPlan, drafts: readonly Draft[]): readonly Pair[] {
  const pairs: Pair[] = [];
  for (const draft of drafts) {
    const keyword = legHitOf(plan, draft, draft.keyword, 0);
    const vector = legHitOf(plan, draft, draft.vector, null);
    if (keyword !== undefined || vector !== undefined) pairs.push({ key: draft.key, keyword, vector });
  }
  return pairs;
}

/** `noCard` is what a card without a score counts as: no match by keyword, unknown by vector. */
function legHitOf(plan: SearchPlan, draft: Draft, side: Side, noCard: 0 | null): LegHit | undefined {
  const { hit, rank } = side;
  if (hit === undefined) return undefined;
  const card = wantsCard(plan, draft, hit) ? (side.card ?? noCard) : null;
  return { hit, rank, score: card === null ? hit.score : (1 - CARD_SHARE) * hit.score + CARD_SHARE * card };
}
