import type { HashedKey } from '../../../model/caller/stored-key.ts';
import type { EntityId } from '../../../model/entity.ts';
import type { EmbedderStates, EntityState, RecordChanges } from '../../shared-record.ts';
import type { IndexedUnit } from '../../store.ts';
import { toStoredText } from '../../stored-text.ts';
import { edgeNumbers, reindexToJson, toBytes, unitsToJson } from './cells.ts';
import { inline } from './literal.ts';

/** Adds a statement to the transaction. */
type Run = (text: string, values: readonly unknown[]) => void;

/** Drops vectors of units that the entities no longer have, or have with another text. */
const PUT_ENTITIES = `
  WITH old AS (
    DELETE FROM dowser_vectors AS v WHERE v.entity = ANY ($2::text[]) AND NOT EXISTS (
      SELECT FROM unnest($7::text[], $8::text[]) AS u (unit, text_hash) WHERE u.unit = v.unit AND u.text_hash = v.text_hash)
  )
  INSERT INTO dowser_entities (id, seq, created_at, updated_at, json, units)
  SELECT p.id, $1::bigint, p.created_at, p.updated_at, p.json, p.units
  FROM unnest($2::text[], $3::text[], $4::text[], $5::text[], $6::text[]) AS p (id, created_at, updated_at, json, units)
  ON CONFLICT (id) DO UPDATE SET
    seq = excluded.seq,
    created_at = excluded.created_at, updated_at = excluded.updated_at,
    json = excluded.json, units = excluded.units`;

const DELETE_ENTITIES =
  'UPDATE dowser_entities SET json = NULL, units = NULL, seq = $1 WHERE id = ANY ($2::text[]) AND json IS NOT NULL';

const PUT_ANNOTATIONS = `
  INSERT INTO dowser_annotations (entity, key, seq, value)
  SELECT p.entity, p.key, $1::bigint, p.value FROM unnest($2::text[], $3::text[], $4::text[]) AS p (entity, key, value)
  ON CONFLICT (entity, key) DO UPDATE SET seq = excluded.seq, value = excluded.value`;

const PUT_VECTORS = `
  INSERT INTO dowser_vectors (unit, embedder, entity, seq, text_hash, vector)
  SELECT p.unit, p.embedder, p.entity, $1::bigint, p.text_hash, p.vector
  FROM unnest($2::text[], $3::text[], $4::text[], $5::text[], $6::bytea[]) AS p (unit, embedder, entity, text_hash, vector)
  ON CONFLICT (unit, embedder) DO UPDATE SET
    seq = excluded.seq, text_hash = excluded.text_hash, vector = excluded.vector, entity = excluded.entity`;

const PUT_EDGES = `
  INSERT INTO dowser_edges (source, target, type, provenance, seq, is_deleted, numbers)
  SELECT p.source, p.target, p.type, p.provenance, $1::bigint, p.is_deleted, p.numbers
  FROM unnest($2::text[], $3::text[], $4::text[], $5::text[], $6::boolean[], $7::text[])
    AS p (source, target, type, provenance, is_deleted, numbers)
  ON CONFLICT (source, target, type, provenance) DO UPDATE SET
    seq = excluded.seq, is_deleted = excluded.is_deleted, numbers = excluded.numbers`;

const PUT_KEYS = `
  INSERT INTO dowser_keys (hash, id, name, groups, scopes, servers, created_at, expires_at, revoked_at)
  SELECT p.* FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[],
    $9::text[]) AS p
  ON CONFLICT (hash) DO UPDATE SET revoked_at = coalesce(dowser_keys.revoked_at, excluded.revoked_at)`;

const SET_EMBEDDERS =
  'UPDATE dowser_head SET served = $1, served_dimensions = $2, building = $3, building_dimensions = $4';

