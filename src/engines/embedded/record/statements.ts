import type { Database, Statement } from './database.ts';

const SQL = {
  meta: 'SELECT value FROM meta WHERE key = ?',
  setMeta: 'INSERT INTO meta VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value',
  dropMeta: 'DELETE FROM meta WHERE key = ?',

  entitiesSince: 'SELECT no, id, facts FROM entities WHERE seq > ?',
  putEntity: `INSERT INTO entities (no, id, seq, created_at, updated_at, facts, json) VALUES (?, ?, ?, ?, ?, ?, ?)
    ON CONFLICT (no) DO UPDATE SET
      seq = excluded.seq, updated_at = excluded.updated_at, facts = excluded.facts, json = excluded.json,
      created_at = coalesce(?, created_at)`,
  deleteEntity: 'DELETE FROM entities WHERE no = ?',

  allUnits: 'SELECT row, entity, key, kind, title, text_hash FROM units',
  unitsOf: 'SELECT row, entity, key, kind, title, text_hash FROM units WHERE entity = ?',
  // Not INSERT OR REPLACE: that deletes the row first, and its vectors with it.
  // Earlier versions stored what the analyzer made of the fields. It takes more room than the fields.
  putUnit: `INSERT INTO units (row, entity, key, kind, title, text_hash, analyzer, analysis, embed_text, fields)
    VALUES (?, ?, ?, ?, ?, ?, 0, x'', ?, ?)
    ON CONFLICT (row) DO UPDATE SET
      entity = excluded.entity, key = excluded.key, kind = excluded.kind, title = excluded.title,
      text_hash = excluded.text_hash, analyzer = 0, analysis = x'',
      embed_text = excluded.embed_text, fields = excluded.fields`,
  deleteUnit: 'DELETE FROM units WHERE row = ?',
  embedTextOf: 'SELECT embed_text, fields FROM units WHERE row = ?',
  fieldsOf: 'SELECT fields FROM units WHERE row = ?',
  allFields: 'SELECT row, fields FROM units',

  addEmbedder: 'INSERT INTO embedders (id) VALUES (?) RETURNING no',
  vectorsOf: 'SELECT unit, vector FROM vectors WHERE embedder = ?',
  vectorOf: 'SELECT unit, vector FROM vectors WHERE unit = ? AND embedder = ?',
  putVector: `INSERT INTO vectors (unit, embedder, seq, vector) VALUES (?, ?, ?, ?)
    ON CONFLICT (unit, embedder) DO UPDATE SET seq = excluded.seq, vector = excluded.vector`,
  deleteVectors: 'DELETE FROM vectors WHERE unit = ?',
  embedders: 'SELECT no, id FROM embedders',
  countVectors: 'SELECT count(*) AS count FROM vectors WHERE embedder = ?',
  unitsWithVector: 'SELECT unit FROM vectors WHERE embedder = ?',
  lastUnitWithVector: 'SELECT max(unit) AS unit FROM vectors',
  // This index has all it asks for. The other one would read every vector.
  allUnitsWithVector: 'SELECT unit FROM vectors INDEXED BY vectors_by_unit WHERE embedder = ?',
  embeddersOf: 'SELECT e.id FROM vectors v JOIN embedders e ON e.no = v.embedder WHERE v.unit = ?',
  deleteVector: 'DELETE FROM vectors WHERE unit = ? AND embedder = ?',

  putAnnotation: `INSERT INTO annotations (entity, key, value) VALUES (?, ?, ?)
    ON CONFLICT (entity, key) DO UPDATE SET value = excluded.value`,
  dropAnnotation: 'DELETE FROM annotations WHERE entity = ? AND key = ?',
  annotationsOf: 'SELECT key, value FROM annotations WHERE entity = ?',
  annotationsOfMany: `SELECT a.entity, a.key, a.value
    FROM json_each(?) AS wanted CROSS JOIN annotations AS a ON a.entity = wanted.value`,
  annotated: 'SELECT e.id, a.value FROM annotations a JOIN entities e ON e.no = a.entity WHERE a.key = ?',

  deletions: 'SELECT entity FROM deletions',
  logDeletion: 'INSERT OR IGNORE INTO deletions VALUES (?)',
  dropDeletions: 'DELETE FROM deletions',
  // Keep the first one, which is in the snapshot.
  retireUnit: 'INSERT OR IGNORE INTO retired SELECT row, fields FROM units WHERE row = ?',
  retireUnitsOf: 'INSERT OR IGNORE INTO retired SELECT row, fields FROM units WHERE entity = ?',
  retiredFieldsOf: 'SELECT fields FROM retired WHERE row = ?',
  dropRetired: 'DELETE FROM retired',
} as const;

/** Takes the numbers as a JSON list and answers in their order: one statement for a page takes half the time of ten. */
const READ_ENTITIES = `SELECT e.no, e.created_at, e.updated_at, e.json
  FROM json_each(?) AS wanted CROSS JOIN entities AS e ON e.no = wanted.value`;

export type Statements = Readonly<Record<keyof typeof SQL | 'readEntities', Statement>>;

/** Compiles each statement once: a bulk load runs some of them a hundred thousand times. */
export function prepareStatements(database: Database): Statements {
  const entries = Object.entries(SQL).map(([name, sql]) => [name, database.prepare(sql)]);
  return { ...Object.fromEntries(entries), readEntities: database.prepareLists(READ_ENTITIES) };
}
