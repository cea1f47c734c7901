import type { Store, StoredEntity } from '../engines/store.ts';
import { type EntityType, parseEntityType } from '../model/entity.ts';
import { DowserError } from '../model/errors.ts';
import type { TaggedRecord } from './answers.ts';
import { toRecord } from './operations/scan-records.ts';
import { partOfServer, type ServerTool, serverToolAt, unknownServerTool } from './server-tool.ts';
import { storedAt } from './stored-at.ts';
import { entityTag } from './write/entity-tag.ts';

/** The stored entity at a path, to change it. Throws NOT_FOUND, and INVALID_REQUEST for a tool of a server. */
export async function findStored(store: Store, type: EntityType, path: string): Promise<StoredEntity> {
  const found = await find(store, type, path);
  if ('tool' in found) throw partOfServer(found);
  return found;
}

/**
 * The record that a path of an answer names: the stored entity, or else the tool of a server (`/server#tool`), with the times
 * of that server. Throws NOT_FOUND.
 */
export async function findRecord(store: Store, type: EntityType, path: string): Promise<TaggedRecord> {
  const found = await find(store, type, path);
  if (!('tool' in found)) return { ...toRecord(found), etag: entityTag(found) };
  return { ...toRecord({ ...found.server, entity: found.tool }), etag: entityTag(found.server) };
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
