import type { Entity } from '../../../model/entity.ts';
import { fromStoredText } from '../../stored-text.ts';
import { Database } from './database.ts';

export interface SalvagedEntity {
  readonly entity: Entity;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly annotations: Readonly<Record<string, unknown>>;
}

interface StoredRow {
  readonly json: string;
  readonly created_at: string;
  readonly updated_at: string;
}

/**
 * Every entity that can still be read of a damaged database. Rows are read one by one, by their numbers: a damaged page
 * costs the rows on it, where a scan would end at the first one.
 */
export function* salvage(file: string): Generator<SalvagedEntity> {
  let database: Database;
  try {
    database = new Database(file, { readOnly: 'recover' });
  } catch {
    return;
  }
  try {
    const last = lastNumber(database);
    for (let no = 1; no <= last; no++) {
      const found = orUndefined(() => readRow(database, no));
      if (found !== undefined) yield found;
    }
  } finally {
    database.close();
  }
}

function readRow(database: Database, no: number): SalvagedEntity | undefined {
  const row = database.prepare('SELECT json, created_at, updated_at FROM entities WHERE no = ?').get<StoredRow>(no);
  if (row === undefined) return undefined;
  const annotations = orUndefined(() =>
    Object.fromEntries(
      database
        .prepare('SELECT key, value FROM annotations WHERE entity = ?')
        .all<{ key: string; value: string }>(no)
        .map(({ key, value }) => [fromStoredText(key), JSON.parse(value)]),
    ),
  );
  const { json, created_at: createdAt, updated_at: updatedAt } = row;
  return { entity: JSON.parse(json) as Entity, createdAt, updatedAt, annotations: annotations ?? {} };
}

/** The highest number. If the end of the table is damaged, that of the units is asked, which name their entities. */
function lastNumber(database: Database): number {
  const highest = (sql: string) => orUndefined(() => Number(database.prepare(sql).get()?.no ?? 0)) ?? 0;
  return Math.max(highest('SELECT max(no) AS no FROM entities'), highest('SELECT max(entity) AS no FROM units'));
}

function orUndefined<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
