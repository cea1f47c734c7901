import { DowserError } from '../../../model/errors/errors.ts';
import { type Database, storeCorrupt } from './database.ts';

export interface Migration {
  /** The `user_version` of a database after this step. */
  readonly version: number;
  readonly what: string;
  readonly sql: string;
}

/** Marks the file as ours ('DWSR'), so that a database of another program is never taken over. */
const APPLICATION_ID = 0x44575352;

/** More steps than there will ever be: a higher version is damage. */
const MAX_VERSION = 1000;

/** Append only: a step that has been released never changes. */
export const MIGRATIONS: readonly Migration[] = [
  {
    version: 1,
    what: 'Entities, their units with what was derived from the text, vectors, and the log that a snapshot is replayed from.',
    // Texts are the last columns, so that reading the others does not read their overflow pages.
    // `facts` is the result of `entityFacts`. If that changes, a migration must compute it again.
    sql: `
      CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
      CREATE TABLE entities (
        no INTEGER PRIMARY KEY,
        id TEXT NOT NULL UNIQUE,
        seq INTEGER NOT NULL,
        created_at TEXT NOT NULL,
        updated_at TEXT NOT NULL,
        facts TEXT NOT NULL,
        json TEXT NOT NULL
      );
      CREATE INDEX entities_by_seq ON entities (seq);
      CREATE TABLE units (
        row INTEGER PRIMARY KEY,
        entity INTEGER NOT NULL REFERENCES entities (no) ON DELETE CASCADE,
        key TEXT NOT NULL,
        kind TEXT NOT NULL,
        title TEXT NOT NULL,
        text_hash TEXT NOT NULL,
        analyzer INTEGER NOT NULL,
        analysis BLOB NOT NULL,
        embed_text TEXT NOT NULL,
        fields TEXT NOT NULL
      );
      CREATE INDEX units_by_entity ON units (entity);
      CREATE TABLE embedders (no INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE);
      CREATE TABLE vectors (
        no INTEGER PRIMARY KEY,
        unit INTEGER NOT NULL REFERENCES units (row) ON DELETE CASCADE,
        embedder INTEGER NOT NULL REFERENCES embedders (no),
        seq INTEGER NOT NULL,
        vector BLOB NOT NULL
      );
      CREATE UNIQUE INDEX vectors_by_unit ON vectors (unit, embedder);
      CREATE INDEX vectors_by_seq ON vectors (seq);
      CREATE TABLE deletions (entity INTEGER PRIMARY KEY);
      CREATE TABLE retired (row INTEGER PRIMARY KEY, analysis BLOB NOT NULL);
    `,
  },
  {
    version: 2,
    what: 'What the registry itself knows of an entity, apart from what its publisher says.',
    sql: `
      CREATE TABLE annotations (
        entity INTEGER NOT NULL REFERENCES entities (no) ON DELETE CASCADE,
        key TEXT NOT NULL,
        value TEXT NOT NULL,
        PRIMARY KEY (entity, key)
      ) WITHOUT ROWID;
      CREATE INDEX annotations_by_key ON annotations (key);
    `,
  },
  {
    version: 3,
    what: 'Finds the vectors of one embedder without reading those of all.',
    sql: 'CREATE INDEX vectors_by_embedder ON vectors (embedder)',
  },
  {
    version: 4,
    what: 'Facts of entities have their visibility, so that facets are counted without reading entities.',
    sql: "UPDATE entities SET facts = json_set(facts, '$.visibility', coalesce(json_extract(json, '$.visibility'), 'public'))",
  },
  {
    version: 5,
    what: 'Facts of memories have their type. What else they have came with the memory service.',
    sql: `
      UPDATE entities SET facts = json_set(facts, '$.memory', json_object(
        'labels', CASE
          WHEN json_extract(json, '$.memory_type') IS NULL THEN json_array()
          ELSE json_array('type:' || lower(trim(json_extract(json, '$.memory_type'))))
        END,
        'at', NULL, 'validFrom', NULL, 'validTo', NULL, 'successor', NULL, 'hash', NULL
      )) WHERE id LIKE 'memory:%'`,
  },
  {
    version: 6,
    what: 'The edges of the graph: those of one source in one row, with numbers for the names of nodes and provenances.',
    sql: `
      CREATE TABLE graph_names (no INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL UNIQUE);
      CREATE TABLE graph_edges (source INTEGER PRIMARY KEY REFERENCES graph_names (no), edges BLOB NOT NULL);
    `,
  },
  {
    version: 7,
    what: 'Facts of entities have their facets, so that filters by them need no reading.',
    // Only these fields could be facets before.
    sql: `
      UPDATE entities SET facts = json_set(facts, '$.facets', json((
        SELECT json_group_array(DISTINCT facet || '=' || lower(trim(value))) FROM (
          SELECT 'language' AS facet, json_extract(json, '$.language') AS value
          UNION ALL SELECT 'language', value FROM json_each(entities.json, '$.languages')
          UNION ALL SELECT 'category', json_extract(json, '$.category')
          UNION ALL SELECT 'license', json_extract(json, '$.license')
          UNION ALL SELECT 'deployment', value FROM json_each(entities.json, '$.deployment')
        ) WHERE trim(coalesce(value, '')) <> ''
      )))
    `,
  },
  {
    version: 8,
    what: 'Facts of memories have their certainty, so that filters by it need no reading.',
    sql: `
      UPDATE entities SET facts = json_set(facts, '$.memory.certainty', json_extract(json, '$.certainty'))
      WHERE id LIKE 'memory:%'`,
  },
  {
    version: 9,
    what: 'A unit has no analysis any more, and its text to embed refers to its fields.',
    // The columns stay, and what is in them until the unit is written again: removing them would write every unit again. What
    // was retired belongs to a snapshot of earlier versions, which no later one reads.
    sql: `
      DROP TABLE retired;
      CREATE TABLE retired (row INTEGER PRIMARY KEY, fields TEXT NOT NULL);
    `,
  },
  {
    version: 10,
    what: 'Nothing asks for the vectors since a write.',
    sql: 'DROP INDEX vectors_by_seq',
  },
];

