import type { EmbedderIdentity } from '../../model/embedder-identity.ts';
import { DowserError } from '../../model/errors/errors.ts';
import { servedEmbedder } from './choose-embedder.ts';
import { EmbeddedEngine } from './embedded-engine.ts';
import type { AttachedVectorServer } from './index/vector-space.ts';
import { makeFolder, makePrivate } from './make-folder.ts';
import { checkFiles } from './record/check-files.ts';
import { toStoreError } from './record/database.ts';
import { EdgeRecord } from './record/edge-record.ts';
import { LastRevisionFile } from './record/last-revision.ts';
import { openDatabase } from './record/open-database.ts';
import { RecordStore } from './record/record-store.ts';
import { storeFilesIn } from './record/store-files.ts';
import { StoreLock } from './record/store-lock.ts';
import { type EngineLog, SILENT_LOG } from './snapshot/engine-log.ts';
import { saveSnapshot } from './snapshot/index-snapshot.ts';
import { loadIndex } from './snapshot/load-index.ts';

export interface EmbeddedOptions {
  /** The data folder. Created if it does not exist. One process at a time can have it open. */
  readonly dir: string;
  /**
   * The embedder whose vectors are searched; null for an index without a vector leg. A store with vectors of another
   * embedder keeps serving those while it builds the new ones.
   */
  readonly embedder: EmbedderIdentity | null;
  /** Default: no log. */
  readonly log?: EngineLog;
  /** Stamps `createdAt` and `updatedAt`. Default: the clock. */
  readonly now?: () => Date;
  /**
   * Only read an existing store: take no lock and write nothing, so that the folder need not be writable. Writes fail.
   * Default false.
   */
  readonly readOnly?: boolean;
  /** On close, write a snapshot if at least this many units have changed since the last one. Default 500. */
  readonly snapshotAfterUnits?: number;
  /** Open it as the copy of a shared record. Only the record may write to such a folder. Default false. */
  readonly isCopy?: boolean;
  /** The server that searches the vectors. The engine closes it, and starts it unless it is a copy. Default: none. */
  readonly vectorServer?: AttachedVectorServer | undefined;
  /** The maximum memory for the vectors of one embedder. Default: 4 GiB, the limit of the vector kernel. */
  readonly maxVectorBytes?: number;
  /** The maximum number of units, for tests. Default: as many as the index holds. */
  readonly maxUnits?: number;
}

export { DATABASE_FILE, SNAPSHOT_FILE } from './record/store-files.ts';

/** Replaying fewer units at the next start takes less time than writing the whole index now. */
const SNAPSHOT_AFTER_UNITS = 500;
/** The same for big stores, as a share of all units: 2,000 of 100,000. */
const SNAPSHOT_AFTER_SHARE = 0.02;

/**
 * Opens or creates the store in a folder. Throws STORE_LOCKED if another process has it open, STORE_CORRUPT for a file
 * that is damaged or not a Dowser database, STORE_LOST_WRITES if acknowledged writes are gone, STORE_TOO_NEW for a later
 * version. Close it to write a snapshot for the next start.
 */
export async function openEmbedded(options: EmbeddedOptions): Promise<EmbeddedEngine> {
  const { dir, embedder, log = SILENT_LOG, now = () => new Date() } = options;
  const { snapshotAfterUnits = SNAPSHOT_AFTER_UNITS, readOnly = false, isCopy = false } = options;
  const files = storeFilesIn(dir);
  const { snapshot: snapshotFile } = files;
  try {
    if (!readOnly) makeFolder(dir);
  } catch (error) {
    throw toStoreError(error, dir);
  }
  const lock = readOnly ? null : new StoreLock(files.lock, dir);
  try {
    const checked = checkFiles(files, { readOnly });
    // Every page, before SQLite writes to the files, and before anything is served.
    await checked.checkOtherPages();
    const database = openDatabase(files, { readOnly, isCopy, checked });
    // SQLite gives its log the mode of the database.
    const { dir: _, ...own } = files;
    if (!readOnly) makePrivate(Object.values(own));
    try {
      const record = new RecordStore(database);
      if (!readOnly && !isCopy && record.copyPosition !== null) throw ownedByRecord(dir);
      const serving = embedder === null ? null : servedEmbedder(record, embedder);
      if (serving !== null) record.serve(serving);
      const { index, changes, isRebuilt } = loadIndex(record, serving, snapshotFile, log, {
        maxBytes: options.maxVectorBytes,
        openSpace: options.vectorServer?.spacesOf(record),
      });
      const unloaded = index.serving?.unloadedCount ?? 0;
      if (unloaded > 0) log.warn({ unloaded }, 'Vectors do not fit in memory: their units are found by keyword only');

      const leaveSnapshot = (unitsChanged: number): boolean => {
        const threshold = Math.max(snapshotAfterUnits, index.table.unitCount * SNAPSHOT_AFTER_SHARE);
        if (readOnly || unitsChanged < threshold) return false;
        try {
          saveSnapshot(snapshotFile, record.startSnapshot(), record.seq, index);
          return true;
        } catch (error) {
          log.warn({ file: snapshotFile, reason: String(error) }, 'Index snapshot not written');
          return false;
        }
      };
      // Building the index took far longer than writing it: write it now, in case this process is killed.
      const isSaved = isRebuilt && leaveSnapshot(changes);
      const lastWrite = () => ({ revision: record.seq, entities: index.table.entityCount });
      // A copy may lose its last writes in a power cut: it reads them again.
      const lastRevision = readOnly || isCopy ? null : new LastRevisionFile(files.lastRevision, lastWrite());
      const onClose = (ownChanges: number) => {
        try {
          leaveSnapshot(isSaved ? ownChanges : changes + ownChanges);
          database.close();
        } finally {
          lastRevision?.close();
          lock?.release();
        }
      };
      const engine = new EmbeddedEngine(record, index, {
        edges: new EdgeRecord(database, (work) => record.write(work)),
        now,
        files: [files.database, files.log, snapshotFile],
        onWrite: () => lastRevision?.write(lastWrite()),
        onClose,
        vectorServer: options.vectorServer ?? null,
        maxUnits: options.maxUnits,
      });
      if (embedder !== null && embedder.id !== serving?.id) await engine.vectors.build(embedder);
      if (options.vectorServer !== undefined && !isCopy) {
        const id = record.ownId();
        options.vectorServer.start({ id: () => id, leads: () => !readOnly, onProgress: () => engine.countAgain() });
      }
      return engine;
    } catch (error) {
      database.close();
      throw error;
    }
  } catch (error) {
    lock?.release();
    throw error;
  }
}

function ownedByRecord(dir: string): DowserError {
  return new DowserError(
    'INVALID_SETTING',
    `${dir} is the copy of a shared record, and the setting 'store' is not set.`,
    {
      field: 'store',
      hint: "Set 'store' to the address of the record, or choose another data folder.",
    },
  );
}
