import type { Unit } from '../../../model/entity-parts/unit.ts';
import type { Filter, FilterType } from '../../../model/query/filter.ts';
import { isName, maxNameFrequency } from '../../../search/identifier/classify-query.ts';
import { holdsPhrase } from '../../../search/identifier/holds-phrase.ts';
import { depthsFor, fetchEnough, type ListReader } from '../../../search/retrieval/fetch-enough.ts';
import {
  type Evidence,
  type FoundUnit,
  type Holders,
  hasCard,
  isOwnResult,
  type Leg,
  legFilter,
  MAX_HOLDERS,
  MAX_PHRASES_READ,
  noTools,
  type Retrieved,
  type RetrieveQuery,
  type VectorLeg,
} from '../../../search/retrieval/retrieval.ts';
import { Places } from '../../../search/rows/places.ts';
import type { RowScores } from '../../../search/rows/row-scores.ts';
import { adjacentWords } from '../../../search/text/adjacent-words.ts';
import type { Anchor } from '../../../search/text/anchors.ts';
import { checkDimensions } from '../../check-batch.ts';
import { FoundRow, type RowSource } from './found-row.ts';
import type { IndexView } from './index-views.ts';
import type { Counts, RowIndex } from './row-index.ts';
import { extendRows, mergeRows } from './row-lists.ts';
import { bestOfLists, type RowScorer, rowScorer } from './row-scorers.ts';
import { cosinesOf, toolsOf } from './server-tools.ts';
import { NO_VECTORS, type VectorSpace } from './vector-space.ts';

/** A term that more rows have is no name; listing them all would take longer than the search. */
const MAX_NAMED = 5000;

/** Words in their order are only in the record. */
export type ReadFields = (row: number) => Unit['fields'] | undefined;

/** The place of each row among the units of a search, and of each entity's row among the entities. */
const unitPlaces = new Places();
const entityPlaces = new Places();

/** Answers one search over rows, without waiting: nothing can be written in between. */
export function retrieveRows(index: RowIndex, query: RetrieveQuery, readFields: ReadFields): Retrieved {
  return new RowRetrieval(index, query, readFields).run();
}

/** Only the list of the vector leg: what a remote space must be asked first. */
export function searchVectorLeg(index: RowIndex, query: RetrieveQuery, readFields: ReadFields): void {
  new RowRetrieval(index, query, readFields).runVectorLeg();
}

class RowRetrieval {
  readonly #index: RowIndex;
  readonly #view: IndexView;
  readonly #query: RetrieveQuery;
  readonly #readFields: ReadFields;
  readonly #scorer: RowScorer;
  readonly #source: RowSource;
  /** Units that only hold an anchor that names nothing. Few queries have any. */
  #peeked: Map<number, FoundRow> | undefined;
  readonly #units: FoundRow[] = [];
  #entityCount = 0;

