import { type EntityId, splitEntityId } from '../../../model/entity.ts';
import { type UnitKind, unitId } from '../../../model/entity-parts/unit.ts';
import { fromStoredText } from '../../stored-text.ts';
import type { UnitRow } from '../index/unit-table.ts';

export interface UnitHeading {
  readonly row: number;
  readonly entity: number;
  readonly key: string;
  readonly kind: UnitKind;
  readonly title: string;
  readonly text_hash: string;
}

export interface VectorCell {
  readonly unit: number;
  readonly vector: Uint8Array;
}

export function toUnitRow(found: UnitHeading, entity: EntityId): UnitRow {
  const { row, kind, text_hash: textHash } = found;
  const { type } = splitEntityId(entity);
  const id = unitId(entity, fromStoredText(found.key));
  return { row, id, entity, type, kind, title: fromStoredText(found.title), textHash, actions: null };
}

/** Little-endian, as every machine that Node runs on. */
export function toVector(bytes: Uint8Array): Float32Array {
  const aligned = bytes.byteOffset % 4 === 0 ? bytes : bytes.slice();
  return new Float32Array(aligned.buffer, aligned.byteOffset, aligned.byteLength >> 2);
}
