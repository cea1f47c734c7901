import { join } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import type { BenchQuery, Corpus } from '../corpus/corpus.ts';
import { DIMENSIONS } from '../corpus/vector-space.ts';
import { importPeer, peerVersion } from '../peers/import-peer.ts';
import { CANDIDATES, type Contender, type Found, RESULTS } from './contender.ts';
import { rrf } from './rrf.ts';

interface Package {
  getLoadablePath(): string;
}

type Database = InstanceType<typeof DatabaseSync>;

const BATCH = 1000;

const SCHEMA = `
  CREATE TABLE units (no INTEGER PRIMARY KEY, id TEXT NOT NULL, live INTEGER NOT NULL);
  CREATE VIRTUAL TABLE texts USING fts5(name, text);
  CREATE VIRTUAL TABLE vectors USING vec0(vector float[${DIMENSIONS}] distance_metric=cosine, live boolean);
`;

/** Enough to hold everything: what is measured is the search, not the disk. */
const IN_MEMORY = 'PRAGMA cache_size = -1000000; PRAGMA mmap_size = 2000000000;';

const bytesOf = (vector: Float32Array) => new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength);

/** Any of the words, each quoted so that none is taken for an operator. */
const anyWord = (text: string) =>
  text
    .split(' ')
    .map((word) => `"${word}"`)
    .join(' OR ');

export async function loadSqlite(): Promise<Contender> {
  const { getLoadablePath } = await importPeer<Package>('sqlite-vec');
  let database: Database | null = null;
  let search: ReturnType<typeof prepareSearch> | null = null;

  function connect(folder: string): Database {
    const opened = new DatabaseSync(join(folder, 'units.sqlite'), { allowExtension: true });
    opened.enableLoadExtension(true);
    opened.loadExtension(getLoadablePath());
    return opened;
  }

  return {
    version: peerVersion('sqlite-vec'),
    how: 'FTS5 over name and text (OR, ORDER BY rank), joined with the table of units for the filter. A vec0 table with exact cosine distance, and the filter as a metadata column. Reciprocal rank fusion of the two lists. Texts are selected by rowid. The page cache holds the whole file.',
    async build(corpus: Corpus, folder: string) {
      const target = connect(folder);
      target.exec('PRAGMA journal_mode = WAL');
      target.exec(SCHEMA);
      fill(target, corpus);
      target.exec("INSERT INTO texts (texts) VALUES ('optimize')");
      target.close();
    },
    async open(folder: string) {
      database = connect(folder);
      database.exec(IN_MEMORY);
      search = prepareSearch(database);
    },
    hybrid(query: BenchQuery) {
      const { keyword, vector, read } = search!;
      return rrf([keyword(query), vector(query)])
        .slice(0, RESULTS)
        .map((id) => read(id));
    },
    keyword: (query) => search!.keyword(query).map(search!.idOf),
    vector: (query) => search!.vector(query).map(search!.idOf),
    async close() {
      database?.close();
    },
  };
}

function fill(database: Database, { units, vectors }: Corpus): void {
  const unit = database.prepare('INSERT INTO units (no, id, live) VALUES (?, ?, ?)');
  const text = database.prepare('INSERT INTO texts (rowid, name, text) VALUES (?, ?, ?)');
  const vector = database.prepare('INSERT INTO vectors (rowid, vector, live) VALUES (?, ?, ?)');
  for (let start = 0; start < units.length; start += BATCH) {
    database.exec('BEGIN');
    units.slice(start, start + BATCH).forEach((row, i) => {
      const no = start + i + 1;
      const live = row.live ? 1 : 0;
      unit.run(no, row.id, live);
      text.run(no, row.name, row.text);
      // Whole numbers must be bound as such: vec0 takes a double for a wrong rowid.
      vector.run(BigInt(no), bytesOf(vectors.subarray((no - 1) * DIMENSIONS, no * DIMENSIONS)), BigInt(live));
    });
    database.exec('COMMIT');
  }
}

function prepareSearch(database: Database) {
  const byText = database.prepare(
    `SELECT units.no FROM texts JOIN units ON units.no = texts.rowid
     WHERE texts MATCH ? AND units.live = 1 ORDER BY texts.rank LIMIT ${CANDIDATES}`,
  );
  const byVector = database.prepare(
    `SELECT rowid AS no FROM vectors WHERE vector MATCH ? AND k = ${CANDIDATES} AND live = 1 ORDER BY distance`,
  );
  const unit = database.prepare('SELECT id FROM units WHERE no = ?');
  const whole = database.prepare(
    `SELECT id, name || char(10) || text AS text FROM units JOIN texts ON texts.rowid = units.no WHERE units.no = ?`,
  );
  const numbers = (rows: unknown[]) => rows.map((row) => String((row as { no: number }).no));
  return {
    keyword: (query: BenchQuery) => numbers(byText.all(anyWord(query.text))),
    vector: (query: BenchQuery) => numbers(byVector.all(bytesOf(query.vector))),
    read: (no: string) => whole.get(Number(no)) as unknown as Found,
    idOf: (no: string) => (unit.get(Number(no)) as { id: string }).id,
  };
}
