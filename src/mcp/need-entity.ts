import { ifFound } from '../api/if-found.ts';
import { ENTITY_TYPES, type Entity, type EntityType } from '../model/entity.ts';
import { SERVER_TYPES } from '../model/entity-types/table.ts';
import { DowserError } from '../model/errors.ts';
import { showValue } from '../model/parse.ts';
import type { Catalog } from './catalog.ts';

/** The entity at a path, of the first of these types that has one. Null if none has. */
export async function findEntity(
  catalog: Pick<Catalog, 'get'>,
  types: readonly EntityType[],
  path: string,
): Promise<Entity | null> {
  for (const type of types) {
    const found = await ifFound(catalog.get(type, path));
    if (found !== undefined) return found.entity;
  }
  return null;
}

/** With the type of a server, a path `server#tool` still means the tool. */
function typesFor(kind: EntityType | undefined): readonly EntityType[] {
  if (kind === undefined) return ENTITY_TYPES;
  return (SERVER_TYPES as readonly EntityType[]).includes(kind) ? [kind, 'tool'] : [kind];
}

/** The entity at a path from an answer, or one tool of a server. Throws NOT_FOUND. */
export async function needEntity(catalog: Pick<Catalog, 'get'>, path: string, kind?: EntityType): Promise<Entity> {
  const types = typesFor(kind);
  const entity = await findEntity(catalog, types, path);
  if (entity !== null) return entity;
  // The error of the registry names the tools of the server.
  if (path.includes('#') && types.includes('tool')) return (await catalog.get('tool', path)).entity;
  const what = kind === undefined ? 'Nothing is registered' : `There is no ${kind}`;
  throw new DowserError('NOT_FOUND', `${what} at ${showValue(path)}.`, {
    field: 'path',
    hint: 'Use a path from search_tools. Paths are case-sensitive; a tool of a server is server#tool.',
  });
}
