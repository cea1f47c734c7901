import { type FoundUnit, isOwnResult, type Retrieved, type RetrieveQuery, resultKey } from '../retrieval/retrieval.ts';
import { CARD_SHARE, type ScoredUnit } from './candidate.ts';

/** A result before it has a score. */
export interface ResultUnits {
  readonly key: string;
  readonly units: readonly ScoredUnit[];
}

interface Grouped extends ResultUnits {
  readonly units: Scored[];
  /** The leg whose list is being ranked has already named it. */
  rankedBy: Leg | null;
}

type Scored = { -readonly [K in keyof ScoredUnit]: ScoredUnit[K] };
type Leg = 'keyword' | 'vector';
type Grouping = Pick<RetrieveQuery, 'toolsAsResults' | 'cards'>;

/**
 * The units of each result, in the order of retrieval: what the vector leg found, what only the keyword leg found, then the
 * rest. Cards count through the parts of their entity where the preset says so.
 */
export function scoreUnits(query: Grouping, retrieved: Retrieved): readonly ResultUnits[] {
  const byKey = new Map<string, Grouped>();
  const results: Grouped[] = [];
  for (const found of retrieved.units) {
    const key = resultKey(query, found);
    let result = byKey.get(key);
    if (result === undefined) {
      result = { key, units: [], rankedBy: null };
      byKey.set(key, result);
      results.push(result);
    }
    const { keyword, vector } = found;
    result.units.push({ found, keyword, vector, keywordRank: null, vectorRank: null, score: null });
  }
  const inResult = (found: FoundUnit) => byKey.get(resultKey(query, found))!;
  if (retrieved.vector !== null) rankList(retrieved.vector, 'vector', inResult);
  rankList(retrieved.keyword, 'keyword', inResult);
  if (query.cards) for (const result of results) countCard(query, result.units);
  return results;
}

/** Ranks count results, so that the many tools of one server do not push others down. */
function rankList(list: readonly FoundUnit[], leg: Leg, inResult: (found: FoundUnit) => Grouped): void {
  let rank = 1;
  for (const found of list) {
    const result = inResult(found);
    for (const unit of result.units) {
      if (unit.found !== found) continue;
      if (leg === 'vector') unit.vectorRank = rank;
      else unit.keywordRank = rank;
      break;
    }
    if (result.rankedBy !== leg) rank += 1;
    result.rankedBy = leg;
  }
}

/** By keyword, a card without a score is no match; by vector it is unknown, and takes nothing away. */
function countCard(query: Grouping, units: readonly Scored[]): void {
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
