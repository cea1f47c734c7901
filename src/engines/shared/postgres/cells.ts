import type { HashedKey } from '../../../model/caller/stored-key.ts';
import type { EmbedderIdentity } from '../../../model/embedder-identity.ts';
import type { EntityId } from '../../../model/entity.ts';
import type { Edge, EdgeType } from '../../../model/entity-parts/edge.ts';
import { type UnitId, type UnitKind, unitId } from '../../../model/entity-parts/unit.ts';
import type { ReindexState } from '../../replica.ts';
import type { EdgeState, EmbedderStates, OwnedVector, RecordHead, RecordKeys } from '../../shared-record.ts';
import type { Annotation, IndexedUnit } from '../../store.ts';
import { fromStoredText } from '../../stored-text.ts';

/** Rows as the database gives them, and what they mean. PostgreSQL takes no NUL and no half surrogate: see `stored-text.ts`. */

export interface HeadCells {
  /** The version of the tables. */
  readonly version: string;
  readonly id: string;
  readonly epoch: string;
  readonly seq: string;
  readonly tip: string;
  readonly purged: string;
  readonly keys: string;
  readonly served: string | null;
  readonly served_dimensions: string | null;
  readonly building: string | null;
  readonly building_dimensions: string | null;
  readonly reindex: string | null;
}

/** A key beside the name of all keys. Of a record without keys one row comes, without a hash. */
export interface KeyCells {
  readonly tip: string;
  readonly hash: string | null;
  readonly id: string;
  readonly name: string;
  readonly groups: string;
  readonly scopes: string;
  readonly servers: string | null;
  readonly created_at: string;
  readonly expires_at: string | null;
  readonly revoked_at: string | null;
}

export interface EntityCells {
  readonly id: string;
  readonly created_at: string;
  readonly updated_at: string;
  /** Null for an entity that was deleted. */
  readonly json: string | null;
  readonly units: string | null;
}

export interface AnnotationCells {
  readonly entity: string;
  readonly key: string;
  readonly value: string | null;
}

export interface VectorCells {
  readonly unit: string;
  readonly entity: string;
  readonly embedder: string;
  readonly text_hash: string;
  readonly is_live: boolean;
  readonly vector: Uint8Array | null;
}

export interface EdgeCells {
  readonly source: string;
  readonly target: string;
  readonly type: string;
  readonly provenance: string;
  readonly is_deleted: boolean;
  readonly numbers: string;
}

type UnitCells = readonly [
  key: string,
  kind: UnitKind,
  title: string,
  textHash: string,
  embedText: string,
  fields: object,
];

export function unitsToJson(units: readonly IndexedUnit[]): string {
  return JSON.stringify(
    units.map(({ key, kind, title, textHash, embedText, fields }): UnitCells => {
      return [key, kind, title, textHash, embedText, fields];
    }),
  );
}

export function unitsFromJson(entity: EntityId, json: string): readonly IndexedUnit[] {
  return (JSON.parse(json) as readonly UnitCells[]).map(([key, kind, title, textHash, embedText, fields]) => ({
    id: unitId(entity, key),
    entity,
    key,
    kind,
    title,
    textHash,
    embedText,
    fields: fields as IndexedUnit['fields'],
  }));
}

export const toKeys = (rows: readonly KeyCells[]): RecordKeys => ({
  tip: rows[0]!.tip,
  keys: rows.flatMap((row) => (row.hash === null ? [] : [toKey(row, row.hash)])),
});

const toKey = (row: KeyCells, hash: string): HashedKey => ({
  hash,
  id: row.id,
  name: row.name,
  groups: JSON.parse(row.groups) as HashedKey['groups'],
  scopes: JSON.parse(row.scopes) as HashedKey['scopes'],
  servers: row.servers === null ? null : (JSON.parse(row.servers) as readonly string[]),
  created_at: row.created_at,
  expires_at: row.expires_at,
  revoked_at: row.revoked_at,
});

export const toHead = ({ id, epoch, seq, tip, purged, keys }: HeadCells): RecordHead => ({
  record: id,
  epoch,
  seq: Number(seq),
  tip,
  purged: Number(purged),
  keys,
});

export function toEmbedders(head: HeadCells): EmbedderStates {
  return {
    served: toIdentity(head.served, head.served_dimensions),
    building: toIdentity(head.building, head.building_dimensions),
  };
}

/** Ids have NULs and half surrogates, and JSON escapes them. */
export const reindexToJson = (state: ReindexState): string => JSON.stringify(state);
export const toReindex = ({ reindex }: HeadCells): ReindexState | null =>
  reindex === null ? null : (JSON.parse(reindex) as ReindexState);

const toIdentity = (id: string | null, dimensions: string | null): EmbedderIdentity | null =>
  id === null ? null : { id: fromStoredText(id), dimensions: Number(dimensions) };

export function toVector(cells: VectorCells): OwnedVector {
  return {
    unit: fromStoredText(cells.unit) as UnitId,
    entity: fromStoredText(cells.entity) as EntityId,
    embedder: fromStoredText(cells.embedder),
    textHash: cells.text_hash,
    vector: cells.vector === null ? null : toNumbers(cells.vector),
  };
}

export function toAnnotation({ entity, key, value }: AnnotationCells): Annotation {
  return {
    id: fromStoredText(entity) as EntityId,
    key: fromStoredText(key),
    value: value === null ? null : JSON.parse(value),
  };
}

/** Little-endian, as every machine that Node runs on. */
export const toBytes = ({ buffer, byteOffset, byteLength }: Float32Array): Buffer =>
  Buffer.from(buffer as ArrayBuffer, byteOffset, byteLength);

/** Not a copy: the driver makes a buffer for each cell, and writes to none of them later. */
function toNumbers(bytes: Uint8Array): Float32Array {
  const { buffer, byteOffset, byteLength } = bytes.byteOffset % 4 === 0 ? bytes : new Uint8Array(bytes);
  return new Float32Array(buffer, byteOffset, byteLength >> 2);
}

export const edgeNumbers = ({ weight, confidence, decay, verifiedAt }: Edge): string =>
  JSON.stringify([weight, confidence, decay, verifiedAt ?? null]);

export function toEdge(cells: EdgeCells): EdgeState {
  const [weight, confidence, decay, verifiedAt] = JSON.parse(cells.numbers) as [number, number, number, number | null];
  return {
    isDeleted: cells.is_deleted,
    edge: {
      source: fromStoredText(cells.source) as EntityId,
      target: fromStoredText(cells.target) as EntityId,
      type: cells.type as EdgeType,
      provenance: fromStoredText(cells.provenance) as Edge['provenance'],
      weight,
      confidence,
      decay,
      verifiedAt,
    },
  };
}
