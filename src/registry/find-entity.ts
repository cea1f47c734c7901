import type { StoredEntity } from '../engines/store.ts';
import { type EntityId, type EntityType, parseEntityType } from '../model/entity.ts';
import { SERVER_TYPES, typesOfRole } from '../model/entity-types/table.ts';
import { DowserError } from '../model/errors/errors.ts';
import { stated } from '../model/json/json-object.ts';
import { meantName } from '../model/text/meant-name.ts';
import type { Review, TaggedRecord } from './contract/answers.ts';
import { entityTag } from './contract/entity-tag.ts';
import { entityWarnings } from './notes/instruction-note.ts';
import type { SearchParts } from './search/search.ts';
import type { EntityRows } from './view/entity-view.ts';
import { toRecord } from './view/scan-records.ts';
import { partOfServer, type ServerTool, serverToolAt, unknownServerTool } from './view/server-tool.ts';
import { type Records, storedAt } from './view/stored-at.ts';
import { REVIEW_KEY } from './write/blocked.ts';

/** Who may change a server reads all of it. */
const NOTHING_DENIED: ReadonlyMap<EntityId, ReadonlySet<string>> = new Map();

/** The stored entity at a path, to change it. Throws NOT_FOUND, and INVALID_REQUEST for a tool of a server. */
export async function findStored(
  records: Records<StoredEntity>,
  type: EntityType,
  path: string,
): Promise<StoredEntity> {
  const found = await find(records, type, path, NOTHING_DENIED);
  if ('tool' in found) throw partOfServer(found);
  return found;
}

/** Where a record is read: the store, the notes about it that the warnings are made of, and the paths that may be meant. */
export type RecordParts = Pick<SearchParts, 'store' | 'drift' | 'instructions' | 'denied'> & {
  readonly view: EntityRows;
};

/**
 * The record that a path of an answer names: the stored entity, or else the tool of a server (`/server#tool`), with the times
 * of that server. Throws NOT_FOUND.
 */
export async function findRecord(
  { store, drift, instructions, denied, view }: RecordParts,
  type: EntityType,
  path: string,
): Promise<TaggedRecord> {
  const { byServer } = await denied.read();
  const found = await find(store, type, path, byServer, view);
  const owner = 'tool' in found ? found.server : found;
  const stored = 'tool' in found ? { ...owner, entity: found.tool } : owner;
  const warnings = entityWarnings(owner.entity, {
    instructions: (await instructions.read()).get(owner.id),
    changed: (await drift.read()).get(owner.id),
  });
  const deniedTools = byServer.get(owner.id);
  const review = (await store.annotationsOf([owner.id])).get(owner.id)?.[REVIEW_KEY] as Review | undefined;
  return {
    ...toRecord(stored),
    etag: entityTag(owner),
    warnings,
    ...(deniedTools === undefined ? {} : { denied_tools: [...deniedTools] }),
    ...stated({ review }),
  };
}

async function find(
  records: Records<StoredEntity>,
  type: EntityType,
  path: string,
  denied: ReadonlyMap<EntityId, ReadonlySet<string>>,
  view?: EntityRows,
): Promise<StoredEntity | ServerTool<StoredEntity>> {
  const stored = await storedAt(records, parseEntityType(type), path);
  const found = stored ?? (type === 'tool' ? await serverToolAt(records, path) : undefined);
  if (found !== undefined) return found;
  const unknownTool = type === 'tool' ? await unknownServerTool(records, path, denied) : undefined;
  if (unknownTool !== undefined) throw unknownTool;
  const meant = view === undefined ? undefined : await meantPath(view, type, path);
  throw new DowserError('NOT_FOUND', `There is no ${type} at '${path}'.`, {
    hint:
      meant === undefined
        ? 'Search for it, or check the spelling of the path: it is case-sensitive.'
        : `Did you mean '${meant}'?`,
    ...(meant === undefined ? {} : { details: { did_you_mean: meant } }),
  });
}

/** Paths of content are hashes, and names that nobody types. */
const TYPED_PATHS: readonly EntityType[] = [...typesOfRole('capability'), ...typesOfRole('reference')];
/** With more paths, a comparison with all of them would hold up other requests. */
const MAX_COMPARED = 20_000;

/** The path that was probably mistyped, among those that the caller may see. For `/server#tool`, the path of the server. */
async function meantPath(view: EntityRows, type: EntityType, path: string): Promise<string | undefined> {
  const hash = type === 'tool' ? path.indexOf('#') : -1;
  const types = hash > 0 ? SERVER_TYPES : TYPED_PATHS.filter((one) => one === type);
  const asked = hash > 0 ? path.slice(0, hash) : path;
  for (const one of types) {
    const rows = await view.rows(one);
    const near =
      rows.length > MAX_COMPARED
        ? undefined
        : meantName(
            asked,
            rows.map((row) => row.path),
          );
    if (near !== undefined && near !== asked) return hash > 0 ? `${near}${path.slice(hash)}` : near;
  }
  return undefined;
}
