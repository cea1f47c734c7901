import { type Entity, type EntityId, type EntityType, entityId } from '../model/entity.ts';
import { ENTITY_TYPE_TABLE } from '../model/entity-types/table.ts';
import { trimEndChars } from '../model/trim-chars.ts';

/** Finds entities in an engine, or in its state after a write. */
export interface Records<R extends { readonly entity: Entity }> {
  getMany(ids: readonly EntityId[]): Promise<readonly R[]>;
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
