import type { EntityId, EntityType } from '../../src/model/entity.ts';
import { leaf } from '../../src/model/explanation.ts';
import { type UnitKind, unitId } from '../../src/model/unit.ts';
import type { Candidate, ScoredUnit } from '../../src/search/ranking/candidate.ts';
import type { Evidence, FoundUnit, Retrieved } from '../../src/search/retrieval/retrieval.ts';

/** A unit as an index would return it. Its type and kind are those of its ids. */
export function foundUnit(entity: EntityId, key = 'card', more: Partial<FoundUnit> = {}): FoundUnit {
  const type = entity.slice(0, entity.indexOf(':')) as EntityType;
  const keyword = more.keyword ?? null;
  return {
    unit: unitId(entity, key),
    entity,
    type,
    kind: key.split(':')[0] as UnitKind,
    title: key.slice(key.indexOf(':') + 1),
    facts: { id: entity, type, status: 'active', enabled: true, tags: [], readers: ['public'], visibility: 'public' },
    keyword,
    vector: null,
    matchedFields: () => [],
    explainKeyword: () => (keyword === null ? undefined : leaf('bm25f', keyword)),
    ...more,
  };
}

/** The unit with its own scores, as no leg's list has it. */
export function scoredUnit(found: FoundUnit, more: Partial<ScoredUnit> = {}): ScoredUnit {
  const { keyword, vector } = found;
  return { found, keyword, vector, keywordRank: null, vectorRank: null, score: null, ...more };
}

/** A result of these units, the best first. */
export function candidateOf(units: readonly [ScoredUnit, ...ScoredUnit[]], more: Partial<Candidate> = {}): Candidate {
  const [best] = units;
  const { entity, type } = best.found;
  return { key: entity, entity, type, best, units, score: 1, confidence: 0.5, explain: undefined, ...more };
}

const EVIDENCE: Evidence = {
  unknownTags: [],
  ceiling: 40,
  known: 1,
  terms: 3,
  holders: [],
  entities: 90,
  units: 100,
  vectors: 90,
  missingVectors: 10,
  meanVector: null,
};

/** What an index would answer with these lists, and these other units behind them. */
export function retrievedOf(
  lists: { readonly keyword?: readonly FoundUnit[]; readonly vector?: readonly FoundUnit[] | null },
  others: readonly FoundUnit[] = [],
): Retrieved {
  const { keyword = [], vector = null } = lists;
  const units = [...new Set([...(vector ?? []), ...keyword, ...others])];
  return { units, keyword, vector, evidence: EVIDENCE };
}
