import type { EmbedderIdentity } from '../../model/embedder-identity.ts';
import type { EntityId } from '../../model/entity.ts';
import { type Explanation, leaf } from '../../model/explanation.ts';
import type { Filter } from '../../model/filter.ts';
import type { UnitId } from '../../model/unit.ts';
import { RowFilter } from '../../search/filter/row-filter.ts';
import { BoostIndex } from '../../search/keyword/boost-index.ts';
import { KeywordIndex } from '../../search/keyword/keyword-index.ts';
import type { Asked } from '../../search/ranking/join.ts';
import type { RankedList, UnitHit, UnitRef } from '../../search/ranking/ranked-list.ts';
import { type RowScores, TopRows } from '../../search/row-scores.ts';
import type { AnalyzedUnit } from '../../search/text/analyzed-unit.ts';
import { boostTokens } from '../../search/text/boost-tokens.ts';
import type { VectorIndex, VectorSearchOptions } from '../../search/vector/vector-index.ts';
import type { KeywordQuery, VectorQuery } from '../engine.ts';
import { RowHit } from './row-hit.ts';
import { type EntityRow, UnitTable } from './unit-table.ts';
import { VectorSpace } from './vector-space.ts';

/** The parts that a snapshot brings back. */
export interface SearchIndexParts {
  readonly keyword: KeywordIndex;
  readonly boost: BoostIndex;
  readonly vectors: VectorIndex | null;
}

/** A term that more rows have is no name; listing them all would take longer than the search. */
export const MAX_NAMED = 5000;

/**
 * Everything that is searched, in memory: who is in which row, and the indexes over rows. It only follows the record:
 * nothing here is the truth, and nothing here fails on what the record has accepted.
 */
export class SearchIndex {
  readonly table = new UnitTable();
  readonly keyword: KeywordIndex;
  readonly boost: BoostIndex;
  /** What is searched by default; null for an engine without an embedder. */
  #serving: VectorSpace | null;
  /** What is to be searched after it. */
  #building: VectorSpace | null = null;
  /** What was searched before: kept for the queries that were under way. */
  #retired: VectorSpace | null = null;
  readonly #filter = new RowFilter(this.table);

  constructor(embedder: EmbedderIdentity | null, parts: Partial<SearchIndexParts> = {}) {
    this.keyword = parts.keyword ?? new KeywordIndex();
    this.boost = parts.boost ?? new BoostIndex();
    this.#serving = embedder === null ? null : new VectorSpace(embedder, parts.vectors ?? undefined);
  }

  get serving(): VectorSpace | null {
    return this.#serving;
  }

  get building(): VectorSpace | null {
    return this.#building;
  }

