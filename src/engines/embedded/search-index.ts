import type { EmbedderIdentity } from '../../model/embedder-identity.ts';
import type { EntityId } from '../../model/entity.ts';
import { type Explanation, leaf } from '../../model/explanation.ts';
import { Bitset } from '../../search/filter/bitset.ts';
import { RowFilter } from '../../search/filter/row-filter.ts';
import { BoostIndex } from '../../search/keyword/boost-index.ts';
import { KeywordIndex } from '../../search/keyword/keyword-index.ts';
import type { RankedList, UnitHit } from '../../search/ranked-list.ts';
import { type RowScores, TopRows } from '../../search/row-scores.ts';
import type { AnalysedUnit } from '../../search/text/analysed-unit.ts';
import { boostTokens } from '../../search/text/boost-tokens.ts';
import { VectorIndex } from '../../search/vector/vector-index.ts';
import type { KeywordQuery, VectorQuery } from '../engine.ts';
import { type EntityRow, UnitTable } from './unit-table.ts';

/** The parts that a snapshot brings back. */
export interface SearchIndexParts {
  readonly keyword: KeywordIndex;
  readonly boost: BoostIndex;
  readonly vectors: VectorIndex | null;
}

/**
 * Everything that is searched, in memory: who is in which row, and the indexes over rows. It only follows the record:
 * nothing here is the truth, and nothing here fails on what the record has accepted.
 */
export class SearchIndex {
  readonly table = new UnitTable();
  readonly keyword: KeywordIndex;
  readonly boost: BoostIndex;
  /** Null for an engine without an embedder. */
  readonly vectors: VectorIndex | null;
  readonly #filter = new RowFilter(this.table);
  /** Rows that want a vector and have none. */
  readonly #waiting = new Bitset();
  #waitingCount = 0;

  constructor(embedder: EmbedderIdentity | null, parts: Partial<SearchIndexParts> = {}) {
    this.keyword = parts.keyword ?? new KeywordIndex();
    this.boost = parts.boost ?? new BoostIndex();
    this.vectors = parts.vectors ?? (embedder === null ? null : new VectorIndex(embedder.dimensions));
  }

  get waitingCount(): number {
    return this.#waitingCount;
  }

  /** Rising, so that a queue worked off in this order goes on where it stopped. */
  waitingRows(): Iterable<number> {
    return this.#waiting;
  }

  isWaiting(row: number): boolean {
    return this.#waiting.has(row);
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
    for (const { row, textHash } of entity.units) this.#updateWaiting(row, textHash);
  }

  /** The text of its rows must have been removed. */
  deleteEntity(id: EntityId): void {
    this.#forget(id, new Set());
    this.table.delete(id);
  }

  /** The row's entity must have been set. */
  addText(row: number, unit: AnalysedUnit): void {
    const kind = this.table.unitAt(row)?.kind ?? 'card';
    const card = this.table.ownerOf(row)?.units.find((other) => other.kind === 'card');
    this.keyword.add(row, unit);
    this.boost.add(row, unit, { cardRow: card?.row ?? row, kind });
  }

  /** `unit` is what was added. */
  removeText(row: number, unit: AnalysedUnit): void {
    this.keyword.remove(row, unit);
    this.boost.remove(row, unit);
  }

  setVector(row: number, vector: Float32Array): void {
    this.vectors?.set(row, vector);
    this.#updateWaiting(row, '');
  }

  deleteVector(row: number): void {
    this.vectors?.delete(row);
    this.#updateWaiting(row, this.table.unitAt(row)?.textHash ?? '');
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
            ? this.keyword.search(text, { ...options, ...weights })
            : this.#best(few, this.keyword.scoreRows(text, few, weights), limit);
        return this.#toHits(found, explain ? (row) => this.keyword.explain(text, row, weights) : null);
      }
      case 'boost': {
        const tokens = boostTokens(text);
        const found = this.boost.search(tokens, options);
        return this.#toHits(found, explain ? (row) => this.boost.explain(tokens, row) : null);
      }
      case 'constant': {
        const rows = [...eligible];
        const found = this.#best(rows, new Array(rows.length).fill(1), limit);
        return this.#toHits(found, explain ? () => leaf('constant', 1) : null);
      }
    }
  }

  searchVector({ vector, filter, limit }: VectorQuery): RankedList {
    if (this.vectors === null) return [];
    const eligible = this.#filter.rows(filter);
    return this.#toHits(this.vectors.search(vector, { eligible, limit, compareRows: this.table.compareRows }), null);
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
      this.vectors?.delete(unit.row);
      this.#updateWaiting(unit.row, '');
    }
  }

  /** A row waits while it has a text to embed, an embedder to embed it, and no vector. */
  #updateWaiting(row: number, textHash: string): void {
    const isWaiting = textHash !== '' && this.vectors !== null && !this.vectors.has(row);
    if (isWaiting === this.#waiting.has(row)) return;
    if (isWaiting) this.#waiting.add(row);
    else this.#waiting.delete(row);
    this.#waitingCount += isWaiting ? 1 : -1;
  }

  #toHits({ rows, scores }: RowScores, explain: ((row: number) => Explanation) | null): RankedList {
    const hits: UnitHit[] = [];
    for (let i = 0; i < rows.length; i++) {
      const row = rows[i]!;
      const unit = this.table.unitAt(row)!;
      const { id, type } = this.table.ownerOf(row)!.facts;
      const hit = { unit: unit.id, entity: id, type, kind: unit.kind, title: unit.title, score: scores[i]! };
      hits.push(explain === null ? hit : { ...hit, detail: explain(row) });
    }
    return hits;
  }
}
