import { type CheckedFiles, checkFiles, revisionOf } from './check-files.ts';
import { Checkpoints } from './checkpoints.ts';
import { Database } from './database.ts';
import { migrate } from './migrations.ts';
import { PageSums } from './page-sums.ts';
import type { StoreFiles } from './store-files.ts';
import { WalScan } from './wal-scan.ts';

/** Five 384-number vectors fill a page of 8 KiB to 95 %; the default page would waste a quarter. */
const PAGE_BYTES = 8192;
const CACHE_KIB = 16_384;

interface OpenMode {
  readonly readOnly?: boolean;
  /** Its writes are safe elsewhere. */
  readonly isCopy?: boolean;
  /** The files were checked before. */
  readonly checked?: CheckedFiles;
}

/**
 * Checks the files, opens the record, recovers what a crash left in the log, and brings the tables up to date. With
 * `readOnly` it writes nothing, and refuses tables that are not up to date.
 */
export function openDatabase(files: StoreFiles, mode: OpenMode = {}): Database {
  const { readOnly = false, isCopy = false, checked = checkFiles(files, { readOnly }) } = mode;
  const { isNew, pageBytes, areSumsStale, checkRevision } = checked;
  const sums = new PageSums(files.sums);
  if (!readOnly && !isNew && (areSumsStale || sums.isMissing)) sumAgain(files, sums, pageBytes);
  const database = new Database(files.database, { readOnly });
  try {
    if (!isNew) checkRevision(revisionOf(database));
    database.exec(`PRAGMA cache_size = -${CACHE_KIB}`);
    if (!readOnly) {
      database.exec(`PRAGMA page_size = ${PAGE_BYTES}`);
      database.exec('PRAGMA journal_mode = WAL');
      // FULL syncs the log at every commit, so that a committed write survives a power cut. NORMAL survives only the death
      // of the process. It costs one sync per batch. A copy is read again from where it stands.
      database.exec(`PRAGMA synchronous = ${isCopy ? 'NORMAL' : 'FULL'}`);
      database.observer = new Checkpoints(database, new WalScan(files.log), sums);
    }
    migrate(database);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

/**
 * With nothing left in the log, and before the database is opened to stay: a process that closes another descriptor of a
 * file loses its locks on it. The journal mode is written to the first page, so it is set before.
 */
function sumAgain({ database: file }: StoreFiles, sums: PageSums, pageBytes: number): void {
  const database = new Database(file);
  try {
    database.exec('PRAGMA journal_mode = WAL');
  } finally {
    database.close();
  }
  sums.replace(file, pageBytes);
}
