import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { DATABASE_FILE } from '../embedded/record/store-files.ts';

/** The part of the data folder of a node that may be deleted: the record has it all. */
export const COPY_FOLDER = 'copy';

/**
 * Where the store of a data folder is. A node has its copy apart from its keys, audit log and settings. A data folder with a
 * database of its own keeps it, so that a node refuses it if it is no copy. Without `followsRecord`, a folder with a copy leads to
 * it, so that it is refused too: it is not an empty store.
 */
export function storeFolder(dir: string, followsRecord: boolean): string {
  const copy = join(dir, COPY_FOLDER);
  if (existsSync(join(dir, DATABASE_FILE))) return dir;
  return followsRecord || existsSync(join(copy, DATABASE_FILE)) ? copy : dir;
}