/** The statements of one write, inside a transaction: one text, so that they take one round trip. */
export function writeChanges(seq: number, changes: RecordChanges): string {
  const statements: string[] = [];
  const run: Run = (text, values) => statements.push(inline(text, values));
  const {
    entities = [],
    deleted = [],
    annotations = [],
    vectors = [],
    edges = [],
    embedders,
    reindex,
    keys = [],
  } = changes;
  if (entities.length > 0) putEntities(run, seq, entities);
  // The last of two annotations wins: one statement cannot change a row twice.
  const notes = [...new Map(annotations.map((note) => [JSON.stringify([note.id, note.key]), note])).values()];
  if (notes.length > 0) {
    const values = notes.map(({ value }) => (value === null ? null : JSON.stringify(value)));
    const texts = [notes.map(({ id }) => toStoredText(id)), notes.map(({ key }) => toStoredText(key)), values];
    run(PUT_ANNOTATIONS, [seq, ...texts]);
  }
  if (vectors.length > 0) {
    run(PUT_VECTORS, [
      seq,
      vectors.map(({ unit }) => toStoredText(unit)),
      vectors.map(({ embedder }) => toStoredText(embedder)),
      vectors.map(({ entity }) => toStoredText(entity)),
      vectors.map(({ textHash }) => textHash),
      vectors.map(({ vector }) => (vector === null ? null : toBytes(vector))),
    ]);
  }
  if (deleted.length > 0) deleteEntities(run, seq, deleted);
  if (edges.length > 0) {
    run(PUT_EDGES, [
      seq,
      edges.map(({ edge }) => toStoredText(edge.source)),
      edges.map(({ edge }) => toStoredText(edge.target)),
      edges.map(({ edge }) => edge.type),
      edges.map(({ edge }) => toStoredText(edge.provenance)),
      edges.map(({ isDeleted }) => isDeleted),
      edges.map(({ edge }) => edgeNumbers(edge)),
    ]);
  }
  if (embedders !== undefined) run(SET_EMBEDDERS, embedderCells(embedders));
  if (reindex !== undefined) run('UPDATE dowser_head SET reindex = $1', [reindexToJson(reindex)]);
  if (keys.length > 0) putKeys(run, keys);
  return statements.join(';\n');
}

function putKeys(run: Run, keys: readonly HashedKey[]): void {
  run(PUT_KEYS, [
    keys.map(({ hash }) => hash),
    keys.map(({ id }) => id),
    keys.map(({ name }) => name),
    keys.map(({ groups }) => JSON.stringify(groups)),
    keys.map(({ scopes }) => JSON.stringify(scopes)),
    keys.map(({ servers }) => (servers === null ? null : JSON.stringify(servers))),
    keys.map(({ created_at }) => created_at),
    keys.map(({ expires_at }) => expires_at),
    keys.map(({ revoked_at }) => revoked_at),
  ]);
  run('UPDATE dowser_head SET keys = tip', []);
}

function putEntities(run: Run, seq: number, entities: readonly EntityState[]): void {
  const ids = entities.map(({ id }) => toStoredText(id));
  const units: IndexedUnit[] = entities.flatMap((entity) => entity.units);
  run(PUT_ENTITIES, [
    seq,
    ids,
    entities.map(({ createdAt }) => createdAt),
    entities.map(({ updatedAt }) => updatedAt),
    entities.map(({ json }) => json),
    entities.map(({ units }) => unitsToJson(units)),
    units.map(({ id }) => toStoredText(id)),
    units.map(({ textHash }) => textHash),
  ]);
}

function deleteEntities(run: Run, seq: number, deleted: readonly EntityId[]): void {
  const ids = deleted.map(toStoredText);
  run(DELETE_ENTITIES, [seq, ids]);
  run('DELETE FROM dowser_vectors WHERE entity = ANY ($1::text[])', [ids]);
  run('DELETE FROM dowser_annotations WHERE entity = ANY ($1::text[])', [ids]);
}

function embedderCells({ served, building }: EmbedderStates): readonly unknown[] {
  return [served, building].flatMap((one) => (one === null ? [null, null] : [toStoredText(one.id), one.dimensions]));
}
