import type { Engine, StoredEntity } from '../engines/engine.ts';
import { type EntityType, entityId } from '../model/entity.ts';

/** Where a type has a place of its own. */
const PATH_PREFIXES: Readonly<Partial<Record<EntityType, string>>> = { skill: '/skills/', virtual_server: '/virtual/' };

/** The stored entity of a path, or of the path with what its type begins with: people leave that out of URLs. */
export async function storedAt(engine: Engine, type: EntityType, path: string): Promise<StoredEntity | undefined> {
  const [asSpelled] = await engine.getMany([entityId(type, path)]);
  if (asSpelled !== undefined) return asSpelled;
  const prefix = PATH_PREFIXES[type] ?? '/';
  const ids = [`/${path}`, `${prefix}${path.replace(/^\//, '')}`].map((spelling) => entityId(type, spelling));
  const [found] = await engine.getMany(ids);
  return found;
}
