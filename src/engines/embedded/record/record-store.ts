import { randomUUID } from 'node:crypto';
import type { EmbedderIdentity } from '../../../model/embedder-identity.ts';
import { type EntityId, splitEntityId } from '../../../model/entity.ts';
import type { Unit } from '../../../model/entity-parts/unit.ts';
import type { EntityFacts } from '../../../model/query/filter.ts';
import { atOnce, oneSlice, type Sliced } from '../../in-slices.ts';
import type { IndexedUnit } from '../../store.ts';
import { fromStoredText, toStoredText } from '../../stored-text.ts';
import type { UnitRow } from '../index/unit-table.ts';
import { AnnotationRecord } from './annotation-record.ts';
import type { Database, RunAlone } from './database.ts';
import { fromStoredEmbedText, toStoredEmbedText } from './embed-text.ts';
import { prepareStatements, type Statements } from './statements.ts';
import { toUnitRow, toVector, type UnitHeading, type VectorCell } from './stored-cells.ts';

/** Times that a write brings along; null: as usual. */
export interface GivenTimes {
  readonly createdAt: string | null;
  readonly updatedAt: string | null;
}

interface EntityCells {
  readonly no: number;
  readonly facts: EntityFacts;
  readonly json: string;
  readonly times: GivenTimes;
}

/** A stored entity, not parsed. */
export type StoredDocument = readonly [no: number, createdAt: string, updatedAt: string, json: string];

/**
 * The record: every statement that reads or writes entities, units and vectors. Rows and numbers are chosen by the caller.
 *
 * Each write has a sequence number. While a snapshot of the index exists, the record also keeps what is needed to
 * bring that snapshot up to date: which entities are gone since, and what the snapshot holds at rows that changed.
 */
export class RecordStore {
  readonly annotations: AnnotationRecord;
  readonly #database: Database;
  /** The number of each embedder by its id. Vectors refer to it. */
  readonly #embedders: Map<string, number>;
  readonly #sql: Statements;
  #readsBeside: Statements | null = null;
  #seq: number;
  #snapshot: string | null;

