import { type Entity, type EntityId, type EntityType, entityId } from '../model/entity.ts';

/** Where entities are looked up: an engine, or what it will hold after a write. */
export interface Records<R extends { readonly entity: Entity }> {
  getMany(ids: readonly EntityId[]): Promise<readonly R[]>;
}

/** Where a type has a place of its own. */
const PATH_PREFIXES: Readonly<Partial<Record<EntityType, string>>> = { skill: '/skills/', virtual_server: '/virtual/' };

/**
 * The stored entity of a path, or of the path with what its type begins with, which people leave out of URLs; or of one that
 * was stored without it.
 */
export async function storedAt<R extends { readonly entity: Entity }>(
  records: Records<R>,
  type: EntityType,
  path: string,
): Promise<R | undefined> {
  const [asSpelled] = await records.getMany([entityId(type, path)]);
  if (asSpelled !== undefined) return asSpelled;
  const prefix = PATH_PREFIXES[type] ?? '/';
  const bare = path.replace(/^\//, '');
  const ids = [`/${path}`, `${prefix}${bare}`, bare].map((spelling) => entityId(type, spelling));
  const [found] = await records.getMany(ids);
  return found;
}
