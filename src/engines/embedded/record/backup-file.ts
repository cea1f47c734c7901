import { chmodSync, closeSync, existsSync, fsyncSync, openSync, renameSync, rmSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { DowserError } from '../../../model/errors/errors.ts';
import { checkFiles } from './check-files.ts';
import { Database, storeCorrupt, toStoreError } from './database.ts';
import { checkDatabase, type DeepReport } from './deep-check.ts';
import { readLastRevision } from './last-revision.ts';
import { checkVersion } from './migrations.ts';
import type { StoreFiles } from './store-files.ts';

export interface BackupReport {
  readonly file: string;
  readonly entities: number;
  readonly revision: number;
  readonly bytes: number;
}

/** Only the owner may read a backup: it has all entities, also private ones. */
const PRIVATE = 0o600;

/**
 * Copies the record of a store into one file, and checks the copy. Another process may have the store open and write:
 * the copy has everything that was acknowledged before it began.
 */
export async function backUp(files: StoreFiles, file: string, isLive: boolean): Promise<BackupReport> {
  const part = `${file}.part`;
  for (const place of [file, part]) {
    if (!existsSync(place)) continue;
    throw new DowserError('INVALID_FILE', `${place} exists already.`, { hint: 'Choose another name, or delete it.' });
  }
  const folder = dirname(file);
  if (!existsSync(folder)) {
    throw new DowserError('INVALID_FILE', `There is no folder ${folder} for the backup.`, {
      hint: 'Create it, or choose another place.',
    });
  }
  const last = readLastRevision(files.lastRevision);
  // A store that lost something must not become the newest backup.
  if (checkFiles(files, { readOnly: isLive, all: true }).isNew) {
    throw new DowserError('NOT_FOUND', `There is no database ${files.database}.`, {
      hint: 'Choose another data folder with --data or DOWSER_DATA.',
    });
  }
  try {
    const { entities, revision } = await copyDatabase(files.database, part);
    if (last !== null && last !== 'damaged' && revision < last.revision)
      throw storeCorrupt(files.database, `the copy has ${revision} of ${last.revision} acknowledged writes`);
    renameSync(part, file);
    return { file, entities, revision, bytes: statSync(file).size };
  } catch (error) {
    rmSync(part, { force: true });
    throw toStoreError(error, file);
  }
}

/** Throws INVALID_FILE for a file that no backup has written. Writes nothing. */
export function checkBackup(file: string): void {
  if (!existsSync(file)) throw new DowserError('NOT_FOUND', `There is no file ${file}.`);
  let version = 0;
  let cause: unknown;
  try {
    const database = new Database(file, { readOnly: 'recover' });
    try {
      version = checkVersion(database);
    } finally {
      database.close();
    }
  } catch (error) {
    if (!(error instanceof DowserError) || error.code !== 'STORE_CORRUPT') throw error;
    cause = error;
  }
  // SQLite takes an empty file for a new database.
  if (version > 0) return;
  throw new DowserError('INVALID_FILE', `${file} is not a Dowser backup, or it is damaged.`, {
    hint: 'Name a file that `dowser backup` has written. Nothing was changed.',
    cause,
  });
}

/** Copies a database with its log into one new file, and checks that the copy is sound. */
export async function copyDatabase(from: string, to: string): Promise<Omit<DeepReport, 'pages'>> {
  rmSync(to, { force: true });
  const source = new Database(from, { readOnly: 'recover' });
  try {
    checkVersion(source);
    await source.backup(to);
  } finally {
    source.close();
  }
  const copy = new Database(to);
  // A copy that needs no other file beside it.
  copy.exec('PRAGMA journal_mode = DELETE');
  copy.close();
  const report = checkDatabase(to);
  if (report.problems.length > 0) throw storeCorrupt(from, report.problems.join(' '));
  chmodSync(to, PRIVATE);
  const descriptor = openSync(to, 'r+');
  fsyncSync(descriptor);
  closeSync(descriptor);
  return report;
}
