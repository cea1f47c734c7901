import { ENTITY_TYPES, type Entity, type EntityType } from '../model/entity.ts';
import { DowserError } from '../model/errors.ts';
import { showValue } from '../model/parse.ts';
import { type ListedTool, toolsOf } from '../registry/hits.ts';
import type { Catalogue } from './catalogue.ts';
import { SERVER_TYPES } from './found-items.ts';

/** An entity, or one tool of it. */
export interface FoundPart {
  readonly entity: Entity;
  readonly tool?: ListedTool;
}

/** The entity of a path, of the first of some types that has it; null when none does. */
export async function findEntity(
  catalogue: Pick<Catalogue, 'get'>,
  types: readonly EntityType[],
  path: string,
): Promise<Entity | null> {
  for (const type of types) {
    try {
      return (await catalogue.get(type, path)).entity;
    } catch (thrown) {
      if (!(thrown instanceof DowserError) || thrown.code !== 'NOT_FOUND') throw thrown;
    }
  }
  return null;
}

/** What a path of an answer names. A `#` may be part of a path too, so the entity of the whole path comes first. */
export async function findPart(catalogue: Pick<Catalogue, 'get'>, path: string, kind?: EntityType): Promise<FoundPart> {
  const types = kind === undefined ? ENTITY_TYPES : [kind];
  const entity = await findEntity(catalogue, types, path);
  if (entity !== null) return { entity };
  const mayBeTool = kind === undefined || kind === 'tool' || kind === 'mcp_server' || kind === 'virtual_server';
  for (let at = path.indexOf('#'); mayBeTool && at > 0; at = path.indexOf('#', at + 1)) {
    const found = await findTool(catalogue, path.slice(0, at), path.slice(at + 1));
    if (found !== null) return found;
  }
  const what = kind === undefined ? 'Nothing is registered' : `There is no ${kind}`;
  throw new DowserError('NOT_FOUND', `${what} at ${showValue(path)}.`, {
    field: 'path',
    hint: 'Take a path from an answer of search_tools: it is case-sensitive, and a tool of a server is server#tool.',
  });
}

/** A tool of a server by its name; null when there is no such server, or the server has no such tool. */
export async function findTool(
  catalogue: Pick<Catalogue, 'get'>,
  serverPath: string,
  name: string,
): Promise<Required<FoundPart> | null> {
  for (const type of SERVER_TYPES) {
    const entity = await findEntity(catalogue, [type], serverPath);
    const tool = entity === null ? undefined : toolsOf(entity).find((listed) => listed.name === name);
    if (entity !== null && tool !== undefined) return { entity, tool };
  }
  return null;
}
