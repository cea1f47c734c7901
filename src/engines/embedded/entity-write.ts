import type { EmbedderIdentity } from '../../model/embedder-identity.ts';
import type { EntityType } from '../../model/entity.ts';
import { entityFacts } from '../../model/query/filter.ts';
import { type AnalyzedUnit, analyzeUnit } from '../../search/text/analyzed-unit.ts';
import type { Sliced } from '../in-slices.ts';
import type { IndexedEntity, IndexedUnit } from '../store.ts';
import { type AnalyzedAhead, analyzeText, charsOf } from './analyze-ahead.ts';
import type { RowIndex, RowText } from './index/row-index.ts';
import type { EntityRow, UnitRow, UnitTable } from './index/unit-table.ts';
import type { GivenTimes, RecordStore } from './record/record-store.ts';
import { WorkSlices } from './work-slices.ts';

/** The write of one unit. */
interface UnitWrite {
  readonly unit: IndexedUnit;
  readonly row: UnitRow;
  /** The fields to store, as JSON; null if the stored unit is the same. */
  readonly text: string | null;
  /** The text to remove from the index and the text to add; null if it is unchanged. */
  readonly before: AnalyzedUnit | null;
  readonly after: AnalyzedUnit | null;
  /** Its vector is of the old text and must be deleted. */
  readonly losesVector: boolean;
}

export interface DeletedUnit extends Pick<UnitRow, 'row' | 'kind'> {
  readonly before: AnalyzedUnit;
}

/** All changes of a put of one entity. Computed before the write, so that it cannot fail half way. */
export interface EntityWrite {
  readonly entity: EntityRow;
  readonly json: string;
  readonly units: readonly UnitWrite[];
  /** Units that the entity no longer has. */
  readonly gone: readonly DeletedUnit[];
  readonly annotations: Readonly<Record<string, unknown>>;
  readonly times: GivenTimes;
}

/** Existing units keep their rows, new ones get free rows. Reads the record and changes nothing. */
export function* planWrites(
  batch: readonly IndexedEntity[],
  table: UnitTable,
  record: RecordStore,
  analyzed: AnalyzedAhead = new Map(),
): Sliced<readonly EntityWrite[]> {
  const freeRows = table.freeRows(batch.reduce((count, { units }) => count + units.length, 0)).values();
  let nextNo = table.nextNo;
  const slices = new WorkSlices();
  const planned: EntityWrite[] = [];
  for (const { entity, units, annotations = {}, createdAt = null, updatedAt = null } of batch) {
    const facts = entityFacts(entity);
    const old = table.entity(facts.id);
    const oldUnits = new Map(old?.units.map((unit) => [unit.id, unit]));
    const writes: UnitWrite[] = [];
    for (const unit of units) {
      const before = oldUnits.get(unit.id);
      const row = before?.row ?? freeRows.next().value!;
      writes.push(planUnit(unit, { type: facts.type, row, old: before, record, analyzed }));
      if (slices.isOver(charsOf(unit))) yield;
    }
    const kept = new Set(writes.map(({ row }) => row.row));
    const gone = (old?.units ?? []).filter(({ row }) => !kept.has(row));
    const json = JSON.stringify(entity);
    planned.push({
      entity: { no: old?.no ?? nextNo++, facts, units: writes.map(({ row }) => row) },
      json,
      units: writes,
      gone: yield* storedUnits(record, gone, slices),
      annotations,
      times: { createdAt, updatedAt },
    });
    if (slices.isOver(json.length)) yield;
  }
  return planned;
}

/** Units that are deleted, with what the index has of them. */
export function* storedUnits(
  record: RecordStore,
  units: readonly UnitRow[],
  slices: WorkSlices,
): Sliced<readonly DeletedUnit[]> {
  const deleted: DeletedUnit[] = [];
  for (const { row, kind } of units) {
    const text = record.textOf(row);
    if (text === undefined) throw new Error(`The record has no unit in row ${row}.`);
    deleted.push({ row, kind, before: analyzeUnit(JSON.parse(text)) });
    if (slices.isOver(text.length)) yield;
  }
  return deleted;
}

