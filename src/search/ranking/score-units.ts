import type { EntityId } from '../../model/entity.ts';
import { isName, maxNameFrequency } from '../identifier/classify-query.ts';
import {
  type FoundUnit,
  hasCard,
  isOwnResult,
  type ResultParts,
  type Retrieved,
  type RetrieveQuery,
} from '../retrieval/retrieval.ts';
import { CARD_SHARE, HAS_TOOLS, type ResultUnits, type ScoredUnit } from './candidates/candidate.ts';

interface RankedResult extends ResultUnits {
  readonly units: MutableUnit[];
  /** The last leg that counted this result in its ranks. */
  rankedBy: Leg | null;
}

type MutableUnit = { -readonly [K in keyof ScoredUnit]: ScoredUnit[K] };
type Leg = 'keyword' | 'vector';

/** All results are made here, so that they are objects of one kind. */
export const resultOf = (isPart: boolean, units: MutableUnit[]): RankedResult => ({ isPart, units, rankedBy: null });
type Grouping = ResultParts & Pick<RetrieveQuery, 'cards'>;

/**
 * Groups the retrieved units by result, in the order of retrieval, and sets their ranks. If the preset uses cards, adds the
 * share of the card to the other units of an entity. Leaves out the units that a search to `depth` would not have retrieved.
 */
export function scoreUnits(
  query: Grouping,
  retrieved: Retrieved,
  depth = Number.POSITIVE_INFINITY,
): readonly ResultUnits[] {
  const isDeep = retrieved.keyword.length > depth || (retrieved.vector?.length ?? 0) > depth;
  const reached = isDeep ? unitsTo(depth, query, retrieved) : null;
  const hasOwnResults = query.toolsAsResults || query.chunksAsResults === true;
  const results: RankedResult[] = [];
  const byGroup = new Array<RankedResult | undefined>(retrieved.units.length);
  const units = new Array<MutableUnit>(retrieved.units.length);
  const resultAt = new Array<RankedResult>(retrieved.units.length);
  const cardOf = query.cards && query.toolsAsResults ? new Map<number, FoundUnit>() : null;
  for (const found of reached ?? retrieved.units) {
    const { keyword, vector } = found;
    const unit: MutableUnit = {
      found,
      keyword,
      vector,
      keywordRank: null,
      vectorRank: null,
      score: null,
      place: undefined,
    };
    const isPart = hasOwnResults && isOwnResult(query, found);
    let result = isPart ? undefined : byGroup[found.group];
    if (result === undefined) {
      // Most results have one unit. An empty array would grow to 17 places with it.
      result = resultOf(isPart, [unit]);
      if (!isPart) byGroup[found.group] = result;
      // In a search for tools, the card of a server is no result. Its share counts for the tools.
      if (cardOf !== null && found.kind === 'card' && HAS_TOOLS.has(found.type)) cardOf.set(found.group, found);
      else results.push(result);
    } else result.units.push(unit);
    units[found.at] = unit;
    resultAt[found.at] = result;
  }
  const { keyword, vector } = retrieved;
  if (vector !== null) assignRanks(isDeep ? vector.slice(0, depth) : vector, 'vector', units, resultAt);
  assignRanks(isDeep ? keyword.slice(0, depth) : keyword, 'keyword', units, resultAt);
  if (!query.cards) return results;
  for (const { isPart, units: own } of results) {
    const [first] = own;
    if (!isPart) addCardShare(own);
    else if (first!.found.kind === 'tool') addCard(own, cardOf?.get(first!.found.group));
  }
  return results;
}

/**
 * The units that a search to this depth retrieves, in its order: the starts of the lists, the holders of names, and the cards
 * of parts. The order counts, because sums of scores are rounded.
 */
function unitsTo(
  depth: number,
  query: Grouping,
  { units, keyword, vector, evidence }: Retrieved,
): ReadonlySet<FoundUnit> {
  const reached = new Set([...(vector ?? []).slice(0, depth), ...keyword.slice(0, depth)]);
  const maxFrequency = maxNameFrequency(evidence.units);
  for (const held of evidence.holders) {
    if (isName(held, maxFrequency)) for (const holder of held.units) reached.add(holder);
  }
  if (!query.cards) return reached;
  const cards = new Map<EntityId, FoundUnit>();
  for (const found of units) if (found.kind === 'card') cards.set(found.entity, found);
  for (const found of [...reached]) {
    const card = cards.get(found.entity);
    if (card !== undefined && hasCard(query, found)) reached.add(card);
  }
  return reached;
}

/** Ranks count results, not units, so that many tools of one server do not push other results down. */
function assignRanks(
  list: readonly FoundUnit[],
  leg: Leg,
  units: readonly MutableUnit[],
  resultAt: readonly RankedResult[],
): void {
  let rank = 1;
  for (const { at } of list) {
    const unit = units[at]!;
    const result = resultAt[at]!;
    if (leg === 'vector') unit.vectorRank = rank;
    else unit.keywordRank = rank;
    if (result.rankedBy !== leg) rank += 1;
    result.rankedBy = leg;
  }
}

function addCardShare(units: readonly MutableUnit[]): void {
  if (units.length === 1) return;
  let card: FoundUnit | undefined;
  for (const { found } of units) if (found.kind === 'card') card = found;
  addCard(units, card);
}

/** A card without a keyword score counts 0. A card without a vector is unknown and changes nothing. */
function addCard(units: readonly MutableUnit[], card: FoundUnit | undefined): void {
  if (card === undefined) return;
  for (const unit of units) {
    if (unit.found === card) continue;
    if (unit.keyword !== null) unit.keyword = withCard(unit.keyword, card.keyword ?? 0);
    if (unit.vector !== null && card.vector !== null) unit.vector = withCard(unit.vector, card.vector);
  }
}

/** The unit with the share of this card in its scores. */
export function withCardShare<U extends Pick<ScoredUnit, 'keyword' | 'vector'>>(
  unit: U,
  card: FoundUnit | undefined,
): U {
  if (card === undefined) return unit;
  const keyword = unit.keyword === null ? null : withCard(unit.keyword, card.keyword ?? 0);
  const vector = unit.vector === null || card.vector === null ? unit.vector : withCard(unit.vector, card.vector);
  return { ...unit, keyword, vector };
}

function withCard(own: number, card: number): number {
  return (1 - CARD_SHARE) * own + CARD_SHARE * card;
}
