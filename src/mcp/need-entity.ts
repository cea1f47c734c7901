import { ifFound } from '../api/if-found.ts';
import { ENTITY_TYPES, type Entity, type EntityType } from '../model/entity.ts';
import { SERVER_TYPES } from '../model/entity-types/table.ts';
import { DowserError } from '../model/errors.ts';
import { showValue } from '../model/parse.ts';
import type { Catalog } from './catalog.ts';

/** The entity of a path, of the first of some types that has it; null when none does. */
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

/** Whoever says of a tool what its server is means the tool. */
function typesFor(kind: EntityType | undefined): readonly EntityType[] {
  if (kind === undefined) return ENTITY_TYPES;
  return (SERVER_TYPES as readonly EntityType[]).includes(kind) ? [kind, 'tool'] : [kind];
}

/** What a path of an answer names: an entity, or one tool of a server. Throws NOT_FOUND. */
export async function needEntity(catalog: Pick<Catalog, 'get'>, path: string, kind?: EntityType): Promise<Entity> {
  const types = typesFor(kind);
  const entity = await findEntity(catalog, types, path);
  if (entity !== null) return entity;
  // The registry knows what tools the server has, and throws.
  if (path.includes('#') && types.includes('tool')) return (await catalog.get('tool', path)).entity;
  const what = kind === undefined ? 'Nothing is registered' : `There is no ${kind}`;
  throw new DowserError('NOT_FOUND', `${what} at ${showValue(path)}.`, {
    field: 'path',
    hint: 'Take a path from an answer of search_tools: it is case-sensitive, and a tool of a server is server#tool.',
  });
}
