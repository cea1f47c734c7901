import { rmSync } from 'node:fs';
import type { EmbedderIdentity } from '../../model/embedder-identity.ts';
import type { EntityFacts } from '../../model/filter.ts';
import { type AnalyzedUnit, analyzeUnit } from '../../search/text/analyzed-unit.ts';
import { decodeAnalyzedUnit, encodeAnalyzedUnit } from '../../search/text/analyzed-unit-codec.ts';
import { ANALYZER_VERSION } from '../../search/text/analyzer.ts';
import type { EngineLog } from './engine-log.ts';
import { loadSnapshot } from './index-snapshot.ts';
import type { RecordStore, StoredAnalysis } from './record/record-store.ts';
import { RowIndex, type RowIndexOptions } from './row-index.ts';
import type { EntityRow, UnitRow } from './unit-table.ts';

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
  if (record.snapshot !== null) {
    try {
      const { index, seq, vectorSeq } = loadSnapshot(file, record.snapshot, embedder, options);
      return { index, changes: replay(record, index, embedder, seq, vectorSeq), isRebuilt: false };
    } catch (error) {
      log.warn({ file, reason: error instanceof Error ? error.message : String(error) }, 'Index snapshot not used');
      record.dropSnapshot();
      if (!record.isReadOnly) rmSync(file, { force: true, recursive: true });
    }
  }
  const index = rebuild(record, embedder, options);
  return { index, changes: index.table.unitCount, isRebuilt: true };
}

/** Brings the index of a snapshot up to date. Nothing is analyzed or embedded again: both are in the record. */
function replay(
  record: RecordStore,
  index: RowIndex,
  embedder: EmbedderIdentity | null,
  seq: number,
  vectorSeq: number,
): number {
  let changes = 0;
  const isRemote = index.serving !== null && index.serving.remote !== null;
  const takeOut = (entity: EntityRow) => {
    for (const { row } of entity.units) {
      const bytes = record.retiredAnalysisOf(row) ?? record.analysisOf(row)?.analysis;
      if (bytes === undefined) throw new Error(`the record has lost what row ${row} held`);
      index.removeText(row, decodeAnalyzedUnit(bytes));
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
      const stored = record.analysisOf(row);
      if (stored?.analyzer !== ANALYZER_VERSION) throw new Error('the record was made with another analyzer');
      index.addText(row, decodeAnalyzedUnit(stored.analysis));
      const vector = embedder === null || isRemote ? undefined : record.vectorOf(row, embedder);
      if (vector !== undefined) index.serving?.load(row, vector);
      changes++;
    }
  }
  return changes + (index.serving?.loadSince(record, vectorSeq) ?? 0);
}

function rebuild(record: RecordStore, embedder: EmbedderIdentity | null, options: RowIndexOptions): RowIndex {
  const index = new RowIndex(embedder, {}, options);
  const owners = new Map<number, EntityFacts>();
  const units = new Map<number, UnitRow[]>();
  for (const { no, facts } of record.entitiesSince(0)) {
    owners.set(no, facts);
    units.set(no, []);
  }
  for (const { entityNo, unit } of record.units(owners)) units.get(entityNo)?.push(unit);
  for (const [no, facts] of owners) index.setEntity({ no, facts, units: units.get(no) ?? [] });

  const stale: { readonly row: number; readonly fresh: StoredAnalysis }[] = [];
  for (const stored of record.analyses()) {
    const { row } = stored;
    const known = toAnalyzedUnit(stored);
    const unit = known ?? analyzeUnit(record.fieldsOf(row) ?? {});
    if (known === null) stale.push({ row, fresh: { analyzer: ANALYZER_VERSION, analysis: encodeAnalyzedUnit(unit) } });
    index.addText(row, unit);
  }
  if (stale.length > 0 && !record.isReadOnly) {
    record.write(() => {
      for (const { row, fresh } of stale) record.putAnalysis(row, fresh);
    });
  }
  index.serving?.loadSince(record, 0);
  return index;
}

/** Null if it is of another analyzer version or cannot be read. The text can be analyzed again. */
function toAnalyzedUnit({ analyzer, analysis }: StoredAnalysis): AnalyzedUnit | null {
  if (analyzer !== ANALYZER_VERSION) return null;
  try {
    return decodeAnalyzedUnit(analysis);
  } catch {
    return null;
  }
}
