import type { Store, StoredEntity } from '../engines/store.ts';
import { type EntityType, parseEntityType } from '../model/entity.ts';
import { DowserError } from '../model/errors.ts';
import type { EntityRecord } from './answers.ts';
import { toRecord } from './operations/scan-records.ts';
import { partOfServer, serverToolAt, unknownServerTool } from './server-tool.ts';
import { storedAt } from './stored-at.ts';

/** What is stored at a path, for whatever changes it. Throws NOT_FOUND, and INVALID_REQUEST for a tool of a server. */
export async function findStored(store: Store, type: EntityType, path: string): Promise<StoredEntity> {
  const stored = await storedAt(store, parseEntityType(type), path);
  if (stored !== undefined) return stored;
  const part = type === 'tool' ? await serverToolAt(store, path) : undefined;
  throw part === undefined ? await missing(store, type, path) : partOfServer(part);
}

/**
 * What a path of an answer names: what is stored there, else the tool of a server (`/server#tool`), with the times of that
 * server. Throws NOT_FOUND.
 */
export async function findRecord(store: Store, type: EntityType, path: string): Promise<EntityRecord> {
  const stored = await storedAt(store, parseEntityType(type), path);
  if (stored !== undefined) return toRecord(stored);
  const part = type === 'tool' ? await serverToolAt(store, path) : undefined;
  if (part !== undefined) return toRecord({ ...part.server, entity: part.tool });
  throw await missing(store, type, path);
}

async function missing(store: Store, type: EntityType, path: string): Promise<DowserError> {
  const ofServer = type === 'tool' ? await unknownServerTool(store, path) : undefined;
  return (
    ofServer ??
    new DowserError('NOT_FOUND', `There is no ${type} at '${path}'.`, {
      hint: 'Search for it, or check the spelling of the path: it is case-sensitive.',
    })
  );
}