export const NEWEST_VERSION = MIGRATIONS.at(-1)!.version;

/** The version of the tables. Throws for a database of another program or of a later Dowser. */
export function checkVersion(database: Database, newest = NEWEST_VERSION): number {
  const version = Number(database.pragma('user_version'));
  const isNew =
    version === 0 && Number(database.prepare('SELECT count(*) FROM sqlite_schema').get()?.['count(*)']) === 0;
  if (!isNew && database.pragma('application_id') !== APPLICATION_ID) {
    throw storeCorrupt(database.file, 'it is a SQLite database of another program');
  }
  if (version < 0 || version > MAX_VERSION) throw storeCorrupt(database.file, `no version has the number ${version}`);
  if (version > newest) {
    throw new DowserError(
      'STORE_TOO_NEW',
      `${database.file} has version ${version}; this Dowser reads up to version ${newest}.`,
      { hint: 'Update Dowser, or use another data folder.' },
    );
  }
  return version;
}

/** Migrates a database to the newest version. Each step is one transaction. */
export function migrate(database: Database, migrations: readonly Migration[] = MIGRATIONS): void {
  const newest = migrations.at(-1)?.version ?? 0;
  const version = checkVersion(database, newest);
  if (version < newest && database.isReadOnly) {
    throw new DowserError('ENGINE_UNAVAILABLE', `${database.file} has version ${version} and must be updated first.`, {
      hint: 'Run `dowser doctor` once where the data folder can be written.',
    });
  }
  for (const step of migrations) {
    if (step.version <= version) continue;
    database.transaction(() => {
      database.exec(`PRAGMA application_id = ${APPLICATION_ID}`);
      database.exec(step.sql);
      database.exec(`PRAGMA user_version = ${step.version}`);
    });
  }
}
