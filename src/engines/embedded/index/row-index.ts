import type { EmbedderIdentity } from '../../../model/embedder-identity.ts';
import type { EntityId } from '../../../model/entity.ts';
import type { Unit } from '../../../model/entity-parts/unit.ts';
import type { Filter, ViewClauses } from '../../../model/query/filter.ts';
import type { Bitset } from '../../../search/filter/bitset.ts';
import { RowFilter } from '../../../search/filter/row-filter.ts';
import { BoostIndex } from '../../../search/keyword/boost/boost-index.ts';
import { KeywordIndex } from '../../../search/keyword/keyword-index.ts';
import type { PreparedChange } from '../../../search/keyword/postings/prepared-change.ts';
import { type WordPairs, wordPairs } from '../../../search/text/adjacent-words.ts';
import type { AnalyzedUnit } from '../../../search/text/analyzed-unit.ts';
import type { VectorIndexOptions } from '../../../search/vector/vector-index.ts';
import type { Sliced } from '../../in-slices.ts';
import type { IndexStats } from '../../index-port.ts';
import { InProcessSpace } from './in-process-space.ts';
import { type IndexView, IndexViews } from './index-views.ts';
import { RecentValues } from './recent-values.ts';
import { type EntityRow, type UnitRow, UnitTable } from './unit-table.ts';
import { NO_VECTORS, type OpenSpace, type VectorSource, type VectorSpace } from './vector-space.ts';

export type Counts = Pick<IndexStats, 'entities' | 'units' | 'vectors' | 'missingVectors' | 'unloadedVectors'>;

export interface RowIndexOptions extends VectorIndexOptions {
  /** Default: vectors are searched in this process. */
  readonly openSpace?: OpenSpace | undefined;
}

/** Up to here, terms are changed in place, in one tick of about 10 milliseconds. Preparing would move whole posting lists. */
const MAX_TERMS_IN_PLACE = 10_000;

/** Units whose neighboring words are kept, if they are not too long. Reading them takes a sixth of a search by keyword. */
const MAX_READ_UNITS = 256;
const MAX_KEPT_WORDS = 1000;

/** The text of a row before and after a write; null: none. */
export interface RowText extends Pick<UnitRow, 'row' | 'kind'> {
  /** The row of its entity's card. */
  readonly cardRow: number;
  readonly before: AnalyzedUnit | null;
  readonly after: AnalyzedUnit | null;
}

/** What an index begins with. */
export interface RowIndexParts {
  readonly keyword: KeywordIndex;
  readonly boost: BoostIndex;
  /**
   * Vectors that are searched in this process are loaded before anything else. Reading them makes V8 collect garbage again and
   * again, which takes longer the more there is besides.
   */
  readonly vectors: VectorSource;
}

/**
 * Everything that is searched, in memory: the table of rows and the indexes over them. It follows the record, and accepts
 * whatever the record has accepted.
 */
export class RowIndex {
  readonly table = new UnitTable();
  readonly keyword: KeywordIndex;
  readonly boost: BoostIndex;
  /** Searched by default; null without an embedder. */
  #serving: VectorSpace | null;
  /** Searched after `serveBuilding`. */
  #building: VectorSpace | null = null;
  /** Searched before `serveBuilding`. Kept for queries that have already begun. */
  #retired: VectorSpace | null = null;
  /** A changed unit has a row object of its own, so nothing here is out of date. */
  readonly #pairs = new RecentValues<WordPairs, UnitRow>(MAX_READ_UNITS);
  readonly #options: RowIndexOptions;
  readonly #filter = new RowFilter(this.table);
  readonly #views: IndexViews;

