import type { EntityId } from '../../../model/entity.ts';
import type { ChangedEntity, RecordPage, SinceQuery } from '../../shared-record.ts';
import type { IndexedUnit } from '../../store.ts';
import { fromStoredText } from '../../stored-text.ts';
import {
  type AnnotationCells,
  type EdgeCells,
  type EntityCells,
  type HeadCells,
  toAnnotation,
  toEdge,
  toEmbedders,
  toHead,
  toReindex,
  toVector,
  unitsFromJson,
  type VectorCells,
} from './cells.ts';
import type { PostgresConnection, Session } from './connection.ts';
import { literal } from './literal.ts';

const TABLES = ['dowser_entities', 'dowser_annotations', 'dowser_vectors', 'dowser_edges'] as const;

export const HEAD = 'SELECT h.*, (SELECT version FROM dowser_version) AS version FROM dowser_head h';

/** Past this the record does not answer. */
export const POLL_MS = 2_000;

/** Less than the second after which the database ends one of two that wait for each other: a restore must not be the one. */
const LOCK_MS = 500;

/**
 * The head, whether the reader may go on, and the sequence number of the last row that still fits on the page, if not all do.
 * One snapshot for all.
 */
const BEGIN = ({ after, limit, seen, purged }: SinceQuery) => {
  const cuts = TABLES.map(
    (table) => `(SELECT seq FROM ${table} WHERE seq > ${after} ORDER BY seq OFFSET ${limit - 1} LIMIT 1)`,
  );
  const isSeen =
    seen === null
      ? 'true'
      : `EXISTS (SELECT FROM dowser_writes w WHERE w.tip = ${literal(seen)} AND w.seq = ${seqOf(seen)})`;
  return `BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; SET LOCAL lock_timeout = ${LOCK_MS};
    SELECT h.*, (SELECT version FROM dowser_version) AS version, least(h.seq, ${cuts.join(', ')}) AS through,
      ${isSeen} AND (${after} = 0 OR ${after} >= h.purged OR h.purged = ${purged}) AS is_known FROM dowser_head h`;
};

const BETWEEN = 'seq > $1 AND seq <= $2';
const ENTITIES = `SELECT id, created_at, updated_at, json, units FROM dowser_entities WHERE ${BETWEEN} ORDER BY seq, id`;
const ANNOTATIONS = `SELECT entity, key, value FROM dowser_annotations WHERE (${BETWEEN}) OR entity = ANY ($3::text[])`;
/** The numbers only where the reader cannot have them: those that came after it was complete. */
const VECTORS = `SELECT unit, entity, embedder, text_hash, vector IS NOT NULL AS is_live, CASE WHEN seq > $4 THEN vector END AS vector
  FROM dowser_vectors WHERE (${BETWEEN}) OR entity = ANY ($3::text[])`;
const EDGES = `SELECT source, target, type, provenance, is_deleted, numbers FROM dowser_edges WHERE ${BETWEEN} ORDER BY seq`;

/**
 * Reads a page. Nothing else may use the connection meanwhile: the page is read in one transaction. `check` throws for tables
 * that this Dowser cannot read.
 */
export async function readSince(
  connection: PostgresConnection,
  query: SinceQuery,
  check: (head: HeadCells | undefined) => void,
): Promise<RecordPage> {
  try {
    const [cells] = await connection.begin<PageCells>(BEGIN(query), undefined, POLL_MS);
    const { session } = connection;
    check(cells);
    return await readPage((text, values) => connection.query(text, values, { session }), cells!, query);
  } finally {
    // Also where the first query failed: its BEGIN did not.
    connection.end('COMMIT', connection.session);
  }
}

/** A tip begins with the number of its write. */
const seqOf = (tip: string): number => Number.parseInt(tip, 10);

type PageCells = HeadCells & { readonly through: string; readonly is_known: boolean };

async function readPage(
  read: Session['query'],
  cells: PageCells,
  { after, complete }: SinceQuery,
): Promise<RecordPage> {
  const head = toHead(cells);
  const through = Number(cells.through);
  const page = { isKnown: cells.is_known, head, through, embedders: toEmbedders(cells), reindex: toReindex(cells) };
  if (after >= head.seq || !page.isKnown)
    return { ...page, entities: [], deleted: [], annotations: [], vectors: [], edges: [] };
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
