import { copyFileSync, cpSync, existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { AUDIT_FOLDER } from '../../access/audit-log.ts';
import { FileKeys, KEYS_FILE } from '../../access/file-keys.ts';
import { CALLS_FILE } from '../../calls/rules/call-rules.ts';
import { CONFIG_FILE } from '../../config.ts';
import { PROFILES_FILE } from '../../mcp/profiles/profile-file.ts';
import { DowserError } from '../../model/errors/errors.ts';
import type { openUpkeep } from '../../open.ts';
import { SOURCES_FILE } from '../../sources/trusted-sources.ts';

/** The files of a data folder beside its database that nothing can make again, in the order in which reports name them. */
const FILES = [KEYS_FILE, CONFIG_FILE, SOURCES_FILE, CALLS_FILE, PROFILES_FILE];

type StoreUpkeep = Awaited<ReturnType<typeof openUpkeep>>;
export type ReportOf<K extends 'backup' | 'restore'> = Awaited<ReturnType<StoreUpkeep[K]>> & {
  /** What was copied beside the database. */
  readonly with?: readonly string[];
};

/** Those of a data folder, with its audit log. */
export const filesBeside = (dataDir: string): readonly string[] =>
  [...FILES, AUDIT_FOLDER].filter((name) => existsSync(join(dataDir, name)));

/**
 * Copies a data folder into a new one: the database, keys, settings, sources, rules for calls and the audit log. A server may
 * be running. Sign-ins at other servers are left out: their tokens change with each use. The folder appears when it is complete.
 */
export async function backUpFolder(upkeep: StoreUpkeep, dataDir: string, folder: string): Promise<ReportOf<'backup'>> {
  const part = `${folder}.part`;
  for (const place of [folder, part]) {
    if (!existsSync(place)) continue;
    throw new DowserError('INVALID_FILE', `${place} exists already.`, { hint: 'Choose another name, or delete it.' });
  }
  if (!existsSync(dirname(folder))) {
    throw new DowserError('INVALID_FILE', `There is no folder ${dirname(folder)} for the backup.`, {
      hint: 'Create it, or choose another place.',
    });
  }
  mkdirSync(part, { mode: 0o700 });
  try {
    const report = await upkeep.backup(join(part, upkeep.databaseName));
    const copied = filesBeside(dataDir);
    for (const name of copied) {
      if (name === KEYS_FILE) copyKeys(dataDir, join(part, name));
      else cpSync(join(dataDir, name), join(part, name), { recursive: true });
    }
    renameSync(part, folder);
    return { ...report, file: folder, with: copied };
  } catch (error) {
    rmSync(part, { recursive: true, force: true });
    throw error;
  }
}

function copyKeys(dataDir: string, to: string): void {
  const keys = new FileKeys(dataDir);
  try {
    keys.copyTo(to);
  } finally {
    keys.close();
  }
}

export const isFolderBackup = ({ databaseName }: StoreUpkeep, path: string): boolean =>
  existsSync(join(path, databaseName));

/** The names in a sentence that ends with the folder. */
export const withFiles = ({ with: names = [] }: Pick<ReportOf<'backup'>, 'with'>): string =>
  names.length === 0 ? '' : `, with ${names.join(', ')}`;

/** Puts such a copy in the place of a data folder. The old files are kept. An audit log that is there stays: it only grows. */
export async function restoreFolder(
  upkeep: StoreUpkeep,
  dataDir: string,
  folder: string,
): Promise<ReportOf<'restore'>> {
  const report = await upkeep.restore(join(folder, upkeep.databaseName));
  const copied = filesBeside(folder).filter((name) => !isAuditOf(dataDir, name));
  const old = copied.filter((name) => existsSync(join(dataDir, name)));
  const kept = report.kept ?? (old.length === 0 ? null : join(dataDir, `replaced-${Date.now()}`));
  if (kept !== null) mkdirSync(kept, { recursive: true, mode: 0o700 });
  for (const name of old) copyFileSync(join(dataDir, name), join(kept!, basename(name)));
  for (const name of copied) cpSync(join(folder, name), join(dataDir, name), { recursive: true });
  return { ...report, kept, with: copied };
}

const isAuditOf = (dataDir: string, name: string): boolean =>
  name === AUDIT_FOLDER && existsSync(join(dataDir, AUDIT_FOLDER));
