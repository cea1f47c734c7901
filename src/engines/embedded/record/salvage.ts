import { type Entity, type EntityId, idOf, parseEntity } from '../../../model/entity.ts';
import { EDGE_TYPES, type Edge } from '../../../model/entity-parts/edge.ts';
import { fromStoredText, toStoredText } from '../../stored-text.ts';
import { Database } from './database.ts';
import { decodeEdges, type EdgeCell } from './edge-codec.ts';

export interface SalvagedEntity {
  readonly entity: Entity;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly annotations: Readonly<Record<string, unknown>>;
}

interface StoredRow {
  readonly id: string;
  readonly json: string;
  readonly created_at: string;
  readonly updated_at: string;
}

/**
 * Every entity that can still be read of a damaged database. Rows are read one by one, by their numbers: a damaged page
 * costs the rows on it, where a scan would end at the first one.
 */
export function* salvageEntities(file: string): Generator<SalvagedEntity> {
  const database = orUndefined(() => new Database(file, { readOnly: 'recover' }));
  if (database === undefined) return;
  try {
    const last = lastNumber(database);
    for (let no = 1; no <= last; no++) {
      const found = orUndefined(() => readRow(database, no));
      if (found !== undefined) yield found;
    }
  } finally {
    database.close();
  }
}

/** Every edge that can still be read, whose names are known. */
export function salvageEdges(file: string): readonly Edge[] {
  const database = orUndefined(() => new Database(file, { readOnly: 'recover' }));
  if (database === undefined) return [];
  try {
    const edges: Edge[] = [];
    const nameOf = database.prepare('SELECT name FROM graph_names WHERE no = ?');
    const edgesOf = database.prepare('SELECT edges FROM graph_edges WHERE source = ?');
    const name = (no: number) => fromStoredText(nameOf.get<{ name: string }>(no)!.name);
    const last = highest(database, 'SELECT max(no) AS no FROM graph_names');
    for (let source = 1; source <= last; source++) {
      const cells = orUndefined(() => edgesOf.get<{ edges: Uint8Array }>(source));
      for (const cell of cells === undefined ? [] : decodeEdges(cells.edges)) {
        const edge = orUndefined(() => toEdge(cell, name(source), name));
        if (edge !== undefined) edges.push(edge);
      }
    }
    return edges;
  } catch {
    return [];
  } finally {
    database.close();
  }
}

function toEdge(cell: EdgeCell, source: string, name: (no: number) => string): Edge | undefined {
  const { weight, confidence, decay, verifiedAt } = cell;
  const type = EDGE_TYPES[cell.type];
  if (type === undefined || !(weight >= 0) || !(confidence >= 0 && confidence <= 1) || !(decay >= 0)) return undefined;
  return {
    source: source as EntityId,
    target: name(cell.target) as EntityId,
    type,
    weight,
    confidence,
    decay,
    verifiedAt: Number.isNaN(verifiedAt) ? null : verifiedAt,
    provenance: name(cell.provenance),
  };
}

function readRow(database: Database, no: number): SalvagedEntity | undefined {
  const row = database.prepare('SELECT id, json, created_at, updated_at FROM entities WHERE no = ?').get<StoredRow>(no);
  if (row === undefined) return undefined;
  const annotations = orUndefined(() =>
    Object.fromEntries(
      database
        .prepare('SELECT key, value FROM annotations WHERE entity = ?')
        .all<{ key: string; value: string }>(no)
        .map(({ key, value }) => [fromStoredText(key), JSON.parse(value)]),
    ),
  );
  // One changed bit can leave a document that is JSON, but no entity or another one.
  const { entity } = parseEntity(JSON.parse(row.json));
  if (toStoredText(idOf(entity)) !== row.id) return undefined;
  return { entity, createdAt: row.created_at, updatedAt: row.updated_at, annotations: annotations ?? {} };
}

/** The highest number. If the end of the table is damaged, that of the units is asked, which name their entities. */
function lastNumber(database: Database): number {
  return Math.max(
    highest(database, 'SELECT max(no) AS no FROM entities'),
    highest(database, 'SELECT max(entity) AS no FROM units'),
  );
}

const highest = (database: Database, sql: string): number =>
  orUndefined(() => Number(database.prepare(sql).get()?.no ?? 0)) ?? 0;

function orUndefined<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
