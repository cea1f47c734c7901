import { DowserError } from '../../../model/errors.ts';
import type { Session } from './connection.ts';

interface TableStep {
  readonly version: number;
  readonly what: string;
  readonly sql: string;
}

/** Append only: a step that has been released never changes. Ids are compared by code point. */
export const TABLE_STEPS: readonly TableStep[] = [
  {
    version: 1,
    what: 'The head, entities with their units, annotations, vectors and edges. Each row has the number of its last write.',
    sql: `
      CREATE TABLE dowser_head (
        id text NOT NULL,
        seq bigint NOT NULL,
        served text,
        served_dimensions bigint,
        building text,
        building_dimensions bigint
      );
      INSERT INTO dowser_head (id, seq) VALUES (gen_random_uuid()::text, 0);
      CREATE TABLE dowser_entities (
        id text COLLATE "C" PRIMARY KEY,
        seq bigint NOT NULL,
        created_at text NOT NULL,
        updated_at text NOT NULL,
        json text,
        units text
      );
      CREATE INDEX dowser_entities_by_seq ON dowser_entities (seq);
      CREATE TABLE dowser_annotations (
        entity text COLLATE "C" NOT NULL,
        key text COLLATE "C" NOT NULL,
        seq bigint NOT NULL,
        value text,
        PRIMARY KEY (entity, key)
      );
      CREATE INDEX dowser_annotations_by_seq ON dowser_annotations (seq);
      CREATE TABLE dowser_vectors (
        unit text COLLATE "C" NOT NULL,
        embedder text COLLATE "C" NOT NULL,
        entity text COLLATE "C" NOT NULL,
        seq bigint NOT NULL,
        text_hash text NOT NULL,
        vector bytea,
        PRIMARY KEY (unit, embedder)
      );
      CREATE INDEX dowser_vectors_by_seq ON dowser_vectors (seq);
      CREATE INDEX dowser_vectors_by_entity ON dowser_vectors (entity);
      CREATE TABLE dowser_edges (
        source text COLLATE "C" NOT NULL,
        target text COLLATE "C" NOT NULL,
        type text COLLATE "C" NOT NULL,
        provenance text COLLATE "C" NOT NULL,
        seq bigint NOT NULL,
        is_deleted boolean NOT NULL,
        numbers text NOT NULL,
        PRIMARY KEY (source, target, type, provenance)
      );
      CREATE INDEX dowser_edges_by_seq ON dowser_edges (seq);
    `,
  },
  {
    version: 2,
    what: 'The last run that re-embeds everything, as JSON.',
    sql: 'ALTER TABLE dowser_head ADD COLUMN reindex text',
  },
];

/**
 * Creates the tables or brings them up to date. One node at a time. Refuses a database of a newer Dowser: it may have
 * columns whose meaning this one does not know.
 */
export async function updateTables(
  session: Session,
  address: string,
  steps: readonly TableStep[] = TABLE_STEPS,
): Promise<void> {
  const newest = steps.at(-1)?.version ?? 0;
  if ((await checkedVersion(session, address, newest)) === newest) return;
  await session.query('BEGIN');
  try {
    await session.query("SELECT pg_advisory_xact_lock(hashtext('dowser tables'), hashtext(current_schema()))");
    const version = await checkedVersion(session, address, newest);
    if (version === 0) await session.query('CREATE TABLE dowser_version (version bigint NOT NULL)');
    for (const step of steps) if (step.version > version) await runAll(session, step.sql);
    await session.query('DELETE FROM dowser_version');
    await session.query('INSERT INTO dowser_version VALUES ($1)', [newest]);
    await session.query('COMMIT');
  } catch (error) {
    await session.query('ROLLBACK').catch(() => {});
    throw error;
  }
}

async function runAll(session: Session, sql: string): Promise<void> {
  for (const statement of sql.split(';')) if (statement.trim() !== '') await session.query(statement);
}

/** 0 for a database without our tables. */
async function checkedVersion(session: Session, address: string, newest: number): Promise<number> {
  const [table] = await session.query<{ exists: boolean }>(
    "SELECT to_regclass('dowser_version') IS NOT NULL AS exists",
  );
  if (table?.exists !== true) return 0;
  const [found] = await session.query<{ version: string }>('SELECT version FROM dowser_version');
  const version = Number(found?.version ?? 0);
  if (version <= newest) return version;
  throw new DowserError(
    'STORE_TOO_NEW',
    `The record at ${address} has version ${version}; this Dowser reads up to version ${newest}.`,
    { hint: 'Update Dowser on this node.' },
  );
}
