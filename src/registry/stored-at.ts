import { type Entity, type EntityId, type EntityType, entityId } from '../model/entity.ts';
import { ENTITY_TYPE_TABLE } from '../model/entity-types/table.ts';

/** Finds entities in an engine, or in its state after a write. */
export interface Records<R extends { readonly entity: Entity }> {
  getMany(ids: readonly EntityId[]): Promise<readonly R[]>;
}

/**
 * The stored entity of a path. The leading slash and the prefix of the type are optional.
 */
export async function storedAt<R extends { readonly entity: Entity }>(
  records: Records<R>,
  type: EntityType,
  path: string,
): Promise<R | undefined> {
  const [asSpelled] = await records.getMany([entityId(type, path)]);
  if (asSpelled !== undefined) return asSpelled;
  const { pathPrefix } = ENTITY_TYPE_TABLE[type];
  const bare = path.replace(/^\//, '');
  const ids = [`/${path}`, `${pathPrefix}${bare}`, bare].map((spelling) => entityId(type, spelling));
  const [found] = await records.getMany(ids);
  return found;
}
