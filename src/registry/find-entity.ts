import type { Store, StoredEntity } from '../engines/store.ts';
import { type EntityType, parseEntityType } from '../model/entity.ts';
import { DowserError } from '../model/errors.ts';
import type { TaggedRecord } from './answers.ts';
import { toRecord } from './operations/scan-records.ts';
import { changedNames } from './provenance/annotated-view.ts';
import { entityWarnings, INSTRUCTIONS_KEY, type InstructionLike } from './provenance/instruction-note.ts';
import { ANNOTATIONS } from './provenance/source-note.ts';
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
  const stored = 'tool' in found ? { ...found.server, entity: found.tool } : found;
  const { [INSTRUCTIONS_KEY]: instructions, [ANNOTATIONS.drift]: drift } =
    (await store.annotationsOf([stored.id])).get(stored.id) ?? {};
  const owner = 'tool' in found ? found.server : found;
  const warnings = entityWarnings(owner.entity, {
    instructions: (instructions as readonly InstructionLike[] | undefined) ?? [],
    changed: drift === undefined ? [] : changedNames(drift),
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