  constructor(index: RowIndex, query: RetrieveQuery, readFields: ReadFields) {
    const { boost, table } = index;
    const view = index.view(query.filter);
    const { keyword } = view;
    const scorer = rowScorer({ keyword, boost, table }, query.text, query.parts, query.keyword.scorer);
    this.#index = index;
    this.#view = view;
    this.#query = query;
    this.#readFields = readFields;
    this.#scorer = scorer;
    this.#source = {
      holds: (unit) => table.unitAt(unit.row) === unit,
      matchedFields: (row) => keyword.matchedFields(query.text, row),
      adjacentWords: (row) => adjacentWords(query.text, () => index.pairsOf(row, readFields)),
      description: (row) => readFields(row)?.description ?? '',
      cosine: this.#cosine(),
      explain: (row) => scorer.explain(row),
    };
  }

  run(): Retrieved {
    const { crossScores, cards, vector: leg } = this.#query;
    const unknownTags = this.#unknownTags();
    const space = leg === null ? this.#index.serving : this.#checkedSpace(leg);
    const counts = this.#index.counts(space, this.#view);
    if (unknownTags.length > 0) {
      const evidence = this.#evidence(unknownTags, [], space, counts);
      return { units: [], keyword: [], vector: null, evidence, toolsOf: noTools };
    }
    unitPlaces.clear();
    entityPlaces.clear();
    const byVector = leg === null ? null : this.#searchVector(leg, space);
    const byKeyword = this.#searchKeyword();
    const vector = byVector === null ? null : this.#enterList(byVector, 'vector');
    const keyword = this.#enterList(byKeyword, 'keyword');
    const holders = this.#holders(counts.units);
    // Cards only count through the parts of their entity, so those must be known first.
    if (cards) this.#addCards();
    if (crossScores) this.#fillIn(space);
    const evidence = this.#evidence(unknownTags, holders, space, counts);
    return {
      units: this.#units,
      keyword,
      vector,
      evidence,
      toolsOf: (units) => toolsOf(this.#index, this.#query, this.#source, units),
    };
  }

  runVectorLeg(): void {
    const { vector: leg } = this.#query;
    if (leg === null || this.#unknownTags().length > 0) return;
    const space = this.#checkedSpace(leg);
    const { results } = this.#query;
    // A server is asked at once for all depths that the results need in any case.
    const limits = leg.perType ? [leg.limit] : depthsFor({ results, limit: leg.limit });
    for (const limit of limits) this.#searchVector({ ...leg, limit }, space);
  }

  #checkedSpace(leg: VectorLeg): VectorSpace | null {
    const space = this.#index.space(leg.embedder);
    if (space === null) return null;
    for (const values of [leg.values, ...leg.parts]) checkDimensions(values, space.embedder, 'the query');
    return space;
  }

  #cosine(): RowSource['cosine'] {
    const { vector: leg } = this.#query;
    if (leg === null || leg.parts.length === 0) return null;
    const space = this.#index.space(leg.embedder);
    return (row) => space?.vectors.scoreRows(leg.values, [row])[0] ?? null;
  }

  #unknownTags(): readonly string[] {
    const { hashtags } = this.#query;
    return hashtags.length === 0 ? hashtags : hashtags.filter((tag) => !this.#index.hasTag(tag, this.#view));
  }

  #searchKeyword(): RowScores {
    const { filter, keyword } = this.#query;
    const eligible = this.#index.eligible(legFilter(filter, keyword));
    const isNested = this.#query.parts.length === 0;
    return this.#fetch(keyword, isNested, (limit) => this.#scorer.search(eligible, limit));
  }

  #searchVector(leg: VectorLeg, space: VectorSpace | null): RowScores {
    const { filter } = this.#query;
    if (space === null) return { rows: [], scores: [] };
    const { compareRows } = this.#index.table;
    const isolated = this.#view.rows !== null;
    const search = (within: Filter, limit: number) => {
      const eligible = this.#index.eligible(within);
      const options = { eligible, filter: within, limit, efSearch: leg.efSearch, compareRows, isolated };
      if (leg.parts.length === 0) return space.vectors.search(leg.values, options);
      const lists = [leg.values, ...leg.parts].map((values) => space.vectors.search(values, options));
      return bestOfLists(lists, limit, (rows) => cosinesOf(space, leg, rows), compareRows);
    };
    const within = legFilter(filter, leg);
    if (!leg.perType) return this.#fetch(leg, false, (limit) => search(within, limit));
    const types: readonly FilterType[] = filter.types ?? this.#index.table.types();
    return mergeRows(
      types.map((type) => search({ ...within, types: [type] }, leg.limit)),
      compareRows,
    );
  }

  #fetch({ limit }: Leg, isNested: boolean, search: (limit: number) => RowScores): RowScores {
    const { results, toolsAsResults } = this.#query;
    const need = { results, limit, isNested, unitsPerResult: toolsAsResults ? undefined : this.#unitsPerEntity() };
    return fetchEnough(need, search, this.#reader);
  }

  #unitsPerEntity(): number {
    const { entities, units } = this.#view;
    return entities === 0 ? 1 : units / entities;
  }

  readonly #reader: ListReader<RowScores> = {
    lengthOf: ({ rows }) => rows.length,
    keyAt: ({ rows }, at) => (this.#isOwnResult(rows[at]!) ? rows[at]! : this.#index.table.groupOf(rows[at]!)),
    cut: ({ rows, scores }, length) => ({ rows: rows.slice(0, length), scores: scores.slice(0, length) }),
    extend: extendRows,
  };

  #isOwnResult(row: number): boolean {
    const { toolsAsResults, chunksAsResults = false } = this.#query;
    return (toolsAsResults || chunksAsResults) && isOwnResult(this.#query, this.#index.table.unitAt(row)!);
  }

  #enterList({ rows, scores }: RowScores, leg: 'keyword' | 'vector'): readonly FoundUnit[] {
    const list: FoundUnit[] = [];
    for (let i = 0; i < rows.length; i++) {
      const found = this.#unitAt(rows[i]!);
      if (leg === 'keyword') found.keyword = scores[i]!;
      else found.vector = scores[i]!;
      list.push(found);
    }
    return list;
  }

  #unitAt(row: number): FoundRow {
    const at = unitPlaces.getOrSet(row, this.#units.length);
    if (at < this.#units.length) return this.#units[at]!;
    const found = this.#peeked?.get(row) ?? this.#make(row);
    found.at = at;
    this.#units.push(found);
    return found;
  }

  /** The unit of a row, without making it one of the answer. */
  #peek(row: number): FoundRow {
    this.#peeked ??= new Map();
    const at = unitPlaces.get(row);
    let found = at < 0 ? this.#peeked.get(row) : this.#units[at];
    if (found === undefined) {
      found = this.#make(row);
      this.#peeked.set(row, found);
    }
    return found;
  }

  #make(row: number): FoundRow {
    const { table } = this.#index;
    // The entities of a search are numbered as they are found.
    const group = entityPlaces.getOrSet(table.groupOf(row), this.#entityCount);
    if (group === this.#entityCount) this.#entityCount++;
    return new FoundRow(row, table.unitAt(row)!, table.ownerOf(row)!, group, table.kindOf(row), this.#source);
  }

  #addCards(): void {
    const { table } = this.#index;
    const count = this.#units.length;
    for (let i = 0; i < count; i++) {
      const { row } = this.#units[i]!;
      const card = table.cardOf(row);
      if (card >= 0 && hasCard(this.#query, this.#units[i]!)) this.#unitAt(card);
    }
  }

  /** Asks each leg about the units it did not find itself. */
  #fillIn(space: VectorSpace | null): void {
    const byKeyword: FoundRow[] = [];
    const byVector: FoundRow[] = [];
    const keywordRows: number[] = [];
    const vectorRows: number[] = [];
    for (const found of this.#units) {
      if (found.keyword === null) {
        byKeyword.push(found);
        keywordRows.push(found.row);
      }
      if (found.vector === null) {
        byVector.push(found);
        vectorRows.push(found.row);
      }
    }
    const scores = keywordRows.length === 0 ? [] : this.#scorer.scoreRows(keywordRows);
    for (let i = 0; i < byKeyword.length; i++) if (scores[i]! > 0) byKeyword[i]!.keyword = scores[i]!;
    const { vector } = this.#query;
    if (vector === null || space === null || vectorRows.length === 0) return;
    const cosines = cosinesOf(space, vector, vectorRows);
    for (let i = 0; i < byVector.length; i++) byVector[i]!.vector = cosines[i]!;
  }

  /** In an index of this many units. */
  #holders(count: number): readonly Holders[] {
    const holders: Holders[] = [];
    for (const anchor of this.#query.anchors) holders.push(this.#holdersOf(anchor, count));
    return holders;
  }

  #holdersOf(anchor: Anchor, count: number): Holders {
    const identified = anchor.identifier === undefined ? null : this.#eligibleWith([anchor.identifier]);
    const byIdentifier = identified !== null && identified.length > 0;
    let rows = byIdentifier ? identified : this.#eligibleWith(anchor.terms);
    if (rows === null) return { anchor, units: [], count: Number.POSITIVE_INFINITY, byIdentifier };
    if (rows.length > 1) rows.sort(this.#index.table.compareRows);
    if (anchor.kind === 'phrase') {
      rows = rows.slice(0, MAX_PHRASES_READ).filter((row) => holdsPhrase(this.#readFields(row) ?? {}, anchor.text));
    }
    // What many units hold names nothing, and must not become a candidate by that alone.
    const isNamed = isName({ count: rows.length, byIdentifier }, maxNameFrequency(count));
    const units: FoundUnit[] = [];
    for (const row of rows.slice(0, MAX_HOLDERS)) units.push(isNamed ? this.#unitAt(row) : this.#peek(row));
    return { anchor, units, count: rows.length, byIdentifier };
  }

  /** The eligible rows with all of these terms; null if there are too many. */
  #eligibleWith(terms: readonly string[]): number[] | null {
    const having = this.#view.keyword.rowsWith(terms, MAX_NAMED);
    if (having === null) return null;
    const eligible = this.#index.eligible(this.#query.filter);
    const rows: number[] = [];
    for (const row of having) if (eligible.has(row)) rows.push(row);
    return rows;
  }

  #evidence(
    unknownTags: readonly string[],
    holders: readonly Holders[],
    space: VectorSpace | null,
    { entities, units, vectors, missingVectors, unloadedVectors }: Counts,
  ): Evidence {
    const { ceiling, terms } = this.#view.keyword.ceiling(this.#query.text);
    const { mean, meanCount } = space === null ? NO_VECTORS : space.within(this.#view);
    return {
      unknownTags,
      ceiling,
      terms,
      holders,
      entities,
      units,
      vectors,
      missingVectors: missingVectors + unloadedVectors,
      meanVector: mean,
      meanCount,
    };
  }
}
