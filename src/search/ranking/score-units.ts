import { type FoundUnit, isOwnResult, type Retrieved, type RetrieveQuery, resultKey } from '../retrieval/retrieval.ts';
import { CARD_SHARE, type ScoredUnit } from './candidate.ts';

/** A result before it has a score. */
export interface ResultUnits {
  readonly key: string;
  readonly units: ScoredUnit[];
}

type Grouping = Pick<RetrieveQuery, 'toolsAsResults' | 'cards'>;

/**
 * The units of each result, in the order of retrieval: what the vector leg found, what only the keyword leg found, then the
 * rest. Cards count through the parts of their entity where the preset says so.
 */
export function scoreUnits(query: Grouping, retrieved: Retrieved): readonly ResultUnits[] {
  const keywordRanks = ranksIn(query, retrieved.keyword);
  const vectorRanks = retrieved.vector === null ? NO_RANKS : ranksIn(query, retrieved.vector);
  const cards = query.cards ? cardsOf(retrieved.units) : NO_CARDS;
  const results = new Map<string, ResultUnits>();
  for (const found of retrieved.units) {
    const card = found.kind === 'card' || isOwnResult(query, found) ? undefined : cards.get(found.entity);
    const key = resultKey(query, found);
    let result = results.get(key);
    if (result === undefined) {
      result = { key, units: [] };
      results.set(key, result);
    }
    result.units.push({
      found,
      keyword:
        card === undefined || found.keyword === null ? found.keyword : withCard(found.keyword, card.keyword ?? 0),
      vector: card === undefined || found.vector === null ? found.vector : withCard(found.vector, card.vector),
      keywordRank: keywordRanks.get(found) ?? null,
      vectorRank: vectorRanks.get(found) ?? null,
      score: null,
    });
  }
  const list: ResultUnits[] = [];
  for (const result of results.values()) list.push(result);
  return list;
}

const NO_RANKS: ReadonlyMap<FoundUnit, number> = new Map();
const NO_CARDS: ReadonlyMap<string, FoundUnit> = new Map();

/** A card that is not known takes nothing away. */
function withCard(own: number, card: number | null): number {
  return card === null ? own : (1 - CARD_SHARE) * own + CARD_SHARE * card;
}

function cardsOf(units: readonly FoundUnit[]): ReadonlyMap<string, FoundUnit> {
  const cards = new Map<string, FoundUnit>();
  for (const found of units) if (found.kind === 'card') cards.set(found.entity, found);
  return cards;
}

/** Ranks count results, so that the many tools of one server do not push others down. */
function ranksIn(query: Grouping, list: readonly FoundUnit[]): ReadonlyMap<FoundUnit, number> {
  const ranks = new Map<FoundUnit, number>();
  const seen = new Set<string>();
  for (const found of list) {
    ranks.set(found, seen.size + 1);
    seen.add(resultKey(query, found));
  }
  return ranks;
}