  /** The space of an embedder, by its id; the one that is served when none is named. */
  space(embedder: string | undefined): VectorSpace | null {
    if (embedder === undefined) return this.#serving;
    for (const space of [this.#serving, this.#building, this.#retired]) {
      if (space?.embedder.id === embedder) return space;
    }
    return null;
  }

  /** Begins a space beside the one that is served: every unit waits in it until it gets a vector. */
  build(embedder: EmbedderIdentity | null): void {
    this.#building?.close();
    this.#building = embedder === null ? null : new VectorSpace(embedder);
    for (const { units } of this.table.entities()) {
      for (const { row, textHash } of units) this.#building?.update(row, textHash);
    }
  }

  serveBuilding(): void {
    if (this.#building === null) return;
    this.#retired?.close();
    this.#retired = this.#serving;
    this.#serving = this.#building;
    this.#building = null;
  }

  dropRetired(): void {
    this.#retired?.close();
    this.#retired = null;
  }

  /** Ends its threads. */
  close(): void {
    for (const space of this.#spaces()) space.close();
  }

  /**
   * Puts an entity in place of its older version. Rows in both keep their text and vector until those are replaced;
   * the text of every other old row must have been removed.
   */
  setEntity(entity: EntityRow): void {
    const kept = new Set(entity.units.map((unit) => unit.row));
    this.#forget(entity.facts.id, kept);
    this.table.set(entity);
    this.#filter.add(entity.facts, entity.units);
    for (const space of this.#spaces()) {
      for (const { row, textHash } of entity.units) space.update(row, textHash);
    }
  }

  /** The text of its rows must have been removed. */
  deleteEntity(id: EntityId): void {
    this.#forget(id, new Set());
    this.table.delete(id);
  }

  /** The row's entity must have been set. */
  addText(row: number, unit: AnalyzedUnit): void {
    const kind = this.table.unitAt(row)?.kind ?? 'card';
    const card = this.table.cardOf(row);
    this.keyword.add(row, unit);
    this.boost.add(row, unit, { cardRow: card < 0 ? row : card, kind });
  }

  /** `unit` is what was added. */
  removeText(row: number, unit: AnalyzedUnit): void {
    this.keyword.remove(row, unit);
    this.boost.remove(row, unit);
  }

  /** In the space that is served. */
  setVector(row: number, vector: Float32Array): void {
    this.#serving?.set(row, vector);
  }

  /** In every space: the text is gone. */
  deleteVector(row: number): void {
    const textHash = this.table.unitAt(row)?.textHash ?? '';
    for (const space of this.#spaces()) space.delete(row, textHash);
  }

  searchKeyword(query: KeywordQuery): RankedList {
    const { text, filter, limit, scorer, fieldWeights } = query;
    const eligible = this.#filter.rows(filter);
    const options = { eligible, limit, compareRows: this.table.compareRows };
    // Scoring units that are named is quicker than finding them among all that match.
    const few = filter.units === undefined ? null : [...eligible];
    const explain = query.explain === true;
    switch (scorer) {
      case 'bm25f': {
        const weights = { fieldWeights };
        const found =
          few === null
            ? this.keyword.search(text, { eligible, limit, compareRows: this.table.compareRows, fieldWeights })
            : this.#best(few, this.keyword.scoreRows(text, few, weights), limit);
        return this.#toHits(found, explain ? (row) => this.keyword.explain(text, row, weights) : null);
      }
      case 'boost': {
        const tokens = boostTokens(text);
        const found = this.boost.search(tokens, options);
        return this.#toHits(found, explain ? (row) => this.boost.explain(tokens, row) : null);
      }
      case 'coverage': {
        const found = this.keyword.searchCoverage(text, options);
        return this.#toHits(found, explain ? (row) => this.keyword.explainCoverage(text, row) : null);
      }
      case 'constant': {
        const rows = [...eligible];
        const found = this.#best(rows, new Array(rows.length).fill(1), limit);
        return this.#toHits(found, explain ? () => leaf('constant', 1) : null);
      }
    }
  }

  searchVector(query: VectorQuery): RankedList {
    const space = this.space(query.embedder);
    if (space === null) return [];
    return this.#toHits(space.vectors.search(query.vector, this.#vectorOptions(query)), null);
  }

  /** Begins on a query that `searchVector` is about to be asked. Returns whether it did. */
  lookAhead(query: VectorQuery): boolean {
    const space = this.space(query.embedder);
    return space?.lookAhead(query.vector, this.#vectorOptions(query)) ?? false;
  }

  #vectorOptions({ filter, limit, efSearch }: VectorQuery): VectorSearchOptions {
    return { eligible: this.#filter.rows(filter), limit, efSearch, compareRows: this.table.compareRows };
  }

  hasTag(tag: string): boolean {
    return this.#filter.hasTag(tag);
  }

  keywordScores(text: string, scorer: KeywordQuery['scorer'], asked: readonly Asked[]): readonly number[] {
    const rows = this.#rowsAsked(asked);
    if (scorer === 'bm25f') return this.keyword.scoreRows(text, rows);
    const units = rows.flatMap((row) => this.table.unitAt(row)?.id ?? []);
    const hits = this.searchKeyword({ text, scorer, filter: { units }, limit: units.length });
    const scores = new Map(hits.map(({ unit, score }) => [unit, score]));
    return rows.map((row) => scores.get(this.table.unitAt(row)?.id ?? ('' as UnitId)) ?? 0);
  }

  vectorScores(
    vector: Float32Array,
    asked: readonly Asked[],
    embedder: string | undefined,
  ): readonly (number | null)[] {
    const space = this.space(embedder);
    if (space === null) return asked.map(() => null);
    return space.vectors.scoreRows(vector, this.#rowsAsked(asked));
  }

  /** The eligible rows that have all terms of an anchor, in unit order; null where they are too many to name anything. */
  rowsWith(terms: readonly string[], filter: Filter): readonly number[] | null {
    const found = this.keyword.rowsWith(terms, MAX_NAMED);
    if (found === null || found.length === 0) return found;
    const eligible = this.#filter.rows(filter);
    const passing: number[] = [];
    for (const row of found) if (eligible.has(row)) passing.push(row);
    return passing.length > 1 ? passing.sort(this.table.compareRows) : passing;
  }

  /** Rows as hits that all count the same. */
  hitsOf(rows: readonly number[]): RankedList {
    return this.#toHits({ rows, scores: rows.map(() => 1) }, null);
  }

  #spaces(): readonly VectorSpace[] {
    return [this.#serving, this.#building, this.#retired].filter((space) => space !== null);
  }

  #best(rows: readonly number[], scores: readonly number[], limit: number): RowScores {
    const top = new TopRows(limit, this.table.compareRows);
    for (let i = 0; i < rows.length; i++) if (scores[i]! > 0) top.offer(rows[i]!, scores[i]!);
    return top.take();
  }

  #forget(id: EntityId, kept: ReadonlySet<number>): void {
    const old = this.table.entity(id);
    if (old === undefined) return;
    this.#filter.remove(old.facts, old.units);
    for (const unit of old.units) {
      if (kept.has(unit.row)) continue;
      for (const space of this.#spaces()) space.delete(unit.row, '');
    }
  }

  #toHits({ rows, scores }: RowScores, explain: ((row: number) => Explanation) | null): RankedList {
    const hits: UnitHit[] = [];
    for (let i = 0; i < rows.length; i++) {
      const row = rows[i]!;
      const hit = new RowHit(this.table.unitAt(row)!, scores[i]!);
      hits.push(explain === null ? hit : { ...hit, detail: explain(row) });
    }
    return hits;
  }

  /** The row of a unit; -1 for one that is not there (any more). */
  rowOf(ref: UnitRef): number {
    const known = RowHit.rowOf(ref);
    const unit = known !== undefined && this.table.unitAt(known.row) === known ? known : this.table.unit(ref.unit);
    return unit?.row ?? -1;
  }

  #rowsAsked(asked: readonly Asked[]): readonly number[] {
    const rows: number[] = [];
    for (const one of asked) rows.push(this.#rowAsked(one));
    return rows;
  }

  #rowAsked({ hit, card }: Asked): number {
    const row = this.rowOf(hit);
    return card && row >= 0 ? this.table.cardOf(row) : row;
  }
}