  constructor(database: Database) {
    this.#database = database;
    this.#sql = prepareStatements(database);
    this.annotations = new AnnotationRecord(this.#sql, () => this.#reads);
    this.#seq = Number(this.#meta('seq') ?? 0);
    this.#snapshot = this.#meta('snapshot');
    this.#embedders = new Map(
      Array.from(this.#sql.embedders.iterate<{ no: number; id: string }>(), (e) => [e.id, e.no]),
    );
  }

  /** Whether new embedders, snapshots and analyses are kept only in memory. */
  get isReadOnly(): boolean {
    return this.#database.isReadOnly;
  }

  /** The id of the embedder whose vectors are searched; null if the store never had one. */
  get served(): string | null {
    return this.#meta('embedder');
  }

  /** Where this copy stands in the record that it follows, as it was stored; null for a store of its own. */
  get copyPosition(): string | null {
    return this.#meta('copy');
  }

  /** A name of this store that no other one has; null in a store that is only read and has none. */
  ownId(): string | null {
    const known = this.#meta('id');
    if (known !== null || this.isReadOnly) return known;
    const id = randomUUID();
    this.write(() => this.#sql.setMeta.run('id', id));
    return id;
  }

  /** Call it inside a transaction. */
  setCopyPosition(position: string): void {
    this.#sql.setMeta.run('copy', position);
  }

  /** Call it inside a transaction. */
  dropCopyPosition(): void {
    this.#sql.dropMeta.run('copy');
  }

  /** Which embedders have a vector in a row. */
  embeddersOf(row: number): readonly string[] {
    return Array.from(this.#reads.embeddersOf.iterate<{ id: string }>(row), ({ id }) => id);
  }

  /** Call it before the first vector of an embedder, and outside `write`, which would undo it on failure. */
  addEmbedder({ id }: Pick<EmbedderIdentity, 'id'>): void {
    if (this.#embedders.has(id) || this.isReadOnly) return;
    this.#embedders.set(
      id,
      this.write(() => this.#sql.addEmbedder.get<{ no: number }>(id)!.no),
    );
  }

  /** Sets the embedder whose vectors are searched. */
  serve(embedder: EmbedderIdentity): void {
    this.addEmbedder(embedder);
    if (this.served !== embedder.id && !this.isReadOnly)
      this.write(() => this.#sql.setMeta.run('embedder', embedder.id));
  }

  /** Every embedder that ever had vectors here. */
  get embedders(): readonly string[] {
    return [...this.#embedders.keys()];
  }

  vectorCount(embedder: string): number {
    return this.#reads.countVectors.get<{ count: number }>(this.#noOf(embedder))?.count ?? 0;
  }

  *rowsWithVector(embedder: string): Generator<number> {
    const found = this.#reads.unitsWithVector.iterate<{ unit: number }>(this.#noOf(embedder));
    for (const { unit } of found) yield unit;
  }

  /** Of any embedder; -1 without vectors. */
  lastRowWithVector(): number {
    return this.#reads.lastUnitWithVector.get<{ unit: number | null }>()?.unit ?? -1;
  }

  /** The same as `rowsWithVector` for those who want all of them. */
  *allRowsWithVector(embedder: string): Generator<number> {
    const found = this.#reads.allUnitsWithVector.iterate<{ unit: number }>(this.#noOf(embedder));
    for (const { unit } of found) yield unit;
  }

  /** Increases with every write. */
  get seq(): number {
    return this.#seq;
  }

  /** The name of the one snapshot that this record can bring up to date; null when there is none. */
  get snapshot(): string | null {
    return this.#snapshot;
  }

  /** Runs the work in one transaction. */
  write<T>(work: (seq: number) => T): T {
    return atOnce(this.writeInSlices((seq) => oneSlice(() => work(seq))));
  }

  /**
   * The same for work in slices. Until `onCommit`, which runs once the commit is done, readers see what was there before. The
   * write is acknowledged after the last slice. No other write may begin before that.
   */
  *writeInSlices<T>(work: (seq: number) => Sliced<T>, onCommit: (result: T) => void = () => {}): Sliced<T> {
    const seq = this.#seq + 1;
    const committed = (result: T) => {
      this.#seq = seq;
      onCommit(result);
    };
    const numbered = () => {
      this.#sql.setMeta.run('seq', String(seq));
      return work(seq);
    };
    return yield* this.#database.slicedTransaction(numbered, committed);
  }

  /** The statements that read: of this connection or, between the slices of a write, of the one beside it. */
  get #reads(): Statements {
    if (!this.#database.isBetweenSlices) return this.#sql;
    this.#readsBeside ??= prepareStatements(this.#database.beside);
    return this.#readsBeside;
  }

  /** How to copy the log into the database between two writes. */
  copyLogIn(alone: RunAlone): void {
    this.#database.observer?.runIn(alone);
  }

  /** Names a new snapshot, and drops what was kept for the old one. */
  startSnapshot(): string {
    const name = randomUUID();
    this.#setSnapshot(name);
    return name;
  }

  /** Forgets the snapshot, and drops what was kept for it. */
  dropSnapshot(): void {
    if (this.#snapshot !== null && !this.isReadOnly) this.#setSnapshot(null);
  }

  /** Keeps the time of creation of an entity that exists, unless one is given. */
  putEntity({ no, facts, json, times }: EntityCells, now: string, seq: number): void {
    const { id, type: _, ...rest } = facts;
    const { createdAt, updatedAt } = times;
    const stamps = [createdAt ?? now, updatedAt ?? now] as const;
    this.#sql.putEntity.run(no, toStoredText(id), seq, ...stamps, JSON.stringify(rest), json, createdAt);
  }

  deleteEntity(no: number): void {
    if (this.#snapshot !== null) {
      this.#sql.retireUnitsOf.run(no);
      this.#sql.logDeletion.run(no);
    }
    this.#sql.deleteEntity.run(no);
  }

  /** `fields`: those of the unit as JSON. */
  putUnit(row: number, entityNo: number, unit: IndexedUnit, fields: string): void {
    if (this.#snapshot !== null) this.#sql.retireUnit.run(row);
    const { key, kind, title, textHash } = unit;
    const heading = [row, entityNo, toStoredText(key), kind, toStoredText(title), textHash] as const;
    this.#sql.putUnit.run(...heading, toStoredEmbedText(unit), fields);
  }

  deleteUnit(row: number): void {
    if (this.#snapshot !== null) this.#sql.retireUnit.run(row);
    this.#sql.deleteUnit.run(row);
  }

  putVector(row: number, { id }: Pick<EmbedderIdentity, 'id'>, vector: Float32Array, seq: number): void {
    const bytes = new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength);
    this.#sql.putVector.run(row, this.#noOf(id), seq, bytes);
  }

  deleteVector(row: number, embedder: string): void {
    this.#sql.deleteVector.run(row, this.#noOf(embedder));
  }

  /** Of every embedder, because the text has changed. */
  deleteVectors(row: number): void {
    this.#sql.deleteVectors.run(row);
  }

  /** Stored documents by their numbers, in the order asked; numbers that no entity has are left out. */
  readEntities(numbers: readonly number[]): readonly StoredDocument[] {
    return this.#reads.readEntities.all<StoredDocument>(JSON.stringify(numbers));
  }

  embedTextOf(row: number): string {
    const stored = this.#reads.embedTextOf.get<{ embed_text: string; fields: string }>(row);
    return stored === undefined ? '' : fromStoredEmbedText(stored.embed_text, stored.fields);
  }

  /** As JSON. */
  textOf(row: number): string | undefined {
    return this.#reads.fieldsOf.get<{ fields: string }>(row)?.fields;
  }

  fieldsOf(row: number): Unit['fields'] | undefined {
    const text = this.textOf(row);
    return text === undefined ? undefined : JSON.parse(text);
  }

  /** The fields that the snapshot has for a row. */
  snapshotFieldsOf(row: number): Unit['fields'] | undefined {
    const retired = this.#reads.retiredFieldsOf.get<{ fields: string }>(row);
    return retired === undefined ? this.fieldsOf(row) : JSON.parse(retired.fields);
  }

  *entitiesSince(seq: number): Generator<{ readonly no: number; readonly facts: EntityFacts }> {
    for (const { no, id, facts } of this.#reads.entitiesSince.iterate<{ no: number; id: string; facts: string }>(seq)) {
      const entity = fromStoredText(id) as EntityId;
      yield { no, facts: { id: entity, type: splitEntityId(entity).type, memory: null, ...JSON.parse(facts) } };
    }
  }

  /** The numbers of entities that were deleted since the snapshot. */
  *deletionsSinceSnapshot(): Generator<number> {
    for (const { entity } of this.#reads.deletions.iterate<{ entity: number }>()) yield entity;
  }

  *units(owners: ReadonlyMap<number, EntityFacts>): Generator<{ readonly entityNo: number; readonly unit: UnitRow }> {
    for (const found of this.#reads.allUnits.iterate<UnitHeading>()) {
      const facts = owners.get(found.entity);
      if (facts !== undefined) yield { entityNo: found.entity, unit: toUnitRow(found, facts.id) };
    }
  }

  unitsOf(entityNo: number, id: EntityId): readonly UnitRow[] {
    return Array.from(this.#reads.unitsOf.iterate<UnitHeading>(entityNo), (found) => toUnitRow(found, id));
  }

  *allFields(): Generator<{ readonly row: number; readonly fields: Unit['fields'] }> {
    for (const { row, fields } of this.#reads.allFields.iterate<{ row: number; fields: string }>()) {
      yield { row, fields: JSON.parse(fields) };
    }
  }

  /** Skips vectors of another length: their units wait for a new vector. */
  *vectors({ id, dimensions }: EmbedderIdentity): Generator<{ readonly row: number; readonly vector: Float32Array }> {
    for (const found of this.#reads.vectorsOf.iterate<VectorCell>(this.#noOf(id))) {
      const vector = toVector(found.vector);
      if (vector.length === dimensions) yield { row: found.unit, vector };
    }
  }

  vectorOf(row: number, { id, dimensions }: EmbedderIdentity): Float32Array | undefined {
    const found = this.#reads.vectorOf.get<VectorCell>(row, this.#noOf(id));
    const vector = found === undefined ? undefined : toVector(found.vector);
    return vector?.length === dimensions ? vector : undefined;
  }

  #setSnapshot(name: string | null): void {
    this.#database.transaction(() => {
      if (name === null) this.#sql.dropMeta.run('snapshot');
      else this.#sql.setMeta.run('snapshot', name);
      this.#sql.dropDeletions.run();
      this.#sql.dropRetired.run();
    });
    this.#snapshot = name;
  }

  /** 0 for an unknown embedder: no vector has this number. */
  #noOf(embedder: string): number {
    return this.#embedders.get(embedder) ?? 0;
  }

  #meta(key: string): string | null {
    return this.#reads.meta.get<{ value: string }>(key)?.value ?? null;
  }
}
