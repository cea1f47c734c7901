import type { Index } from '../../src/engines/index-port.ts';
import type { FoundUnit, KeywordLeg, RetrieveQuery, VectorLeg } from '../../src/search/retrieval/retrieval.ts';

/** The parts of a query that a test cares about. Leg settings stand beside the rest: a test mostly asks one leg. */
export type QueryParts = Partial<Omit<RetrieveQuery, 'keyword' | 'vector'>> &
  Partial<Pick<KeywordLeg, 'scorer' | 'limit' | 'unitKinds'>> &
  Partial<Pick<VectorLeg, 'embedder' | 'perType' | 'efSearch'>> & {
    /** Without one there is no vector leg. */
    readonly vector?: Float32Array | null;
    readonly vectorParts?: readonly Float32Array[];
  };

/** A whole query: by `bm25f`, ten units from each leg, nothing else filled in. */
export function queryOf(parts: QueryParts): RetrieveQuery {
  const { scorer = 'bm25f', limit = 10, unitKinds, vector = null, embedder, perType = false, efSearch } = parts;
  return {
    text: parts.text ?? '',
    parts: parts.parts ?? [],
    filter: parts.filter ?? {},
    hashtags: parts.hashtags ?? [],
    anchors: parts.anchors ?? [],
    keyword: { scorer, limit, unitKinds },
    vector:
      vector === null
        ? null
        : { values: vector, parts: parts.vectorParts ?? [], limit, unitKinds, embedder, perType, efSearch },
    crossScores: parts.crossScores ?? false,
    cards: parts.cards ?? false,
    // One result is always enough: lists stay as long as `limit` says.
    results: parts.results ?? 1,
    toolsAsResults: parts.toolsAsResults ?? false,
  };
}

/** A unit of one leg's list, with the score that the leg gave it. */
export interface Hit extends Pick<FoundUnit, 'unit' | 'entity' | 'type' | 'kind' | 'title'> {
  readonly score: number;
}

function hitsOf(list: readonly FoundUnit[], leg: 'keyword' | 'vector'): readonly Hit[] {
  return list.map(({ unit, entity, type, kind, title, [leg]: score }) => {
    return { unit, entity, type, kind, title, score: score! };
  });
}

/** The keyword leg's list. */
export async function retrieveText(index: Index, parts: QueryParts & { readonly text: string }) {
  return hitsOf((await index.retrieve(queryOf(parts))).keyword, 'keyword');
}

/** The vector leg's list. */
export async function retrieveVector(index: Index, parts: QueryParts & { readonly vector: Float32Array }) {
  return hitsOf((await index.retrieve(queryOf(parts))).vector!, 'vector');
}

export const unitIds = (list: readonly Pick<FoundUnit, 'unit'>[]) => list.map(({ unit }) => unit);

/** All that a unit says, as data that can be compared. */
export function said(found: FoundUnit) {
  const { unit, entity, type, kind, title, actions, facts, keyword, vector } = found;
  const fields = found.matchedFields();
  const similarity = found.similarity();
  const [adjacent, why] = [found.adjacentWords(), found.explainKeyword()];
  return { unit, entity, type, kind, title, actions, facts, keyword, vector, similarity, fields, adjacent, why };
}

/** Everything that an answer has, as data that can be compared. */
export async function wholeAnswer(index: Index, parts: QueryParts) {
  const { units, keyword, vector, evidence } = await index.retrieve(queryOf(parts));
  return {
    units: units.map(said),
    keyword: unitIds(keyword),
    vector: vector === null ? null : unitIds(vector),
    evidence: { ...evidence, holders: evidence.holders.map((held) => ({ ...held, units: held.units.map(said) })) },
  };
}
