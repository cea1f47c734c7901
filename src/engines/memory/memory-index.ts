import { type Explanation, sum } from '../../model/answer/explanation.ts';
import type { EntityId, EntityType } from '../../model/entity.ts';
import { collectionKey } from '../../model/entity-parts/document-facts.ts';
import {
  entityFacts,
  type Filter,
  type FilterType,
  foldTag,
  matchesFilter,
  type ViewClauses,
} from '../../model/query/filter.ts';
import { isName, maxNameFrequency } from '../../search/identifier/classify-query.ts';
import { holdsPhrase } from '../../search/identifier/holds-phrase.ts';
import { compareIds } from '../../search/retrieval/compare-ids.ts';
import { fetchEnough } from '../../search/retrieval/fetch-enough.ts';
import {
  type FoundUnit,
  type Holders,
  hasCard,
  legFilter,
  MAX_HOLDERS,
  MAX_PHRASES_READ,
  MAX_TOOLS_SCORED,
  noTools,
  type Retrieved,
  type RetrieveQuery,
  resultKey,
  type ServerTools,
  type VectorLeg,
  withPart,
} from '../../search/retrieval/retrieval.ts';
import { actionsOfTool } from '../../search/text/action-words.ts';
import { adjacentWords, wordPairs } from '../../search/text/adjacent-words.ts';
import type { Anchor } from '../../search/text/anchors.ts';
import { joinedName, type NameLookup } from '../../search/text/name-spelling.ts';
import { checkVector } from '../check-batch.ts';
import type { Index, IndexStats } from '../index-port.ts';
import type { MemoryState, MemoryUnit } from './memory-state.ts';
import type { MemoryVectors } from './memory-vectors.ts';
import { referenceKeyword } from './reference-keyword.ts';
import { fieldsIn, referenceCeiling, referenceCosine, referenceMean } from './reference-scorers.ts';

/** A unit with the scores of both legs, before filters and limits. */
interface ScoredUnit {
  readonly held: MemoryUnit;
  readonly found: FoundUnit;
  readonly keyword: Scores;
  readonly vector: Scores;
}

/** The scores of one leg for a unit: for the whole query, for each of its parts, and combined. */
interface Scores {
  readonly by: readonly (number | null)[];
  readonly all: number | null;
}

function scoresOf(by: readonly (number | null)[], join: (whole: number, bestPart: number) => number): Scores {
  const [whole = null, ...parts] = by;
  const known = parts.filter((score) => score !== null);
  return { by, all: known.length === 0 ? whole : join(whole ?? 0, Math.max(...known)) };
}

type Counts = Pick<IndexStats, 'entities' | 'units' | 'vectors' | 'missingVectors'>;

/** Scores every readable unit by both legs, then filters and limits. */
export class MemoryIndex implements Index {
  readonly version = null;
  readonly #state: MemoryState;
  readonly #vectors: MemoryVectors;

  constructor(state: MemoryState, vectors: MemoryVectors) {
    this.#state = state;
    this.#vectors = vectors;
  }