interface RecordedWith {
  readonly embedder: EmbedderIdentity | null;
  readonly now: string;
  readonly seq: number;
  readonly slices: WorkSlices;
}

interface UnitPlace {
  readonly type: EntityType;
  readonly row: number;
  readonly old: UnitRow | undefined;
  readonly record: RecordStore;
  readonly analyzed: AnalyzedAhead;
}

/** Checks whether each unit is indexed with the same text already. The units of an entity come one after the other. */
export function unchangedUnits(table: UnitTable, record: RecordStore): (unit: IndexedUnit) => boolean {
  let entity: IndexedUnit['entity'] | undefined;
  let units: ReadonlyMap<string, UnitRow> = new Map();
  return (unit) => {
    if (unit.entity !== entity) {
      entity = unit.entity;
      units = new Map(table.entity(entity)?.units.map((row) => [row.id, row]));
    }
    const old = units.get(unit.id);
    return old?.kind === unit.kind && record.textOf(old.row) === JSON.stringify(unit.fields);
  };
}

function planUnit(unit: IndexedUnit, { type, row, old, record, analyzed }: UnitPlace): UnitWrite {
  const { id, entity, kind, title, textHash } = unit;
  const next: UnitRow = { row, id, entity, type, kind, title, textHash, actions: null };
  const losesVector = old !== undefined && old.textHash !== textHash;
  const stored = old === undefined ? undefined : record.textOf(row);
  // Analyzing costs ten times as much as reading, and most units of a repeated import are unchanged.
  if (old?.kind === kind && stored !== undefined && stored === JSON.stringify(unit.fields)) {
    const isSame = old.title === title && !losesVector;
    return { unit, row: next, text: isSame ? null : stored, before: null, after: null, losesVector };
  }
  const { unit: after, text } = analyzed.get(unit) ?? analyzeText(unit);
  const before = stored === undefined ? null : analyzeUnit(JSON.parse(stored));
  return { unit, row: next, text, before, after, losesVector };
}

/** Call it inside a transaction of the record. */
export function* recordWrite(
  { entity, json, units, gone, annotations, times }: EntityWrite,
  record: RecordStore,
  { embedder, now, seq, slices }: RecordedWith,
): Sliced<void> {
  record.putEntity({ no: entity.no, facts: entity.facts, json, times }, now, seq);
  for (const [key, value] of Object.entries(annotations)) record.annotations.put(entity.no, key, value);
  if (slices.isOver(json.length)) yield;
  for (const { row } of gone) {
    record.deleteUnit(row);
    if (slices.isOver(0)) yield;
  }
  for (const { unit, row, text, losesVector } of units) {
    if (text !== null) record.putUnit(row.row, entity.no, unit, text);
    if (losesVector) record.deleteVectors(row.row);
    if (unit.vector !== undefined && embedder !== null) record.putVector(row.row, embedder, unit.vector, seq);
    if (slices.isOver(text === null ? 0 : text.length)) yield;
  }
}

/** The texts that a write changes. */
export function* textsOf({ entity, units, gone }: EntityWrite): Generator<RowText> {
  const cardRow = entity.units.find(({ kind }) => kind === 'card')!.row;
  for (const { row, kind, before } of gone) yield { row, kind, cardRow, before, after: null };
  for (const { row, before, after } of units) {
    if (before !== null || after !== null) yield { row: row.row, kind: row.kind, cardRow, before, after };
  }
}

/** Call it after the transaction and after the change of the texts. Cannot fail, because everything was checked before. */
export function applyWrite({ entity, units }: EntityWrite, index: RowIndex): void {
  index.setEntity(entity);
  for (const { unit, row, losesVector } of units) {
    if (losesVector) index.deleteVector(row.row);
    if (unit.vector !== undefined) index.serving?.set(row.row, unit.vector);
  }
}
