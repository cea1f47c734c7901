import type { EmbedderIdentity } from '../../model/embedder-identity.ts';
import type { EntityType } from '../../model/entity.ts';
import { entityFacts } from '../../model/filter.ts';
import { type AnalyzedUnit, analyzeUnit } from '../../search/text/analyzed-unit.ts';
import { decodeAnalyzedUnit, encodeAnalyzedUnit } from '../../search/text/analyzed-unit-codec.ts';
import { ANALYZER_VERSION } from '../../search/text/analyzer.ts';
import type { IndexedEntity, IndexedUnit } from '../store.ts';
import type { RecordStore, StoredText } from './record/record-store.ts';
import type { RowIndex } from './row-index.ts';
import type { EntityRow, UnitRow, UnitTable } from './unit-table.ts';

/** One unit of a write, next to what is there now. */
interface UnitWrite {
  readonly unit: IndexedUnit;
  readonly row: UnitRow;
  /** What the record must store; null where it has the unit just so. */
  readonly text: StoredText | null;
  /** What the index must take out and take in; null where the text is the same as before. */
  readonly before: AnalyzedUnit | null;
  readonly after: AnalyzedUnit | null;
  /** The vector it had was made from another text. */
  readonly losesVector: boolean;
}

/** All that changes when one entity is put: worked out first, so that writing cannot fail half way. */
export interface EntityWrite {
  readonly entity: EntityRow;
  readonly json: string;
  readonly units: readonly UnitWrite[];
  /** Units that the entity no longer has. */
  readonly gone: readonly { readonly row: number; readonly before: AnalyzedUnit }[];
  readonly annotations: Readonly<Record<string, unknown>>;
}

/** Units that stay keep their rows; new ones get free rows. Reads the record, changes nothing. */
export function planWrites(
  batch: readonly IndexedEntity[],
  table: UnitTable,
  record: RecordStore,
): readonly EntityWrite[] {
  const freeRows = table.freeRows(batch.reduce((count, { units }) => count + units.length, 0)).values();
  let nextNo = table.nextNo;
  return batch.map(({ entity, units, annotations = {} }) => {
    const facts = entityFacts(entity);
    const old = table.entity(facts.id);
    const oldUnits = new Map(old?.units.map((unit) => [unit.id, unit]));
    const writes = units.map((unit) => {
      const before = oldUnits.get(unit.id);
      return planUnit(unit, facts.type, before?.row ?? freeRows.next().value!, before, record);
    });
    const kept = new Set(writes.map(({ row }) => row.row));
    const gone = (old?.units ?? []).filter(({ row }) => !kept.has(row));
    return {
      entity: { no: old?.no ?? nextNo++, facts, units: writes.map(({ row }) => row) },
      json: JSON.stringify(entity),
      units: writes,
      gone: gone.map(({ row }) => ({ row, before: storedUnit(record, row) })),
      annotations,
    };
  });
}

function planUnit(
  unit: IndexedUnit,
  type: EntityType,
  row: number,
  old: UnitRow | undefined,
  record: RecordStore,
): UnitWrite {
  const { id, entity, kind, title, textHash } = unit;
  const next = { row, id, entity, type, kind, title, textHash };
  const fields = JSON.stringify(unit.fields);
  const losesVector = old !== undefined && old.textHash !== textHash;
  const stored = old === undefined ? undefined : record.textOf(row);
  // Analyzing costs ten times what reading does, and most units of an import that is run again have not changed.
  if (stored?.fields === fields && stored.analyzer === ANALYZER_VERSION && old?.kind === kind) {
    const isSame = old.title === title && !losesVector;
    return { unit, row: next, text: isSame ? null : stored, before: null, after: null, losesVector };
  }
  const after = analyzeUnit(unit.fields);
  const text = { fields, analyzer: ANALYZER_VERSION, analysis: encodeAnalyzedUnit(after) };
  const before = stored === undefined ? null : decodeAnalyzedUnit(stored.analysis);
  return { unit, row: next, text, before, after, losesVector };
}

/** What the index holds at a row: the record has it in the same words. */
export function storedUnit(record: RecordStore, row: number): AnalyzedUnit {
  const stored = record.analysisOf(row);
  if (stored === undefined) throw new Error(`The record has no unit in row ${row}.`);
  return decodeAnalyzedUnit(stored.analysis);
}

/** To be called inside a transaction of the record. */
export function recordWrite(
  { entity, json, units, gone, annotations }: EntityWrite,
  record: RecordStore,
  embedder: EmbedderIdentity | null,
  now: string,
  seq: number,
) {
  record.putEntity(entity.no, entity.facts, json, now, seq);
  for (const [key, value] of Object.entries(annotations)) record.putAnnotation(entity.no, key, value);
  for (const { row } of gone) record.deleteUnit(row);
  for (const { unit, row, text, losesVector } of units) {
    if (text !== null) record.putUnit(row.row, entity.no, unit, text);
    if (losesVector) record.deleteVectors(row.row);
    if (unit.vector !== undefined && embedder !== null) record.putVector(row.row, embedder, unit.vector, seq);
  }
}

/** To be called once the record is safe. Cannot fail: everything was checked and worked out before. */
export function applyWrite({ entity, units, gone }: EntityWrite, index: RowIndex): void {
  for (const { row, before } of gone) index.removeText(row, before);
  for (const { row, before } of units) if (before !== null) index.removeText(row.row, before);
  index.setEntity(entity);
  for (const { unit, row, after, losesVector } of units) {
    if (after !== null) index.addText(row.row, after);
    if (losesVector) index.deleteVector(row.row);
    if (unit.vector !== undefined) index.setVector(row.row, unit.vector);
  }
}