  constructor(embedder: EmbedderIdentity | null, parts: Partial<RowIndexParts> = {}, options: RowIndexOptions = {}) {
    this.keyword = parts.keyword ?? new KeywordIndex();
    this.boost = parts.boost ?? new BoostIndex();
    this.#options = options;
    this.#views = new IndexViews(this);
    this.#serving = embedder === null ? null : this.#open(embedder);
    if (parts.vectors !== undefined && this.#serving?.remote === null) this.#serving.loadAll(parts.vectors);
  }

  get serving(): VectorSpace | null {
    return this.#serving;
  }

  get building(): VectorSpace | null {
    return this.#building;
  }

  get retired(): VectorSpace | null {
    return this.#retired;
  }

  /** The space of an embedder, by its id; the one that is served when none is named. */
  space(embedder: string | undefined): VectorSpace | null {
    if (embedder === undefined) return this.#serving;
    for (const space of [this.#serving, this.#building, this.#retired]) {
      if (space?.embedder.id === embedder) return space;
    }
    return null;
  }

  /** Starts a new space beside the served one. Every unit waits for a vector in it. Null: ends the build. */
  build(embedder: EmbedderIdentity | null): void {
    this.#building?.drop();
    this.#building = embedder === null ? null : this.#open(embedder);
    for (const { units } of this.table.entities()) {
      for (const { row, textHash } of units) this.#building?.update(row, textHash);
    }
  }

  serveBuilding(): void {
    if (this.#building === null) return;
    this.#retired?.drop();
    this.#retired = this.#serving;
    this.#serving = this.#building;
    this.#building = null;
  }

  dropRetired(): void {
    this.#retired?.drop();
    this.#retired = null;
  }

  /**
   * Puts an entity in place of its older version. Rows in both keep their text and vector until those are replaced;
   * the text of every other old row must have been removed.
   */
  setEntity(entity: EntityRow): void {
    this.#views.invalidate();
    const old = this.table.entity(entity.facts.id);
    if (old !== undefined) this.#forget(old, new Set(entity.units.map((unit) => unit.row)));
    this.table.set(entity);
    this.#filter.add(entity.facts, entity.units);
    for (const space of this.#spaces()) {
      for (const { row, textHash } of entity.units) space.update(row, textHash);
    }
  }

  /** The text of its rows must have been removed. */
  deleteEntity(id: EntityId): void {
    this.#views.invalidate();
    const old = this.table.entity(id);
    if (old !== undefined) this.#forget(old, new Set());
    this.table.delete(id);
  }

  /** The row's entity must have been set. */
  addText(row: number, unit: AnalyzedUnit): void {
    const kind = this.table.unitAt(row)?.kind ?? 'card';
    const card = this.table.cardOf(row);
    this.#add(row, unit, { kind, cardRow: card < 0 ? row : card });
  }

  #add(row: number, unit: AnalyzedUnit, place: Pick<RowText, 'kind' | 'cardRow'>): void {
    this.#views.invalidate();
    this.keyword.add(row, unit);
    this.boost.add(row, unit, place);
  }

  /** `unit` is what was added. */
  removeText(row: number, unit: AnalyzedUnit): void {
    this.#views.invalidate();
    this.keyword.remove(row, unit);
    this.boost.remove(row, unit);
  }

  /**
   * Does the same as `removeText` and `addText` for many rows, in slices. Searches see nothing of it until it is applied:
   * then set the entities in the same tick.
   */
  *prepareTexts(texts: readonly RowText[]): Sliced<PreparedChange> {
    let terms = 0;
    for (const { before, after } of texts) terms += (before?.terms.length ?? 0) + (after?.terms.length ?? 0);
    if (terms <= MAX_TERMS_IN_PLACE) return this.#inPlace(texts);
    const inOrder = [...texts].sort((a, b) => a.row - b.row);
    const keyword = yield* this.keyword.prepare(inOrder);
    let boost: PreparedChange | null = null;
    try {
      boost = yield* this.boost.prepare(inOrder);
    } finally {
      if (boost === null) keyword.discard();
    }
    const both = [keyword, boost];
    return {
      apply: () => {
        this.#views.invalidate();
        for (const part of both) part.apply();
      },
      *sweep() {
        for (const part of both) yield* part.sweep();
      },
      discard: () => {
        for (const part of both) part.discard();
      },
    };
  }

  #inPlace(texts: readonly RowText[]): PreparedChange {
    const apply = () => {
      for (const { row, before } of texts) if (before !== null) this.removeText(row, before);
      for (const { row, after, kind, cardRow } of texts) if (after !== null) this.#add(row, after, { kind, cardRow });
    };
    return { apply, *sweep() {}, discard() {} };
  }

  /** In every space, because the text has changed. */
  deleteVector(row: number): void {
    const textHash = this.table.unitAt(row)?.textHash ?? '';
    for (const space of this.#spaces()) space.delete(row, textHash);
  }

  /** The rows that pass a filter. Read it before the next write and never change it. */
  eligible(filter: Filter): Bitset {
    return this.#filter.rows(filter);
  }

  presentReaders(readers: readonly string[]): readonly string[] {
    return this.#filter.presentReaders(readers);
  }

  /** The view of a filter. Use it before the next write. */
  view(filter: ViewClauses): IndexView {
    return this.#views.of(filter);
  }

  /** Whether any entity of a view has the tag. */
  hasTag(tag: string, { rows }: IndexView): boolean {
    if (rows === null) return this.#filter.hasTag(tag);
    return this.eligible({ tags: [tag] }).countWith(rows) > 0;
  }

  /** All entities, units and vectors of a view. */
  counts(space: VectorSpace | null, view: IndexView): Counts {
    const { entities, units } = view;
    const { vectors, missing, unloaded } = space?.within(view) ?? NO_VECTORS;
    return { entities, units, vectors, missingVectors: missing, unloadedVectors: unloaded };
  }

  /** The neighboring words of the unit in a row, read from the record unless they were read lately. */
  pairsOf(row: number, readFields: (row: number) => Unit['fields'] | undefined): WordPairs {
    const unit = this.table.unitAt(row)!;
    const known = this.#pairs.get(unit);
    if (known !== undefined) return known;
    const pairs = wordPairs(readFields(row) ?? {});
    return pairs.length > MAX_KEPT_WORDS ? pairs : this.#pairs.add(unit, pairs);
  }

  #open(embedder: EmbedderIdentity): VectorSpace {
    return this.#options.openSpace?.(embedder, this) ?? new InProcessSpace(embedder, this.#options);
  }

  #spaces(): readonly VectorSpace[] {
    return [this.#serving, this.#building, this.#retired].filter((space) => space !== null);
  }

  #forget(old: EntityRow, kept: ReadonlySet<number>): void {
    this.#filter.remove(old.facts, old.units);
    for (const unit of old.units) {
      if (kept.has(unit.row)) continue;
      for (const space of this.#spaces()) space.delete(unit.row, '');
    }
  }
}
