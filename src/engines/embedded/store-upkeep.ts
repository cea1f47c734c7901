import { copyFileSync, existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { Entity } from '../../model/entity.ts';
import { DowserError } from '../../model/errors/errors.ts';
import type { IndexedEntity } from '../store.ts';
import { toStoredText } from '../stored-text.ts';
import { makeFolder } from './make-folder.ts';
import { openEmbedded } from './open-embedded.ts';
import { type BackupReport, backUp, checkBackup, copyDatabase } from './record/backup-file.ts';
import { sizeOf } from './record/check-files.ts';
import { Database } from './record/database.ts';
import { checkDatabase, type DeepReport, deepCheck } from './record/deep-check.ts';
import { LastRevisionFile, readLastRevision } from './record/last-revision.ts';
import { salvageEdges, salvageEntities } from './record/salvage.ts';
import { type StoreFiles, storeFilesIn } from './record/store-files.ts';
import { StoreLock } from './record/store-lock.ts';

export type { BackupReport, DeepReport };

export interface RestoreReport {
  readonly entities: number;
  readonly revision: number;
  /** The folder with the old files; null if there were none. */
  readonly kept: string | null;
}

export interface RepairReport extends RestoreReport {
  /** What was wrong. Empty: nothing, and nothing was changed. */
  readonly problems: readonly string[];
  /** Entities that are lost; null if it is not known how many there were. */
  readonly lost: number | null;
}

/** Work on the files of a store that is done beside the engine, by people. */
export interface StoreUpkeep {
  /** The name of the file of the record in its folder. */
  readonly databaseName: string;
  /** Reads and checks everything. Another process may have the store open. */
  check(): DeepReport;
  /** Copies the record into one file. Another process may have the store open. */
  backup(file: string): Promise<BackupReport>;
  /** Replaces the record by that of a backup. The old files are kept. Throws STORE_LOCKED while the store is open. */
  restore(file: string): Promise<RestoreReport>;
  /** Keeps what can still be read. The old files are kept. Throws STORE_LOCKED while the store is open. */
  repair(): Promise<RepairReport>;
}

/** How many entities `repair` writes at once. */
const BATCH = 200;

export function storeUpkeep(dir: string, toIndexed: (entity: Entity) => IndexedEntity): StoreUpkeep {
  const files = storeFilesIn(dir);
  return {
    databaseName: basename(files.database),
    check: () => whileOpen(files, (isLive) => deepCheck(files, { isLive })),
    backup: async (file) => whileOpen(files, (isLive) => backUp(files, file, isLive)),
    async restore(file) {
      // Before the lock, which creates the folder.
      checkBackup(file);
      return locked(files, () => restore(files, file));
    },
    repair: async () => locked(files, () => repair(files, toIndexed)),
  };
}

/** Takes the lock if it is free, so that nothing changes meanwhile. Otherwise another process has the store open. */
function whileOpen<T>(files: StoreFiles, work: (isLive: boolean) => T): T {
  let lock: StoreLock | null = null;
  try {
    if (existsSync(files.dir)) lock = new StoreLock(files.lock, files.dir);
  } catch (error) {
    const isOpen = error instanceof DowserError && ['STORE_LOCKED', 'ENGINE_UNAVAILABLE'].includes(error.code);
    if (!isOpen) throw error;
  }
  return releasing(lock, () => work(lock === null));
}

function locked<T>(files: StoreFiles, work: () => T): T {
  makeFolder(files.dir);
  return releasing(new StoreLock(files.lock, files.dir), work);
}

function releasing<T>(lock: StoreLock | null, work: () => T): T {
  let isLater = false;
  try {
    const result = work();
    isLater = result instanceof Promise;
    return isLater ? ((result as Promise<unknown>).finally(() => lock?.release()) as T) : result;
  } finally {
    if (!isLater) lock?.release();
  }
}

async function restore(files: StoreFiles, file: string): Promise<RestoreReport> {
  const part = `${files.database}.part`;
  const { entities, revision } = await copyDatabase(file, part);
  return { entities, revision, kept: replaceDatabase(files, part, { entities, revision }, 'replaced') };
}

async function repair(files: StoreFiles, toIndexed: (entity: Entity) => IndexedEntity): Promise<RepairReport> {
  const { problems, isDamaged } = checked(files);
  const last = readLastRevision(files.lastRevision);
  const before = last === null || last === 'damaged' ? null : last.entities;
  // A damaged page may hold what SQLite cannot check: only the entities themselves are taken over, and parsed again.
  const sound = isDamaged ? null : soundDatabase(files.database);
  if (problems.length === 0 && sound !== null) return { ...sound, problems, kept: null, lost: 0 };
  const part = `${files.database}.part`;
  const { entities, revision } =
    sound === null ? await rebuild(files, part, toIndexed) : await copyDatabase(files.database, part);
  const kept = replaceDatabase(files, part, { entities, revision }, 'damaged');
  // With more entities than before, the file of the last revision is an older copy, and does not say how many there were.
  return { entities, revision, problems, kept, lost: before === null || entities > before ? null : before - entities };
}

function checked(files: StoreFiles): { readonly problems: readonly string[]; readonly isDamaged: boolean } {
  try {
    return { problems: deepCheck(files, { isLive: false }).problems, isDamaged: false };
  } catch (error) {
    if (!(error instanceof DowserError) || !error.code.startsWith('STORE_')) throw error;
    return { problems: [error.message], isDamaged: error.code === 'STORE_CORRUPT' };
  }
}

/** Null if the database cannot be used as it is. */
function soundDatabase(file: string): Pick<DeepReport, 'entities' | 'revision'> | null {
  if ((sizeOf(file) ?? 0) === 0) return null;
  try {
    const { entities, revision, problems } = checkDatabase(file);
    return problems.length === 0 ? { entities, revision } : null;
  } catch {
    return null;
  }
}

/** Writes what can be read of a damaged database into a new one. Vectors are computed again by the next server. */
async function rebuild(
  files: StoreFiles,
  part: string,
  toIndexed: (entity: Entity) => IndexedEntity,
): Promise<Pick<DeepReport, 'entities' | 'revision'>> {
  const dir = `${part}.d`;
  rmSync(dir, { recursive: true, force: true });
  const engine = await openEmbedded({ dir, embedder: null });
  const times: [created: string, updated: string, id: string][] = [];
  try {
    let batch: IndexedEntity[] = [];
    const put = async () => {
      await engine.store.put(batch);
      batch = [];
    };
    for (const { entity, annotations, createdAt, updatedAt } of salvageEntities(files.database)) {
      const indexed = toIndexed(entity);
      batch.push({ ...indexed, annotations: { ...indexed.annotations, ...annotations } });
      times.push([createdAt, updatedAt, toStoredText(`${entity.type}:${entity.path}`)]);
      if (batch.length === BATCH) await put();
    }
    await put();
    await engine.edges.put(salvageEdges(files.database));
  } finally {
    await engine.close();
  }
  const rebuilt = new Database(storeFilesIn(dir).database);
  rebuilt.transaction(() => {
    const setTimes = rebuilt.prepare('UPDATE entities SET created_at = ?, updated_at = ? WHERE id = ?');
    for (const row of times) setTimes.run(...row);
  });
  rebuilt.close();
  const report = await copyDatabase(storeFilesIn(dir).database, part);
  rmSync(dir, { recursive: true, force: true });
  return report;
}

/**
 * Puts a new database in place, and keeps the old files in a folder. The note of the last revision is written last:
 * if the process dies in between, the store is refused, and the command can be run again.
 */
function replaceDatabase(
  files: StoreFiles,
  part: string,
  last: { readonly entities: number; readonly revision: number },
  what: string,
): string | null {
  const { database, log, lastRevision, sums, snapshot, sharedMemory } = files;
  const old = [database, log, lastRevision, sums].filter((file) => existsSync(file));
  const stamp = new Date().toISOString().replaceAll(/[:.]/g, '-');
  const kept = old.length === 0 ? null : join(files.dir, `${what}-${stamp}`);
  if (kept !== null) {
    mkdirSync(kept, { mode: 0o700 });
    for (const file of old) copyFileSync(file, join(kept, basename(file)));
  }
  for (const file of [log, sharedMemory, sums, snapshot]) rmSync(file, { force: true });
  renameSync(part, database);
  new LastRevisionFile(lastRevision, last).close();
  return kept;
}
