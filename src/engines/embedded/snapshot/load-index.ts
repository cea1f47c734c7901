import { rmSync } from 'node:fs';
import type { EmbedderIdentity } from '../../../model/embedder-identity.ts';
import type { EntityFacts } from '../../../model/query/filter.ts';
import { analyzeUnit } from '../../../search/text/analyzed-unit.ts';
import { RowIndex, type RowIndexOptions } from '../index/row-index.ts';
import type { EntityRow, UnitRow } from '../index/unit-table.ts';
import type { RecordStore } from '../record/record-store.ts';
import type { EngineLog } from './engine-log.ts';
import { loadSnapshot } from './index-snapshot.ts';

interface LoadedIndex {
  readonly index: RowIndex;
  /** Units that changed since the snapshot. */
  readonly changes: number;
  /** No snapshot could be used. */
  readonly isRebuilt: boolean;
}

/** Loads the index from the snapshot and the writes since, or builds it from the record. */
export function loadIndex(
  record: RecordStore,
  embedder: EmbedderIdentity | null,
  file: string,
  log: EngineLog,
  options: RowIndexOptions = {},
): LoadedIndex {
  const loaded = loadInProcess(record, embedder, file, log, options);
  const { serving } = loaded.index;
  if (serving !== null && serving.remote !== null) serving.loadAll(record);
  return loaded;
}

/** Everything but vectors that a server searches. */
function loadInProcess(
  record: RecordStore,
  embedder: EmbedderIdentity | null,
  file: string,
  log: EngineLog,
  options: RowIndexOptions,
): LoadedIndex {
  if (record.snapshot !== null) {
    try {
      const { index, seq } = loadSnapshot(file, record.snapshot, embedder, record, options);
      return { index, changes: replay(record, index, embedder, seq), isRebuilt: false };
    } catch (error) {
      log.warn({ file, reason: error instanceof Error ? error.message : String(error) }, 'Index snapshot not used');
      record.dropSnapshot();
      if (!record.isReadOnly) rmSync(file, { force: true, recursive: true });
    }
  }
  const index = rebuild(record, embedder, options);
  return { index, changes: index.table.unitCount, isRebuilt: true };
}

/** Brings the index of a snapshot up to date. */
function replay(record: RecordStore, index: RowIndex, embedder: EmbedderIdentity | null, seq: number): number {
  let changes = 0;
  const isRemote = index.serving !== null && index.serving.remote !== null;
  const takeOut = (entity: EntityRow) => {
    for (const { row } of entity.units) {
      const fields = record.snapshotFieldsOf(row);
      if (fields === undefined) throw new Error(`the record has lost what row ${row} held`);
      index.removeText(row, analyzeUnit(fields));
      changes++;
    }
    index.deleteEntity(entity.facts.id);
  };

  const deleted = new Set(record.deletionsSinceSnapshot());
  const gone = deleted.size === 0 ? [] : [...index.table.entities()].filter(({ no }) => deleted.has(no));
  for (const entity of gone) takeOut(entity);

  // Remove all old versions before adding new ones: a row may have moved from one entity to another.
  const changed = [...record.entitiesSince(seq)];
  for (const { facts } of changed) {
    const old = index.table.entity(facts.id);
    if (old !== undefined) takeOut(old);
  }
  for (const { no, facts } of changed) {
    const units = record.unitsOf(no, facts.id);
    index.setEntity({ no, facts, units });
    for (const { row } of units) {
      index.addText(row, analyzeUnit(record.fieldsOf(row) ?? {}));
      const vector = embedder === null || isRemote ? undefined : record.vectorOf(row, embedder);
      if (vector !== undefined) index.serving?.load(row, vector);
      changes++;
    }
  }
  return changes;
}

function rebuild(record: RecordStore, embedder: EmbedderIdentity | null, options: RowIndexOptions): RowIndex {
  const index = new RowIndex(embedder, { vectors: record }, options);
  const owners = new Map<number, EntityFacts>();
  const units = new Map<number, UnitRow[]>();
  for (const { no, facts } of record.entitiesSince(0)) {
    owners.set(no, facts);
    units.set(no, []);
  }
  for (const { entityNo, unit } of record.units(owners)) units.get(entityNo)?.push(unit);
  for (const [no, facts] of owners) index.setEntity({ no, facts, units: units.get(no) ?? [] });

  for (const { row, fields } of record.allFields()) index.addText(row, analyzeUnit(fields));
  return index;
}
