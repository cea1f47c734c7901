import type { EntityId } from '../../../model/entity.ts';
import type { IndexedUnit } from '../../store.ts';
import { fromStoredText } from '../../stored-text.ts';
import type { ChangedEntity, RecordPage, SinceQuery } from '../shared-record.ts';
import {
  type AnnotationCells,
  type EdgeCells,
  type EntityCells,
  type HeadCells,
  toAnnotation,
  toEdge,
  toEmbedders,
  toReindex,
  toVector,
  unitsFromJson,
  type VectorCells,
} from './cells.ts';
import type { PostgresConnection, Session } from './connection.ts';

const TABLES = ['dowser_entities', 'dowser_annotations', 'dowser_vectors', 'dowser_edges'] as const;

export const HEAD =
  'SELECT id, seq, served, served_dimensions, building, building_dimensions, reindex FROM dowser_head';

/** The head, and the sequence number of the last row that still fits on the page, if not all do. One snapshot for all. */
const BEGIN = (after: number, limit: number) => {
  const cuts = TABLES.map(
    (table) => `(SELECT seq FROM ${table} WHERE seq > ${after} ORDER BY seq OFFSET ${limit - 1} LIMIT 1)`,
  );
  return `BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY;
    SELECT h.*, least(h.seq, ${cuts.join(', ')}) AS through FROM dowser_head h`;
};

const BETWEEN = 'seq > $1 AND seq <= $2';
const ENTITIES = `SELECT id, created_at, updated_at, json, units FROM dowser_entities WHERE ${BETWEEN} ORDER BY seq, id`;
const ANNOTATIONS = `SELECT entity, key, value FROM dowser_annotations WHERE (${BETWEEN}) OR entity = ANY ($3::text[])`;
/** The numbers only where the reader cannot have them: those that came after it was complete. */
const VECTORS = `SELECT unit, entity, embedder, text_hash, vector IS NOT NULL AS is_live, CASE WHEN seq > $4 THEN vector END AS vector
  FROM dowser_vectors WHERE (${BETWEEN}) OR entity = ANY ($3::text[])`;
const EDGES = `SELECT source, target, type, provenance, is_deleted, numbers FROM dowser_edges WHERE ${BETWEEN} ORDER BY seq`;

/** Reads a page. Nothing else may use the connection meanwhile: the page is read in one transaction. */
export async function readSince(connection: PostgresConnection, query: SinceQuery): Promise<RecordPage> {
  const [cells] = await connection.begin<PageCells>(BEGIN(query.after, query.limit));
  const { session } = connection;
  try {
    return await readPage((text, values) => connection.query(text, values, session), cells!, query);
  } finally {
    connection.end('COMMIT', session);
  }
}

type PageCells = HeadCells & { readonly through: string };

async function readPage(
  read: Session['query'],
  cells: PageCells,
  { after, complete }: SinceQuery,
): Promise<RecordPage> {
  const head = Number(cells.seq);
  const through = Number(cells.through);
  const page = { head, through, embedders: toEmbedders(cells), reindex: toReindex(cells) };
  if (after >= head) return { ...page, entities: [], deleted: [], annotations: [], vectors: [], edges: [] };
  const range = [after, through];
  const rows = await read<EntityCells>(ENTITIES, range);
  const live = rows.filter(({ json }) => json !== null);
  const own = live.map(({ id }) => id);
  const notes = await read<AnnotationCells>(ANNOTATIONS, [...range, own]);
  const vectors = await read<VectorCells>(VECTORS, [...range, own, complete]);
  const edges = await read<EdgeCells>(EDGES, range);
  const inPage = new Set(own);
  const isLoose = ({ entity }: { readonly entity: string }) => !inPage.has(entity);
  return {
    ...page,
    entities: toEntities(live, notes, vectors),
    deleted: rows.flatMap(({ id, json }) => (json === null ? [fromStoredText(id) as EntityId] : [])),
    annotations: notes.filter(isLoose).map(toAnnotation),
    vectors: vectors.filter(isLoose).map(toVector),
    edges: edges.map(toEdge),
  };
}

function toEntities(
  rows: readonly EntityCells[],
  notes: readonly AnnotationCells[],
  vectors: readonly VectorCells[],
): readonly ChangedEntity[] {
  const notesOf = byEntity(notes);
  const vectorsOf = byEntity(vectors.filter(({ is_live }) => is_live));
  return rows.map(({ id: stored, created_at, updated_at, json, units }) => {
    const id = fromStoredText(stored) as EntityId;
    const known = (notesOf.get(stored) ?? []).map(toAnnotation).filter(({ value }) => value !== null);
    let parsed: readonly IndexedUnit[] | undefined;
    return {
      id,
      json: json!,
      // On use: parsing a page of a bulk load at once would block searches.
      get units() {
        parsed ??= unitsFromJson(id, units!);
        return parsed;
      },
      createdAt: created_at,
      updatedAt: updated_at,
      annotations: Object.fromEntries(known.map(({ key, value }) => [key, value])),
      vectors: (vectorsOf.get(stored) ?? []).map(toVector),
    };
  });
}

function byEntity<T extends { readonly entity: string }>(rows: readonly T[]): ReadonlyMap<string, readonly T[]> {
  const found = new Map<string, T[]>();
  for (const row of rows) {
    const known = found.get(row.entity);
    if (known === undefined) found.set(row.entity, [row]);
    else known.push(row);
  }
  return found;
}
