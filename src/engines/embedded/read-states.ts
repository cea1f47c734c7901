import type { EntityId } from '../../model/entity.ts';
import type { EntityState, VectorState } from '../shared/shared-record.ts';
import type { Annotation, IndexedUnit } from '../store.ts';
import { toIdentity } from './choose-embedder.ts';
import type { EngineState } from './engine-state.ts';
import type { UnitRow } from './unit-table.ts';

/** Everything that a store has of some entities. */
export interface StoredStates {
  readonly entities: readonly EntityState[];
  readonly annotations: readonly Annotation[];
  /** Of every embedder. */
  readonly vectors: readonly VectorState[];
}

/** Ids that do not exist are left out. */
export function readStates({ record, index }: EngineState, ids: readonly EntityId[]): StoredStates {
  const entities: EntityState[] = [];
  const annotations: Annotation[] = [];
  const vectors: VectorState[] = [];
  for (const id of ids) {
    const known = index.table.entity(id);
    const [document] = known === undefined ? [] : record.readEntities([known.no]);
    if (known === undefined || document === undefined) continue;
    const [no, createdAt, updatedAt, json] = document;
    const unitOf = (row: UnitRow): IndexedUnit => ({
      id: row.id,
      entity: id,
      key: row.id.slice(id.length + 1),
      kind: row.kind,
      title: row.title,
      textHash: row.textHash,
      embedText: record.embedTextOf(row.row),
      fields: record.fieldsOf(row.row) ?? {},
    });
    entities.push({ id, json, units: known.units.map(unitOf), createdAt, updatedAt });
    for (const [key, value] of Object.entries(record.annotations.of(no))) annotations.push({ id, key, value });
    for (const { row, id: unit, textHash } of known.units) {
      for (const embedder of record.embeddersOf(row)) {
        const identity = toIdentity(embedder);
        const vector = identity === null ? undefined : record.vectorOf(row, identity);
        if (vector !== undefined) vectors.push({ unit, entity: id, embedder, textHash, vector });
      }
    }
  }
  return { entities, annotations, vectors };
}
