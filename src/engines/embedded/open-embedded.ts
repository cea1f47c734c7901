import { join } from 'node:path';
import type { EmbedderIdentity } from '../../model/embedder-identity.ts';
import type { Engine } from '../engine.ts';
import { servedEmbedder } from './choose-embedder.ts';
import { EmbeddedEngine } from './embedded-engine.ts';
import { type EngineLog, SILENT_LOG } from './engine-log.ts';
import { saveSnapshot } from './index-snapshot.ts';
import { loadIndex } from './load-index.ts';
import { makeFolder } from './make-folder.ts';
import { toStoreError } from './record/database.ts';
import { openDatabase } from './record/open-database.ts';
import { RecordStore } from './record/record-store.ts';
import { StoreLock } from './record/store-lock.ts';

export interface EmbeddedOptions {
  /** The data folder; made when it is not there. One process at a time may have it open. */
  readonly dir: string;
  /**
   * Whose vectors to search; null for an index without a vector leg. A store with vectors of another embedder goes on
   * serving those, and builds the ones of this.
   */
  readonly embedder: EmbedderIdentity | null;
  /** Default: says nothing. */
  readonly log?: EngineLog;
  /** Stamps `createdAt` and `updatedAt`. Default: the clock. */
  readonly now?: () => Date;
  /**
   * Only read: needs a store that is there, takes no lock and writes nothing, so that a folder or a disk that may not be
   * written will do. Writes fail. Default false.
   */
  readonly readOnly?: boolean;
  /** On close, a snapshot is written once at least this many units have changed since the last. Default 500. */
  readonly snapshotAfterUnits?: number;
  /** The most memory for the vectors of one embedder. Default: 4 GiB, what the vector kernel can address. */
  readonly maxVectorBytes?: number;
}

export const DATABASE_FILE = 'dowser.sqlite';
export const SNAPSHOT_FILE = 'index.snapshot';
const LOCK_FILE = 'dowser.lock';

/** Replaying fewer takes less time at the next start than writing all of the index takes now. */
const SNAPSHOT_AFTER_UNITS = 500;
/** The same for big stores: of a hundred thousand units, two thousand must have changed. */
const SNAPSHOT_AFTER_SHARE = 0.02;

/**
 * Opens, or makes, the store in a folder. Throws STORE_LOCKED while another process has it, STORE_CORRUPT for a file
 * that is no database of ours, STORE_TOO_NEW for one of a later version. Close it to leave a snapshot for the next start.
 */
export async function openEmbedded(options: EmbeddedOptions): Promise<Engine> {
  const { dir, embedder, log = SILENT_LOG, now = () => new Date() } = options;
  const { snapshotAfterUnits = SNAPSHOT_AFTER_UNITS, readOnly = false } = options;
  const file = join(dir, DATABASE_FILE);
  const snapshotFile = join(dir, SNAPSHOT_FILE);
  try {
    if (!readOnly) makeFolder(dir);
  } catch (error) {
    throw toStoreError(error, dir);
  }
  const lock = readOnly ? null : new StoreLock(join(dir, LOCK_FILE), dir);
  try {
    const database = openDatabase(file, { readOnly });
    try {
      const record = new RecordStore(database);
      const serving = servedEmbedder(record, embedder);
      const { index, changes, isRebuilt } = loadIndex(record, serving, snapshotFile, log, {
        maxBytes: options.maxVectorBytes,
      });
      const unloaded = index.serving?.unloadedOf(null) ?? 0;
      if (unloaded > 0) log.warn({ unloaded }, 'Vectors do not fit in memory: their units are found by keyword only');

      const leaveSnapshot = (unitsChanged: number): boolean => {
        // It would hold only the vectors that are loaded, and the next start would miss the others.
        if ((index.serving?.unloadedOf(null) ?? 0) > 0) return false;
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
      // Building the index anew took far longer than writing it down: the next start is spared that, whatever comes.
      const isSaved = isRebuilt && leaveSnapshot(changes);
      const onClose = (ownChanges: number) => {
        try {
          leaveSnapshot(isSaved ? ownChanges : changes + ownChanges);
          database.close();
        } finally {
          lock?.release();
        }
      };
      const files = [file, `${file}-wal`, snapshotFile];
      const engine = new EmbeddedEngine({ record, index, now, files, onClose });
      if (embedder !== null && embedder.id !== serving?.id) await engine.vectors.build(embedder);
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
