import { checkFiles, revisionOf } from './check-files.ts';
import { Database } from './database.ts';
import { readLastRevision } from './last-revision.ts';
import type { StoreFiles } from './store-files.ts';

export interface DeepReport {
  readonly entities: number;
  readonly revision: number;
  /** Pages that were compared with their checksum. 0 while another process writes. */
  readonly pages: number;
  /** What is wrong, one sentence each. Empty for a sound store. */
  readonly problems: readonly string[];
}

/** Problems of one kind that are named; the rest is counted. */
const MAX_NAMED = 5;

/**
 * Reads everything: each page against its checksum, the structure of the database, and each stored document. Throws where
 * the files cannot be opened at all. `isLive`: another process has the store open and may write.
 */
export function deepCheck(files: StoreFiles, { isLive }: { readonly isLive: boolean }): DeepReport {
  const last = readLastRevision(files.lastRevision);
  const { pages, unknownSums } = checkFiles(files, { all: true, readOnly: isLive });
  const report = checkDatabase(files.database);
  const acknowledged = last === null || last === 'damaged' ? 0 : last.revision;
  const lost = acknowledged - report.revision;
  const problems = lost > 0 ? [`The last ${lost} acknowledged writes are lost.`, ...report.problems] : report.problems;
  return { ...report, problems, pages: Math.max(0, pages - unknownSums) };
}

/** The checks of a database file by itself, such as a backup. */
export function checkDatabase(file: string): Omit<DeepReport, 'pages'> {
  const database = new Database(file, { readOnly: 'recover' });
  try {
    const problems = [...structureProblems(database), ...documentProblems(database)];
    const entities = Number(database.prepare('SELECT count(*) AS count FROM entities').get()?.count);
    return { entities, revision: revisionOf(database), problems };
  } finally {
    database.close();
  }
}

function structureProblems(database: Database): readonly string[] {
  const found = database.prepare(`PRAGMA integrity_check(${MAX_NAMED})`).all<{ integrity_check: string }>();
  const problems = found.flatMap(({ integrity_check: text }) => (text === 'ok' ? [] : [`SQLite: ${text}.`]));
  const { length: orphans } = database.prepare('PRAGMA foreign_key_check').all();
  return orphans === 0 ? problems : [...problems, `${orphans} rows belong to entities that are not there.`];
}

function documentProblems(database: Database): readonly string[] {
  const unreadable: string[] = [];
  for (const { id, json } of database.prepare('SELECT id, json FROM entities').iterate<{ id: string; json: string }>())
    if (!isJson(json)) unreadable.push(id);
  if (unreadable.length === 0) return [];
  const named = unreadable.slice(0, MAX_NAMED).join(', ');
  return [`${unreadable.length} entities cannot be read: ${named}${unreadable.length > MAX_NAMED ? ', ...' : ''}.`];
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
