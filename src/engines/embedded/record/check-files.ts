import { closeSync, openSync, readSync, statSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { DowserError } from '../../../model/errors/errors.ts';
import { Database, REPAIR_HINT, storeCorrupt, toStoreError } from './database.ts';
import { type LastRevision, readLastRevision } from './last-revision.ts';
import { NEWEST_VERSION } from './migrations.ts';
import { PageSums, sumOfPage } from './page-sums.ts';
import type { StoreFiles } from './store-files.ts';
import { WalScan } from './wal-scan.ts';

/**
 * The checks of the files of a store before SQLite opens them: SQLite takes a missing or empty file for a new database,
 * drops what it cannot read of the log, and fills the gap of a cut file with zeros.
 */
const MAGIC = 'SQLite format 3\0'; // https://sqlite.org/fileformat.html
const HEADER_BYTES = 100;
const MIN_PAGE_BYTES = 512;
const MAX_PAGE_BYTES = 65_536;
/** Some 2 MiB in one go. `checkOtherPages` compares the rest. */
const MAX_PAGES_AT_ONCE = 256;

export interface FileCheckOptions {
  /** Another process may be writing, or nothing may be written here: compare no sums, and leave the log to SQLite. */
  readonly readOnly?: boolean;
  /** Compare every page with its sum at once. Default: the first 256. */
  readonly all?: boolean;
}

export interface CheckedFiles {
  /** The store is new. */
  readonly isNew: boolean;
  readonly pages: number;
  /** Pages without a known sum, of those that were compared. */
  readonly unknownSums: number;
  readonly pageBytes: number;
  /** The sums are of before the last write. */
  readonly areSumsStale: boolean;
  /** Compares the other pages with their sums, with turns for others in between. Throws STORE_CORRUPT. Call it before a write. */
  checkOtherPages(): Promise<void>;
  /** Throws STORE_LOST_WRITES if the database has fewer writes than were acknowledged when the files were checked. */
  checkRevision(revision: number): void;
}

/** Throws STORE_CORRUPT or STORE_LOST_WRITES. Changes nothing. */
export function checkFiles(files: StoreFiles, { readOnly = false, all = false }: FileCheckOptions = {}): CheckedFiles {
  const { database: file } = files;
  const last = readLastRevision(files.lastRevision);
  const checkRevision = (revision: number) => compareRevisions(file, revision, last);
  const logBytes = sizeOf(files.log) ?? 0;
  if ((sizeOf(file) ?? 0) === 0) {
    const wasUsed = last === 'damaged' || (last?.revision ?? 0) > 0 || sizeOf(files.snapshot) !== undefined;
    if (wasUsed || logBytes > 0) throw lostDatabase(files, last);
    return { ...NOTHING_LEFT, isNew: true, pages: 0, pageBytes: 0, unknownSums: 0, areSumsStale: false, checkRevision };
  }
  const log = new WalScan(files.log);
  try {
    // Before the header: what a writer copies in between is then in both.
    if (logBytes > 0) log.advance();
    const header = readHeader(file);
    const { pageBytes } = header;
    const pages = Math.max(header.pages, log.databasePages);
    const unchecked = {
      ...NOTHING_LEFT,
      isNew: false,
      pages,
      pageBytes,
      unknownSums: pages,
      areSumsStale: false,
      checkRevision,
    };
    // A later version may keep other files: `migrate` refuses it.
    if (header.version > NEWEST_VERSION) return unchecked;
    checkLength(file, header, log);
    if (readOnly) return unchecked;
    const revision = orError(() => revisionIn(file));
    // The process died between a commit and its sums, and SQLite has emptied the log since. That is one write: if the last
    // revision is further behind, its file is an older copy.
    const areSumsStale = logBytes === 0 && isKnown(last) && revision === last.revision + 1;
    if (!(revision instanceof Error)) checkRevision(revision);
    const inLog = new Set(log.pages.keys());
    const compared: PagesToCompare = {
      file,
      sums: new PageSums(files.sums).read(),
      inLog,
      pageBytes,
      count: presentPages(header),
    };
    const limit = all ? compared.count : MAX_PAGES_AT_ONCE;
    const unknownSums = areSumsStale ? pages : checkSums(compared, limit);
    if (revision instanceof Error) throw revision;
    const checkOtherPages = areSumsStale ? NOTHING_LEFT.checkOtherPages : () => checkSumsFrom(compared, limit);
    return { ...unchecked, unknownSums, areSumsStale, checkOtherPages };
  } finally {
    log.close();
  }
}

const NOTHING_LEFT: Pick<CheckedFiles, 'checkOtherPages'> = { checkOtherPages: async () => {} };

/** The sums say more about a damaged page than SQLite does, so they are compared first. */
function orError<T>(read: () => T): T | Error {
  try {
    return read();
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}

function isKnown(last: LastRevision | 'damaged' | null): last is LastRevision {
  return last !== null && last !== 'damaged';
}

function compareRevisions(file: string, revision: number, last: LastRevision | 'damaged' | null): void {
  if (!isKnown(last) || revision >= last.revision) return;
  throw lostWrites(
    `${file} has ${revision} of ${last.revision} acknowledged writes: the last ${last.revision - revision} are lost.`,
    { revision, last_revision: last.revision },
  );
}

interface Header {
  readonly pageBytes: number;
  /** As the header says. */
  readonly pages: number;
  readonly fileBytes: number;
  /** Of the tables. */
  readonly version: number;
}

function readHeader(file: string): Header {
  const bytes = Buffer.alloc(HEADER_BYTES);
  readAt(file, bytes, 0);
  if (bytes.toString('latin1', 0, MAGIC.length) !== MAGIC) throw storeCorrupt(file, 'it does not begin like one');
  const stated = bytes.readUInt16BE(16);
  const pageBytes = stated === 1 ? MAX_PAGE_BYTES : stated;
  const isPower = (pageBytes & (pageBytes - 1)) === 0;
  if (!isPower || pageBytes < MIN_PAGE_BYTES) throw storeCorrupt(file, `its pages have ${pageBytes} bytes`);
  return { pageBytes, pages: bytes.readUInt32BE(28), fileBytes: sizeOf(file) ?? 0, version: bytes.readUInt32BE(60) };
}

/** Each page that the database has must be in the file or in the log. */
function checkLength(file: string, { pageBytes, pages, fileBytes }: Header, log: WalScan): void {
  const expected = log.databasePages > 0 ? log.databasePages : pages;
  const present = Math.floor(fileBytes / pageBytes);
  let missing = 0;
  for (let page = present + 1; page <= expected; page++) if (!log.pages.has(page)) missing++;
  if (missing === 0) return;
  throw storeCorrupt(file, `${missing} of its ${expected} pages are missing; it has ${fileBytes} bytes`);
}

interface PagesToCompare {
  readonly file: string;
  /** As they were when the files were checked. */
  readonly sums: Uint32Array;
  /** Pages of the log are protected by the log, and may be copied only in part. */
  readonly inLog: ReadonlySet<number>;
  readonly pageBytes: number;
  readonly count: number;
}

const presentPages = ({ fileBytes, pageBytes }: Header): number => Math.floor(fileBytes / pageBytes);

/** Returns how many of the first pages have no known sum. */
function checkSums(pages: PagesToCompare, limit: number): number {
  const { file, sums, inLog, pageBytes, count } = pages;
  const last = Math.min(count, limit);
  const wrong: number[] = [];
  let unknown = 0;
  const page = Buffer.alloc(pageBytes);
  const descriptor = openSync(file, 'r');
  try {
    for (let no = 1; no <= last; no++) {
      const sum = sums[no - 1] ?? 0;
      if (inLog.has(no)) continue;
      if (sum === 0) unknown++;
      else if (readSync(descriptor, page, 0, pageBytes, (no - 1) * pageBytes) < pageBytes || sumOfPage(page) !== sum)
        wrong.push(no);
    }
  } finally {
    closeSync(descriptor);
  }
  if (wrong.length > 0) throw wrongSums(file, wrong, last);
  return unknown;
}

/** Some 2 MB in a slice: less than a millisecond of work. The next slice is read meanwhile, in a thread of Node. */
const SLICE_BYTES = 2 ** 21;

/** The same for the pages after `from`. A large store is read as fast as the disk gives it, and the event loop stays free. */
async function checkSumsFrom({ file, sums, inLog, pageBytes, count }: PagesToCompare, from: number): Promise<void> {
  if (count <= from) return;
  const perSlice = Math.max(1, Math.floor(SLICE_BYTES / pageBytes));
  const wrong: number[] = [];
  const handle = await open(file, 'r');
  try {
    const read = async (first: number, into: Buffer) =>
      first > count ? 0 : (await handle.read(into, 0, into.length, (first - 1) * pageBytes)).bytesRead;
    let bytes = Buffer.alloc(perSlice * pageBytes);
    let next = Buffer.alloc(perSlice * pageBytes);
    let reading = read(from + 1, bytes);
    for (let first = from + 1; first <= count; first += perSlice) {
      const present = Math.floor((await reading) / pageBytes);
      reading = read(first + perSlice, next);
      const last = Math.min(count, first + perSlice - 1);
      for (let no = first; no <= last; no++) {
        const sum = sums[no - 1] ?? 0;
        if (sum === 0 || inLog.has(no)) continue;
        const at = (no - first) * pageBytes;
        if (no - first >= present || sumOfPage(bytes.subarray(at, at + pageBytes)) !== sum) wrong.push(no);
      }
      [bytes, next] = [next, bytes];
    }
    await reading;
  } catch (error) {
    throw toStoreError(error, file);
  } finally {
    // Before SQLite opens the file: a descriptor that is closed later takes its locks.
    await handle.close();
  }
  if (wrong.length > 0) throw wrongSums(file, wrong, count);
}

const MAX_NAMED_PAGES = 5;

function wrongSums(file: string, wrong: readonly number[], count: number): DowserError {
  const named = wrong.slice(0, MAX_NAMED_PAGES).join(', ');
  const more = wrong.length > MAX_NAMED_PAGES ? ', ...' : '';
  const lost = contentsOf(file, wrong);
  return storeCorrupt(
    file,
    `${wrong.length} of ${count} pages have a wrong checksum (${named}${more}): they are damaged, or another program wrote them${lost}`,
  );
}

/** What readers know the tables by. */
const CONTENTS: Readonly<Record<string, string>> = {
  entities: 'entities',
  units: 'units of search',
  vectors: 'vectors',
  annotations: 'annotations',
  edges: 'edges',
};

/** What damaged pages hold, as far as the rest of the database tells. */
function contentsOf(file: string, wrong: readonly number[]): string {
  try {
    const database = new Database(file, { readOnly: 'recover' });
    try {
      const statement = database.prepare(
        `SELECT m.tbl_name AS name, count(*) AS pages FROM dbstat AS s JOIN sqlite_schema AS m ON m.name = s.name
         WHERE s.pageno IN (SELECT value FROM json_each(?)) GROUP BY m.tbl_name ORDER BY m.tbl_name`,
      );
      const found = statement.all<{ name: string; pages: number }>(JSON.stringify(wrong));
      const named = found.map(({ name, pages }) => `${pages} of ${CONTENTS[name] ?? `the table ${name}`}`);
      return named.length === 0 ? '' : `. They hold: ${named.join(', ')}`;
    } finally {
      database.close();
    }
  } catch {
    // Too much is damaged to tell.
    return '';
  }
}

/** The number of the last write in the database and its log. Read so that neither changes. */
function revisionIn(file: string): number {
  const database = new Database(file, { readOnly: 'recover' });
  try {
    return revisionOf(database);
  } finally {
    database.close();
  }
}

/** 0 for a database without tables. */
export function revisionOf(database: Database): number {
  const hasMeta = database.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'meta'").get() !== undefined;
  const found = hasMeta ? database.prepare("SELECT value FROM meta WHERE key = 'seq'").get() : undefined;
  return Number(found?.value ?? 0);
}

function lostDatabase({ database, log }: StoreFiles, last: LastRevision | 'damaged' | null): DowserError {
  const state = sizeOf(database) === undefined ? 'is missing' : 'is empty';
  if (!isKnown(last)) {
    return lostWrites(`The database ${database} ${state}, and files beside it show that it had entities.`, {});
  }
  const { revision, entities } = last;
  const logged = (sizeOf(log) ?? 0) > 0 ? ' Its log alone cannot restore it.' : '';
  return lostWrites(
    `The database ${database} ${state}: it had ${entities} entities after ${revision} acknowledged writes.${logged}`,
    { revision: 0, last_revision: revision },
  );
}

function lostWrites(message: string, details: { revision?: number; last_revision?: number }): DowserError {
  return new DowserError('STORE_LOST_WRITES', message, {
    hint: `Nothing was changed. Put the missing file back if you have it. ${REPAIR_HINT}`,
    details,
  });
}

export function sizeOf(path: string): number | undefined {
  return statSync(path, { throwIfNoEntry: false })?.size;
}

function readAt(file: string, into: Buffer, position: number): void {
  try {
    const descriptor = openSync(file, 'r');
    try {
      readSync(descriptor, into, 0, into.length, position);
    } finally {
      closeSync(descriptor);
    }
  } catch (error) {
    throw toStoreError(error, file);
  }
}
