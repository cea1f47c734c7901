import { DatabaseSync } from '@photostructure/sqlite';
import { DowserError } from '../../model/errors/errors.ts';
import { isJsonObject } from '../../model/json/json-object.ts';
import { momentOf } from '../formats/moment.ts';
import type { FoundMemory, MemoryFile } from './memory-file.ts';

type Row = Readonly<Record<string, unknown>>;

/** Reads the SQLite file of a memory service. Columns that an older version does not have are left out. */
export function readServiceDatabase(file: string): MemoryFile {
  const database = new DatabaseSync(file, { readOnly: true });
  try {
    const table = database.prepare("SELECT name FROM sqlite_master WHERE type = 'table' AND name = 'memories'").get();
    if (table === undefined) {
      throw new DowserError('INVALID_FILE', `${file} has no table 'memories'.`, {
        field: 'file',
        hint: 'Give the file that the memory service calls sqlite_vec.db.',
      });
    }
    const problems: string[] = [];
    const rows = database.prepare('SELECT * FROM memories ORDER BY rowid').all() as readonly Row[];
    const memories = rows.flatMap((row, at) => {
      if (row.deleted_at != null) return [];
      const found = fromRow(row);
      if (found === undefined) problems.push(`row ${at + 1}: has no content`);
      return found ?? [];
    });
    return { format: 'memory service (SQLite)', memories, problems };
  } finally {
    database.close();
  }
}

function fromRow(row: Row): FoundMemory | undefined {
  const { content, content_hash, tags, memory_type, superseded_by } = row;
  if (typeof content !== 'string' || content.trim() === '') return undefined;
  const metadata = metadataIn(row.metadata);
  const created = momentOf(row.created_at) ?? momentOf(row.created_at_iso);
  return {
    name: String(content_hash),
    memory: {
      content,
      ...(typeof tags === 'string' && tags !== '' ? { tags } : {}),
      ...(typeof memory_type === 'string' && memory_type !== '' ? { memory_type } : {}),
      ...(metadata === undefined ? {} : { metadata }),
      ...(created === undefined ? {} : { created_at: created }),
    },
    supersededBy: typeof superseded_by === 'string' && superseded_by !== '' ? superseded_by : null,
  };
}

function metadataIn(text: unknown): Record<string, unknown> | undefined {
  if (typeof text !== 'string' || text === '') return undefined;
  try {
    const parsed: unknown = JSON.parse(text);
    return isJsonObject(parsed) ? { ...parsed } : undefined;
  } catch {
    return undefined;
  }
}
