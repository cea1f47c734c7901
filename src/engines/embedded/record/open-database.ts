import { closeSync, openSync, readSync, statSync } from 'node:fs';
import { Database, storeCorrupt, toStoreError } from './database.ts';
import { migrate } from './migrations.ts';

const MAGIC = 'SQLite format 3\0'; // https://sqlite.org/fileformat.html

/** Five 384-number vectors fill a page of 8 KiB to 95 %; the default page would waste a quarter. */
const PAGE_BYTES = 8192;
const CACHE_KIB = 16_384;

/**
 * Opens the record, recovers what a crash left in the log, and brings the tables up to date. With `readOnly` it writes
 * nothing, and refuses tables that are not up to date.
 */
export function openDatabase(file: string, { readOnly = false }: { readonly readOnly?: boolean } = {}): Database {
  checkHeader(file);
  const database = new Database(file, { readOnly });
  try {
    if (readOnly) {
      database.exec(`PRAGMA cache_size = -${CACHE_KIB}`);
      migrate(database);
      return database;
    }
    database.exec(`PRAGMA page_size = ${PAGE_BYTES}`);
    database.exec('PRAGMA journal_mode = WAL');
    // FULL syncs the log at every commit, so that a committed write survives a power cut. NORMAL survives only the death
    // of the process. It costs one sync per batch.
    database.exec('PRAGMA synchronous = FULL');
    database.exec(`PRAGMA cache_size = -${CACHE_KIB}`);
    migrate(database);
    checkLength(database);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

/** SQLite treats a file of a few bytes as an empty database and would overwrite it. */
function checkHeader(file: string): void {
  const found = Buffer.alloc(MAGIC.length);
  let length: number;
  try {
    const descriptor = openSync(file, 'r');
    try {
      length = readSync(descriptor, found, 0, MAGIC.length, 0);
    } finally {
      closeSync(descriptor);
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return;
    throw toStoreError(error, file);
  }
  if (length > 0 && found.toString('latin1') !== MAGIC) throw storeCorrupt(file, 'it does not begin like one');
}

/** Finds a truncated file now, not when the first missing page is read. */
function checkLength(database: Database): void {
  const checkpoint = database.prepare('PRAGMA wal_checkpoint(PASSIVE)').get<{ log: number; checkpointed: number }>();
  // While another program reads, part of the pages may have to stay in the log.
  if (checkpoint === undefined || checkpoint.log !== checkpoint.checkpointed) return;
  const expected = Number(database.pragma('page_count')) * Number(database.pragma('page_size'));
  const { size } = statSync(database.file);
  if (size < expected) throw storeCorrupt(database.file, `it has ${size} bytes of ${expected}`);
}
