import { existsSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { backup, DatabaseSync, type DatabaseSyncInstance, type StatementSyncInstance } from '@photostructure/sqlite';
import { DowserError } from '../../../model/errors/errors.ts';
import { atOnce, oneSlice, type Sliced } from '../../in-slices.ts';

/**
 * The part of SQLite that the embedded engine needs. Only this file uses the library. Every error is a DowserError that
 * names the file.
 */
export type SqlValue = string | number | null | Uint8Array;
export type SqlRow = Readonly<Record<string, SqlValue>>;

/** Where the library is, for a thread of its own. */
export const SQLITE_LIBRARY = createRequire(import.meta.url).resolve('@photostructure/sqlite');

/** How long a statement waits for another program that has the file open, such as a backup. */
const BUSY_TIMEOUT_MS = 5000;

export interface DatabaseOptions {
  readonly busyTimeoutMs?: number;
  /**
   * Write nothing, not even beside the file. With `recover` the log of a crash is read too, for which SQLite writes its
   * shared memory file; the database and the log stay as they are. Default false.
   */
  readonly readOnly?: boolean | 'recover';
}

/** Runs work while nothing else is written. */
export type RunAlone = (work: () => Sliced<void>) => Promise<void>;

/** Called around each commit, and before a close, which empties the log. */
export interface DatabaseObserver {
  /** Before the commit of a large write: resolves when what was written so far is on the disk. The commit waits for the rest. */
  flush(): Promise<void>;
  /** The write counts as done after the last slice. */
  committed(): Sliced<void>;
  /** How to copy the log between two writes. Default: at once, in a turn of the event loop of its own. */
  runIn(alone: RunAlone): void;
  closing(): void;
}

export class Statement {
  readonly #statement: StatementSyncInstance;
  readonly #file: string;

  constructor(statement: StatementSyncInstance, file: string) {
    this.#statement = statement;
    this.#file = file;
  }

  /** Returns how many rows changed. */
  run(...values: readonly SqlValue[]): number {
    return inFile(this.#file, () => this.#statement.run(...values).changes);
  }

  get<Row extends object = SqlRow>(...values: readonly SqlValue[]): Row | undefined {
    return inFile(this.#file, () => this.#statement.get(...values) as Row | undefined);
  }

  /** Every row at once. */
  all<Row extends object = SqlRow>(...values: readonly SqlValue[]): readonly Row[] {
    return inFile(this.#file, () => this.#statement.all(...values) as readonly Row[]);
  }

  /** Reads row by row, so that a big table is never in memory at once. */
  *iterate<Row extends object = SqlRow>(...values: readonly SqlValue[]): Generator<Row> {
    try {
      for (const row of this.#statement.iterate(...values)) yield row as Row;
    } catch (error) {
      throw toStoreError(error, this.#file);
    }
  }
}

export class Database {
  readonly file: string;
  readonly isReadOnly: boolean;
  observer: DatabaseObserver | null = null;
  readonly #database: DatabaseSyncInstance;
  #beside: Database | null = null;
  #isBetweenSlices = false;

  constructor(file: string, { busyTimeoutMs: timeout = BUSY_TIMEOUT_MS, readOnly = false }: DatabaseOptions = {}) {
    this.file = file;
    this.isReadOnly = readOnly !== false;
    const location = () => (this.isReadOnly ? readOnlyLocation(file, readOnly === 'recover') : file);
    this.#database = inFile(file, () => new DatabaseSync(location(), { timeout, readOnly: this.isReadOnly }));
  }

  exec(sql: string): void {
    inFile(this.file, () => this.#database.exec(sql));
  }

  prepare(sql: string): Statement {
    return inFile(this.file, () => new Statement(this.#database.prepare(sql), this.file));
  }

  /** Each row is a list of its values, which takes less time than an object. */
  prepareLists(sql: string): Statement {
    return inFile(this.file, () => {
      const statement = this.#database.prepare(sql);
      statement.setReturnArrays(true);
      return new Statement(statement, this.file);
    });
  }

  /** The first column of the first row. */
  pragma(name: string): SqlValue {
    const row = this.prepare(`PRAGMA ${name}`).get();
    return row === undefined ? null : (Object.values(row)[0] ?? null);
  }

  /** Rolls back if `work` or the commit fails. */
  transaction<T>(work: () => T): T {
    return atOnce(this.slicedTransaction(() => oneSlice(work)));
  }

  /**
   * The same for work in slices. A commit after several slices is a slice of its own, and so is `onCommit`: until its end,
   * `beside` shows what was there before. Otherwise both are in the same slice.
   */
  *slicedTransaction<T>(work: () => Sliced<T>, onCommit: (result: T) => void = () => {}): Sliced<T> {
    this.exec('BEGIN IMMEDIATE');
    let isCommitted = false;
    let isLarge = false;
    let result: T;
    try {
      [result, isLarge] = yield* this.#runSlices(work());
      if (isLarge) yield* this.#pause(this.observer?.flush());
      if (isLarge) this.beside.hold();
      this.exec('COMMIT');
      isCommitted = true;
    } finally {
      if (!isCommitted) this.#undo();
    }
    try {
      if (isLarge) yield* this.#pause();
    } finally {
      onCommit(result);
      if (isLarge) this.beside.release();
    }
    if (this.observer !== null) yield* this.observer.committed();
    return result;
  }

  /** Returns the result, and whether there were several slices. */
  *#runSlices<T>(work: Sliced<T>): Sliced<[result: T, isLarge: boolean]> {
    for (let isLarge = false; ; isLarge = true) {
      const slice = work.next();
      if (slice.done === true) return [slice.value, isLarge];
      yield* this.#pause(slice.value);
    }
  }

  *#pause(until?: Promise<void> | void): Sliced<void> {
    this.#isBetweenSlices = true;
    try {
      yield until;
    } finally {
      this.#isBetweenSlices = false;
    }
  }

  #undo(): void {
    if (this.#database.isTransaction) this.exec('ROLLBACK');
    this.#beside?.release();
  }

  /** Between the slices of a transaction this connection sees what is not committed: read through `beside`. */
  get isBetweenSlices(): boolean {
    return this.#isBetweenSlices;
  }

  /** Reads what is committed now until `release`. */
  hold(): void {
    this.exec('BEGIN');
    this.pragma('user_version');
  }

  release(): void {
    if (this.#database.isTransaction) this.exec('COMMIT');
  }

  /** A second connection to the same file, only to read. It sees what is committed, and is closed with this one. */
  get beside(): Database {
    this.#beside ??= new Database(this.file, { readOnly: true });
    return this.#beside;
  }

  /** Copies the database as it is at one moment, while others write to it. */
  async backup(destination: string): Promise<void> {
    try {
      // All pages in one step: in several, each write of another process would start it again.
      await backup(this.#database, destination, { rate: -1 });
    } catch (error) {
      throw toStoreError(error, destination);
    }
  }

  /**
   * Ends an open transaction and empties the write-ahead log. SQLite would do both, but the library keeps the connection
   * half open for as long as a prepared statement has not been collected, and its locks with it.
   */
  close(): void {
    if (!this.#database.isOpen) return;
    this.#beside?.close();
    try {
      if (this.#database.isTransaction) this.#database.exec('ROLLBACK');
      this.observer?.closing();
      if (!this.isReadOnly) this.#database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    } catch {
      // The log keeps its writes: the next start recovers them.
    }
    this.#database.close();
  }
}

/**
 * If no process has the database open, it must be opened as `immutable`. Otherwise SQLite creates a shared memory file
 * beside it, even to read. A log without that file has writes that only a writer can recover.
 */
function readOnlyLocation(file: string, recovers: boolean): string | URL {
  if (!existsSync(file)) {
    throw new DowserError('NOT_FOUND', `There is no database ${file}.`, {
      hint: 'Choose another data folder with --data or DOWSER_DATA.',
    });
  }
  if (existsSync(`${file}-shm`)) return file;
  if ((statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0) {
    if (recovers) return file;
    throw new DowserError(
      'ENGINE_UNAVAILABLE',
      `${file} was not closed properly, and cannot be recovered without writing.`,
      {
        hint: 'Run `dowser doctor` once where the data folder can be written.',
      },
    );
  }
  const url = pathToFileURL(file);
  url.searchParams.set('immutable', '1');
  return url;
}

// Primary result codes: https://sqlite.org/rescode.html
/** Of a statement that does not fit the tables. The statements do not change, so the tables are damaged. */
const ERROR = 1;
const BUSY = 5;
const LOCKED = 6;
const READONLY = 8;
const IOERR = 10;
const CORRUPT = 11;
const FULL = 13;
const CANTOPEN = 14;
const NOTADB = 26;

/** Errors of the operating system for a full disk: no space, file too large, over quota. */
const DISK_FULL_ERRNOS = [28, 27, 122];
const DISK_FULL_CODES = ['ENOSPC', 'EFBIG', 'EDQUOT'];

function inFile<T>(file: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw toStoreError(error, file);
  }
}

/** The texts of SQLite itself. An error in the middle of a result has no code. */
const CODE_BY_TEXT: ReadonlyMap<string, number> = new Map([
  ['database or disk is full', FULL],
  ['database disk image is malformed', CORRUPT],
  ['file is not a database', NOTADB],
  ['database is locked', BUSY],
  ['disk I/O error', IOERR],
]);

/** Turns an error of SQLite or of the file system into one that says what to do. */
export function toStoreError(error: unknown, file: string): unknown {
  if (error instanceof DowserError || !(error instanceof Error)) return error;
  const { errcode, systemErrno, code } = error as Error & { errcode?: number; systemErrno?: number; code?: string };
  const primary = errcode === undefined ? CODE_BY_TEXT.get(error.message) : errcode & 0xff;
  const isDiskFull = DISK_FULL_ERRNOS.includes(systemErrno ?? 0) || DISK_FULL_CODES.includes(code ?? '');
  if (primary === FULL || isDiskFull) {
    return new DowserError('STORE_FULL', `No space left to write ${file}. Nothing of this write was saved.`, {
      hint: 'Free some space on the disk, then try again.',
      cause: error,
    });
  }
  if (primary === CORRUPT || primary === NOTADB || primary === ERROR) return storeCorrupt(file, error.message, error);
  if (primary === BUSY || primary === LOCKED) {
    return new DowserError('STORE_LOCKED', `Another program is using ${file}.`, {
      hint: 'Close the program that has the database open, then try again.',
      cause: error,
    });
  }
  const unusable = primary === READONLY || primary === IOERR || primary === CANTOPEN;
  if (unusable || ['EACCES', 'EPERM', 'EROFS', 'ENOTDIR', 'ENOENT', 'EEXIST', 'EIO'].includes(code ?? '')) {
    return new DowserError('ENGINE_UNAVAILABLE', `${file} cannot be opened or written: ${error.message}.`, {
      hint: 'Check that the data folder exists and may be written, or choose another with --data or DOWSER_DATA.',
      cause: error,
    });
  }
  return error;
}

export const REPAIR_HINT =
  'Restore a backup with `dowser restore FILE`, or keep what can still be read with `dowser doctor --repair`.';

export function storeCorrupt(file: string, reason: string, cause?: unknown): DowserError {
  return new DowserError('STORE_CORRUPT', `${file} cannot be read as a Dowser database: ${reason}.`, {
    hint: `The file was left as it is. ${REPAIR_HINT}`,
    cause,
  });
}
