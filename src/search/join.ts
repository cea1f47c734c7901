import type { Explanation } from '../model/explanation.ts';
import { CARD_SHARE, type LegHit, resultKey } from './candidate.ts';
import type { Pair } from './fusion/fusion.ts';
import type { SearchPlan } from './plan.ts';
import type { RankedList, UnitHit } from './ranked-list.ts';

export type Leg = 'keyword' | 'vector';

/** What one leg knows of a result so far. */
export interface Side {
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

/** What one leg is asked, and for each question the side that its answer belongs to. */
export interface Asks {
  readonly asked: readonly Asked[];
  readonly sides: readonly Side[];
}

/** What both legs found, one draft for each result: those of the vector leg first, then the rest, in list order. */
export function joinLegs(
  plan: SearchPlan,
  keyword: RankedList,
  vector: RankedList | null,
  holders: RankedList,
): readonly Draft[] {
  const drafts = new Map<string, Draft>();
  if (vector !== null) addList(plan, drafts, vector, 'vector');
  addList(plan, drafts, keyword, 'keyword');
  for (const hit of holders) draftOf(plan, drafts, hit);
  return [...drafts.values()];
}

function addList(plan: SearchPlan, drafts: Map<string, Draft>, list: RankedList, leg: Leg): void {
  let rank = 0;
  for (const hit of list) {
    const side = draftOf(plan, drafts, hit)[leg];
    if (hit.kind === 'card') side.card = hit.score;
    if (side.hit !== undefined) continue;
    rank += 1;
    side.hit = hit;
    side.rank = rank;
  }
}

function draftOf(plan: SearchPlan, drafts: Map<string, Draft>, hit: UnitHit): Draft {
  const key = resultKey(plan, hit);
  let draft = drafts.get(key);
  if (draft === undefined) {
    draft = { key, known: hit, keyword: unknown(), vector: unknown() };
    drafts.set(key, draft);
  }
  return draft;
}

const unknown = (): Side => ({ hit: undefined, rank: null, card: null });

/**
 * What a leg is asked about drafts it does not know well enough: the unit that another leg found best, and the card of a
 * result that is known by a part of it, where cards count.
 */
export function asksOf(plan: SearchPlan, drafts: readonly Draft[], leg: Leg): Asks {
  const asked: Asked[] = [];
  const sides: Side[] = [];
  const otherLeg = leg === 'keyword' ? 'vector' : 'keyword';
  for (const draft of drafts) {
    const side = draft[leg];
    const hit = side.hit ?? draft[otherLeg].hit ?? draft.known;
    if (side.hit === undefined) {
      asked.push({ hit, card: false });
      sides.push(side);
    }
    if (side.card === null && wantsCard(plan, hit)) {
      asked.push({ hit, card: true });
      sides.push(side);
    }
  }
  return { asked, sides };
}

/** A tool that is a result of its own has no card; neither has a card. */
function wantsCard({ preset, toolsAsResults }: SearchPlan, { kind }: UnitHit): boolean {
  return preset.cardCounts && kind !== 'card' && !(toolsAsResults && kind === 'tool');
}

/** Enters the answers, in the order asked. null: the unit has no score there. By keyword, 0 is no match. */
export function enterScores(
  leg: Leg,
  { asked, sides }: Asks,
  scores: readonly (number | null)[],
  details: ReadonlyMap<string, Explanation>,
): void {
  for (let i = 0; i < asked.length; i++) {
    const { hit, card } = asked[i]!;
    const score = scores[i] ?? null;
    if (card) sides[i]!.card = score;
    else if (score !== null && (leg === 'vector' || score > 0)) {
      sides[i]!.hit = withScore(hit, score, details.size === 0 ? undefined : details.get(hit.unit));
    }
  }
}

function withScore(hit: UnitHit, score: number, detail: Explanation | undefined): UnitHit {
  const { unit, entity, type, kind, title } = hit;
  const found = { unit, entity, type, kind, title, score };
  return detail === undefined ? found : { ...found, detail };
}

/** The drafts with one score for each leg. */
export function toPairs(plan: SearchPlan, drafts: readonly Draft[]): readonly Pair[] {
  const pairs: Pair[] = [];
  for (const draft of drafts) {
    const keyword = legHitOf(plan, draft.keyword, 0);
    const vector = legHitOf(plan, draft.vector, null);
    if (keyword !== undefined || vector !== undefined) pairs.push({ key: draft.key, keyword, vector });
  }
  return pairs;
}

/** `noCard` is what a card without a score counts as: no match by keyword, unknown by vector. */
function legHitOf(plan: SearchPlan, { hit, rank, card }: Side, noCard: 0 | null): LegHit | undefined {
  if (hit === undefined) return undefined;
  const counted = wantsCard(plan, hit) ? (card ?? noCard) : null;
  return { hit, rank, score: counted === null ? hit.score : (1 - CARD_SHARE) * hit.score + CARD_SHARE * counted };
}
