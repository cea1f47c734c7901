import { ENTITY_TYPES, type Entity, type EntityType, entityId, isEntityType } from '../model/entity.ts';
import { DowserError, toDowserError } from '../model/errors.ts';
import type { Backend } from './backend.ts';

/** What someone means who names an entity. */
export interface Wanted {
  readonly type: EntityType | null;
  readonly path: string;
}

/** `type:path`, or a path alone; a colon after something that is no type belongs to the path (`npm:left-pad`). */
export function parseWanted(text: string): Wanted {
  const colon = text.indexOf(':');
  const type = text.slice(0, colon);
  return colon > 0 && isEntityType(type) ? { type, path: text.slice(colon + 1) } : { type: null, path: text };
}

async function entityAt(backend: Backend, type: EntityType, path: string): Promise<Entity | undefined> {
  try {
    return (await backend.get(type, path)).entity;
  } catch (thrown) {
    if (toDowserError(thrown).code === 'NOT_FOUND') return undefined;
    throw thrown;
  }
}

/** Where a name leads: to entities, or to the servers that have a tool of that name (`/server#tool`). */
export async function whereIs(backend: Backend, { type, path }: Wanted): Promise<readonly Entity[]> {
  const found: Entity[] = [];
  if (path === '') return found;
  for (const known of ENTITY_TYPES) {
    if (type !== null && known !== type) continue;
    const entity = await entityAt(backend, known, path);
    if (entity !== undefined) found.push(entity);
  }
  const hash = path.lastIndexOf('#');
  if (hash < 1 || (type !== null && type !== 'tool')) return found;
  const { toolsOf } = await import('../registry/hits.ts');
  for (const known of ['mcp_server', 'virtual_server'] as const) {
    const server = await entityAt(backend, known, path.slice(0, hash));
    const tool = path.slice(hash + 1);
    if (server !== undefined && toolsOf(server).some(({ name }) => name === tool)) found.push(server);
  }
  return found;
}

export function nothingAt({ type, path }: Wanted): DowserError {
  const of = type === null ? 'Nothing' : `No ${type}`;
  return new DowserError('NOT_FOUND', `${of} is registered at '${path}'.`, {
    hint: 'Find its path with `dowser search`; it is case-sensitive.',
  });
}

/** The one entity of a type at a path. Throws NOT_FOUND, and says where else that path leads. */
export async function getNamed(backend: Backend, type: EntityType, path: string): ReturnType<Backend['get']> {
  try {
    return await backend.get(type, path);
  } catch (thrown) {
    if (toDowserError(thrown).code !== 'NOT_FOUND') throw thrown;
    const [other] = await whereIs(backend, { type: null, path });
    const error = nothingAt({ type, path });
    if (other === undefined) throw error;
    const id = entityId(other.type, other.path);
    const hint = path.includes('#') ? `It is a tool of ${id}: name that one.` : `That path is of ${id}.`;
    throw new DowserError('NOT_FOUND', error.message, { hint, cause: thrown });
  }
}
