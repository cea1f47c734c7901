import type { StoredEntity } from '../../engines/store.ts';
import { type Entity, type EntityId, type EntityType, entityId, idOf } from '../../model/entity.ts';
import { ENTITY_TYPE_TABLE } from '../../model/entity-types/table.ts';
import { trimEndChars } from '../../model/text/trim-chars.ts';

/** Finds entities in an engine, or in its state after a write. */
export interface Records<R extends { readonly entity: Entity }> {
  getMany(ids: readonly EntityId[]): Promise<readonly R[]>;
}

/** The same records, each read once. For the turn of a write: nothing else is written meanwhile. */
export function readOnce(records: Records<StoredEntity>): Records<StoredEntity> {
  const known = new Map<EntityId, StoredEntity | null>();
  return {
    async getMany(ids) {
      const unread = ids.filter((id) => !known.has(id));
      for (const id of unread) known.set(id, null);
      if (unread.length > 0) for (const record of await records.getMany(unread)) known.set(record.id, record);
      return ids.flatMap((id) => known.get(id) ?? []);
    },
  };
}

/** The records as a write leaves them. */
export function afterWrite(
  records: Records<{ readonly entity: Entity }>,
  entities: readonly Entity[],
): Records<{ readonly entity: Entity }> {
  const written = new Map(entities.map((entity) => [idOf(entity), { entity }]));
  return {
    async getMany(ids) {
      const stored = new Map((await records.getMany(ids)).map((record) => [idOf(record.entity), record]));
      return ids.flatMap((id) => written.get(id) ?? stored.get(id) ?? []);
    },
  };
}

/**
 * The stored entity of a path. The leading slash, the prefix of the type and a slash at the end are optional.
 */
export async function storedAt<R extends { readonly entity: Entity }>(
  records: Records<R>,
  type: EntityType,
  path: string,
): Promise<R | undefined> {
  const [asSpelled] = await records.getMany([entityId(type, path)]);
  if (asSpelled !== undefined) return asSpelled;
  const { pathPrefix } = ENTITY_TYPE_TABLE[type];
  const ids = spellingsOf(path, pathPrefix).map((spelling) => entityId(type, spelling));
  const [found] = await records.getMany(ids);
  return found;
}

/** Best first: the path with another start comes before the path with another end. */
function spellingsOf(path: string, prefix: string): readonly string[] {
  const startsOf = (end: string) => [`/${end}`, `${prefix}${end.replace(/^\//, '')}`, end.replace(/^\//, '')];
  const trimmed = trimEndChars(path, '/');
  if (trimmed === '') return startsOf(path);
  const other = trimmed === path ? `${path}/` : trimmed;
  return [...startsOf(path), other, ...startsOf(other)];
}