  async retrieve(query: RetrieveQuery): Promise<Retrieved> {
    this.#state.checkOpen();
    const { vector: leg, keyword: keywordLeg } = query;
    const embedder = leg?.embedder ?? this.#state.embedder?.id ?? '';
    if (leg !== null && this.#state.identity(embedder) !== null) {
      for (const values of [leg.values, ...leg.parts]) checkVector(values, this.#state.identity(embedder), 'the query');
    }
    const scored = this.#scoreAll(query, embedder);
    const unknownTags = this.#unknownTags(query);
    const counts = this.#counts(embedder, query.filter);
    const vectors = scored.flatMap(({ held }) => held.vectors.get(embedder) ?? []);
    const unitsWith = (term: string) => scored.filter(({ held }) => held.analyzed.terms.includes(term)).length;
    const statistics = {
      unknownTags,
      ...referenceCeiling(query.text, scored.length, unitsWith),
      ...counts,
      meanVector: referenceMean(vectors),
      meanCount: vectors.length,
    };
    if (unknownTags.length > 0)
      return { units: [], keyword: [], vector: null, evidence: { ...statistics, holders: [] }, toolsOf: noTools };
    const eligible = (filter: Filter) =>
      scored.filter(({ found: { facts, unit, kind } }) => matchesFilter(filter, { ...facts, unit, kind }));
    const keyword = enough(query, keywordLeg.limit, (limit) =>
      best(eligible(legFilter(query.filter, keywordLeg)), ({ keyword }) => keyword, limit),
    );
    const types = query.filter.types ?? [...new Set(scored.map(({ found }) => found.type))];
    const vector = leg === null ? null : vectorList(query, leg, types, eligible);
    const holders = query.anchors.map((anchor) => holdersOf(anchor, eligible(query.filter)));
    const named = holders
      .filter((holder) => isName(holder, maxNameFrequency(counts.units)))
      .flatMap(({ units }) => units);
    const listed = [...new Set([...(vector ?? []), ...keyword, ...named])];
    const cardOf = new Map(scored.flatMap(({ found }) => (found.kind === 'card' ? [[found.entity, found]] : [])));
    const parts = query.cards ? listed.filter((found) => hasCard(query, found)) : [];
    const cards = parts.flatMap(({ entity }) => cardOf.get(entity) ?? []);
    // Without cross scores, a unit has only the scores of the lists it is in.
    const shown = new Map<FoundUnit, FoundUnit>();
    const units = [...new Set([...listed, ...cards])];
    for (const found of new Set([...units, ...holders.flatMap((holder) => holder.units)])) {
      const at = units.indexOf(found);
      const both = query.crossScores && at >= 0;
      const byKeyword = both || keyword.includes(found) ? found.keyword : null;
      const byVector = both || vector?.includes(found) ? found.vector : null;
      const explainKeyword = () => (byKeyword === null ? undefined : found.explainKeyword());
      const similarity = () => (byVector === null ? null : found.similarity());
      shown.set(found, { ...found, at, keyword: byKeyword, vector: byVector, similarity, explainKeyword });
    }
    const toShown = (list: readonly FoundUnit[]) => list.map((found) => shown.get(found)!);
    return {
      units: toShown(units),
      keyword: toShown(keyword),
      vector: vector === null ? null : toShown(vector),
      evidence: { ...statistics, holders: holders.map((holder) => ({ ...holder, units: toShown(holder.units) })) },
      toolsOf: (units) => units.map(({ entity }) => this.#toolsOf(entity, query, embedder)),
    };
  }

  #toolsOf(server: EntityId, query: RetrieveQuery, embedder: string): ServerTools {
    const own = this.#scoreAll(query, embedder)
      .filter(({ found }) => found.entity === server && found.kind === 'tool')
      .filter(({ found: { facts, unit, kind } }) => matchesFilter(query.filter, { ...facts, unit, kind }))
      .sort((a, b) => compareIds(a.found.unit, b.found.unit));
    const tools = own.length > MAX_TOOLS_SCORED ? [] : own;
    const isHeld = ({ held }: ScoredUnit) => this.#state.units().includes(held);
    const cosineOf = (vector: Float32Array | undefined, values: Float32Array) =>
      vector === undefined ? null : referenceCosine(vector, values);
    return {
      name: this.#state.read(server)?.entity.name ?? '',
      tools: tools.map(({ found }) => found),
      cosines: (values) =>
        tools.map((tool) => (isHeld(tool) ? cosineOf(tool.held.vectors.get(embedder), values) : null)),
    };
  }

  async names(view: ViewClauses): Promise<NameLookup> {
    this.#state.checkOpen();
    const names = new Map<string, string>();
    for (const id of [...this.#within(view)].sort(compareIds)) {
      const { type, name } = this.#state.read(id)!.entity;
      const joined = type === 'memory' || type === 'document' ? '' : joinedName(name);
      if (joined !== '' && !names.has(joined)) names.set(joined, name);
    }
    return (joined) => names.get(joined);
  }

  async stats(embedder = this.#state.embedder?.id ?? '', readers?: readonly string[]): Promise<IndexStats> {
    this.#state.checkOpen();
    const view = readers === undefined ? {} : { readers };
    const ids = this.#within(view);
    const byType: Partial<Record<EntityType, number>> = {};
    for (const id of ids) {
      const { type } = this.#state.read(id)!.entity;
      byType[type] = (byType[type] ?? 0) + 1;
    }
    const { building } = this.#state;
    const { vectors, missingVectors } = this.#counts(building?.id ?? '', view);
    return {
      ...this.#counts(embedder, view),
      unloadedVectors: 0,
      staleVectors: this.#vectors.allStale(readers === undefined ? undefined : ids).length,
      building: building === null ? null : { id: building.id, vectors, missingVectors },
      byType,
    };
  }

  /** The entities of a view; all of them without clauses. */
  #within({ readers, collections }: ViewClauses): readonly EntityId[] {
    const ids = [...this.#state.entities.keys()];
    return ids.filter((id) => {
      const facts = entityFacts(this.#state.read(id)!.entity);
      const isReadable = readers === undefined || readers.some((key) => facts.readers.includes(key));
      const isInside =
        collections === undefined || collections.some((name) => facts.facets.includes(collectionKey(name)));
      return isReadable && isInside;
    });
  }

  #counts(embedder: string, view: ViewClauses): Counts {
    const ids = new Set(this.#within(view));
    const isOf = ({ unit }: MemoryUnit) => ids.has(unit.entity);
    const units = this.#state.units().filter(isOf);
    return {
      entities: ids.size,
      units: units.length,
      vectors: units.filter(({ vectors }) => vectors.has(embedder)).length,
      missingVectors: this.#state.waiting(embedder).filter(isOf).length,
    };
  }

  /** Only the units of the view: the rest is in no statistic. */
  #scoreAll(query: RetrieveQuery, embedder: string): readonly ScoredUnit[] {
    const {
      text,
      parts,
      keyword: { scorer },
      vector: leg,
      filter,
    } = query;
    const entities = this.#within(filter).map((id) => this.#state.entities.get(id)!);
    const texts = scorer === 'bm25f' ? [text, ...parts] : [text];
    const details = texts.map((one) => referenceKeyword(one, scorer, entities));
    const fields = referenceKeyword(text, 'bm25f', entities);
    return entities
      .flatMap(({ units }, group) => units.map((held) => ({ held, group })))
      .map(({ held, group }): ScoredUnit => {
        const { unit } = held;
        const { entity } = this.#state.read(unit.entity)!;
        const own = leg === null ? undefined : held.vectors.get(embedder);
        const cosines =
          own === undefined ? [] : [leg!.values, ...leg!.parts].map((values) => referenceCosine(own, values));
        const vector = scoresOf(cosines, withPart.vector);
        const byText = details.map((some) => some.get(held));
        const keyword = scoresOf(
          byText.map((detail) => detail?.value ?? null),
          withPart.keyword,
        );
        const byField = fields.get(held);
        const isStillHeld = () => this.#state.units().includes(held);
        const found: FoundUnit = {
          at: -1,
          unit: unit.id,
          entity: unit.entity,
          group,
          type: entity.type,
          kind: unit.kind,
          title: unit.title,
          actions: unit.kind === 'tool' ? actionsOfTool(unit.title, () => unit.fields.description ?? '') : 0,
          facts: entityFacts(entity),
          keyword: keyword.all,
          vector: vector.all,
          similarity: () => vector.by[0] ?? null,
          matchedFields: () => (byField !== undefined && isStillHeld() ? fieldsIn(byField) : []),
          adjacentWords: () => (isStillHeld() ? adjacentWords(text, () => wordPairs(unit.fields)) : 0),
          explainKeyword: () => (keyword.all !== null && isStillHeld() ? withBestPart(byText) : undefined),
        };
        return { held, keyword, vector, found };
      });
  }

  #unknownTags({ hashtags, filter }: RetrieveQuery): readonly string[] {
    const tags = this.#within(filter).flatMap((id) => this.#state.read(id)!.entity.tags.map(foldTag));
    return hashtags.filter((tag) => !tags.includes(foldTag(tag)));
  }
}

/** `types`: fetched one by one if the leg is `perType`. */
function vectorList(
  query: RetrieveQuery,
  leg: VectorLeg,
  types: readonly FilterType[],
  eligible: (filter: Filter) => readonly ScoredUnit[],
): readonly FoundUnit[] {
  const within = legFilter(query.filter, leg);
  const byVector = ({ vector }: ScoredUnit) => vector;
  if (!leg.perType) return enough(query, leg.limit, (limit) => best(eligible(within), byVector, limit));
  const lists = types.flatMap((type) => best(eligible({ ...within, types: [type] }), byVector, leg.limit));
  const listed = eligible(within).filter(({ found }) => lists.includes(found));
  return best(listed, byVector, Number.POSITIVE_INFINITY);
}

/** The best units for the whole query and for each part of it, ordered by the combined score. */
function best(
  units: readonly ScoredUnit[],
  scoresOf: (unit: ScoredUnit) => Scores,
  limit: number,
): readonly FoundUnit[] {
  const texts = Math.max(0, ...units.map((unit) => scoresOf(unit).by.length));
  const lists = Array.from({ length: texts }, (_, i) => firstOf(units, (unit) => scoresOf(unit).by[i] ?? null, limit));
  return firstOf([...new Set(lists.flat())], (unit) => scoresOf(unit).all, limit).map(({ found }) => found);
}

/** Best first; equal scores by unit id. Units without a score are left out. */
function firstOf(
  units: readonly ScoredUnit[],
  scoreOf: (unit: ScoredUnit) => number | null,
  limit: number,
): readonly ScoredUnit[] {
  return units
    .filter((unit) => scoreOf(unit) !== null)
    .sort((a, b) => scoreOf(b)! - scoreOf(a)! || compareIds(a.found.unit, b.found.unit))
    .slice(0, limit);
}

/** Explains the score of the whole query and of the best part. */
function withBestPart([whole, ...parts]: readonly (Explanation | undefined)[]): Explanation {
  const known = parts.filter((part) => part !== undefined);
  if (known.length === 0) return whole!;
  const bestPart = known.reduce((a, b) => (b.value > a.value ? b : a));
  return sum('bm25f', [...(whole?.parts ?? []), { ...bestPart, label: 'best part' }]);
}

function enough(query: RetrieveQuery, limit: number, fetch: (limit: number) => readonly FoundUnit[]) {
  return fetchEnough({ results: query.results, limit, isNested: false }, fetch, {
    lengthOf: (list) => list.length,
    keyAt: (list, at) => resultKey(query, list[at]!),
    cut: (list, length) => list.slice(0, length),
    extend: (list, longer, length) => [...new Set([...list, ...longer])].slice(0, length),
  });
}

/** Units with all its terms and, for a phrase, its exact words. */
function holdersOf(anchor: Anchor, eligible: readonly ScoredUnit[]): Holders {
  const { kind, identifier, text } = anchor;
  const byIdentifier =
    identifier !== undefined && eligible.some(({ held }) => held.analyzed.terms.includes(identifier));
  const terms = byIdentifier ? [identifier] : anchor.terms;
  const having = eligible
    .filter(({ held: { analyzed } }) => terms.length > 0 && terms.every((term) => analyzed.terms.includes(term)))
    .sort((a, b) => compareIds(a.found.unit, b.found.unit));
  const holding =
    kind === 'phrase'
      ? having.slice(0, MAX_PHRASES_READ).filter(({ held }) => holdsPhrase(held.unit.fields, text))
      : having;
  const units = holding.map(({ found }) => found);
  return { anchor, units: units.slice(0, MAX_HOLDERS), count: units.length, byIdentifier };
}
