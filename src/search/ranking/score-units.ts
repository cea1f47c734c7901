import type { EntityId } from '../../model/entity.ts';
import { isName, maxNameFrequency } from '../identifier/classify-query.ts';
import {
  type FoundUnit,
  isOwnResult,
  type ResultParts,
  type Retrieved,
  type RetrieveQuery,
} from '../retrieval/retrieval.ts';
import { CARD_SHARE, type ResultUnits, type ScoredUnit } from './candidate.ts';

interface RankedResult extends ResultUnits {
  readonly units: MutableUnit[];
  /** The last leg that counted this result in its ranks. */
  rankedBy: Leg | null;
}

type MutableUnit = { -readonly [K in keyof ScoredUnit]: ScoredUnit[K] };
type Leg = 'keyword' | 'vector';
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
  for (const found of reached ?? retrieved.units) {
    const { keyword, vector } = found;
    const unit: MutableUnit = { found, keyword, vector, keywordRank: null, vectorRank: null, score: null };
    const isPart = hasOwnResults && isOwnResult(query, found);
    let result = isPart ? undefined : byGroup[found.group];
    if (result === undefined) {
      // Most results have one unit. An empty array would grow to 17 places with it.
      result = { isPart, units: [unit], rankedBy: null };
      if (!isPart) byGroup[found.group] = result;
      results.push(result);
    } else result.units.push(unit);
    units[found.at] = unit;
    resultAt[found.at] = result;
  }
  const { keyword, vector } = retrieved;
  if (vector !== null) assignRanks(isDeep ? vector.slice(0, depth) : vector, 'vector', units, resultAt);
  assignRanks(isDeep ? keyword.slice(0, depth) : keyword, 'keyword', units, resultAt);
  if (query.cards) for (const result of results) addCardShare(query, result.units);
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
    if (card !== undefined && found.kind !== 'card' && !isOwnResult(query, found)) reached.add(card);
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

/** A card without a keyword score counts 0. A card without a vector is unknown and changes nothing. */
function addCardShare(query: Grouping, units: readonly MutableUnit[]): void {
  if (units.length === 1) return;
  let card: FoundUnit | undefined;
  for (const { found } of units) if (found.kind === 'card') card = found;
  if (card === undefined) return;
  for (const unit of units) {
    if (unit.found === card || isOwnResult(query, unit.found)) continue;
    if (unit.keyword !== null) unit.keyword = withCard(unit.keyword, card.keyword ?? 0);
    if (unit.vector !== null && card.vector !== null) unit.vector = withCard(unit.vector, card.vector);
  }
}

function withCard(own: number, card: number): number {
  return (1 - CARD_SHARE) * own + CARD_SHARE * card;
}
