import { join } from 'node:path';

export const DATABASE_FILE = 'dowser.sqlite';
export const SNAPSHOT_FILE = 'index.snapshot';

/** The files of a data folder that belong to the store. */
export interface StoreFiles {
  readonly dir: string;
  readonly database: string;
  /** Writes that are not yet copied into the database. */
  readonly log: string;
  readonly sharedMemory: string;
  readonly lastRevision: string;
  readonly sums: string;
  readonly snapshot: string;
  readonly lock: string;
}

export function storeFilesIn(dir: string): StoreFiles {
  const database = join(dir, DATABASE_FILE);
  return {
    dir,
    database,
    log: `${database}-wal`,
    sharedMemory: `${database}-shm`,
    lastRevision: join(dir, 'dowser.revision'),
    sums: join(dir, 'dowser.sums'),
    snapshot: join(dir, SNAPSHOT_FILE),
    lock: join(dir, 'dowser.lock'),
  };
}
