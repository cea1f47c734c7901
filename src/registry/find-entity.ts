import type { Store, StoredEntity } from '../engines/store.ts';
import { type EntityType, parseEntityType } from '../model/entity.ts';
import { DowserError } from '../model/errors.ts';
import type { TaggedRecord } from './answers.ts';
import { toRecord } from './operations/scan-records.ts';
import { entityWarnings } from './provenance/instruction-note.ts';
import type { SearchParts } from './search/search.ts';
import { partOfServer, type ServerTool, serverToolAt, unknownServerTool } from './server-tool.ts';
import { storedAt } from './stored-at.ts';
import { entityTag } from './write/entity-tag.ts';

/** The stored entity at a path, to change it. Throws NOT_FOUND, and INVALID_REQUEST for a tool of a server. */
export async function findStored(store: Store, type: EntityType, path: string): Promise<StoredEntity> {
  const found = await find(store, type, path);
  if ('tool' in found) throw partOfServer(found);
  return found;
}

/** Where a record is read: the store, and the notes about it that the warnings are made of. */
export type RecordParts = Pick<SearchParts, 'store' | 'drift' | 'instructions'>;

/**
 * The record that a path of an answer names: the stored entity, or else the tool of a server (`/server#tool`), with the times
 * of that server. Throws NOT_FOUND.
 */
export async function findRecord(
  { store, drift, instructions }: RecordParts,
  type: EntityType,
  path: string,
): Promise<TaggedRecord> {
  const found = await find(store, type, path);
  const owner = 'tool' in found ? found.server : found;
  const stored = 'tool' in found ? { ...owner, entity: found.tool } : owner;
  const warnings = entityWarnings(owner.entity, {
    instructions: (await instructions.read()).get(owner.id),
    changed: (await drift.read()).get(owner.id),
  });
  return { ...toRecord(stored), etag: entityTag(owner), warnings };
}

async function find(store: Store, type: EntityType, path: string): Promise<StoredEntity | ServerTool<StoredEntity>> {
  const stored = await storedAt(store, parseEntityType(type), path);
  const found = stored ?? (type === 'tool' ? await serverToolAt(store, path) : undefined);
  if (found !== undefined) return found;
  const unknownTool = type === 'tool' ? await unknownServerTool(store, path) : undefined;
  if (unknownTool !== undefined) throw unknownTool;
  throw new DowserError('NOT_FOUND', `There is no ${type} at '${path}'.`, {
    hint: 'Search for it, or check the spelling of the path: it is case-sensitive.',
  });
}
