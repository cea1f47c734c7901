import type { StoredEntity } from '../../engines/store.ts';
import type { Entity, EntityId, StandaloneTool } from '../../model/entity.ts';
import type { ListedTool } from '../../model/entity-types/descriptor.ts';
import { SERVER_TYPES, toolsOf } from '../../model/entity-types/table.ts';
import { definitionOf } from '../../model/entity-types/tool-definition.ts';
import { DowserError } from '../../model/errors/errors.ts';
import { stated } from '../../model/json/json-object.ts';
import { showValue } from '../../model/parse/parse.ts';
import { meantName, nearestNames } from '../../model/text/meant-name.ts';
import { type Records, storedAt } from './stored-at.ts';

/** A server's path and a tool's name have at most 512 characters each. */
const MAX_PATH = 1025;

interface Held {
  readonly entity: Entity;
}

interface Named<R> {
  readonly server: R;
  /** The rest of the path, after the server's. */
  readonly name: string;
}

/** A tool of a stored server. */
export interface ServerTool<R extends Held = Held> {
  readonly server: R;
  readonly tool: StandaloneTool;
}

/** The servers whose tool a path may name. Paths and names may contain `#`, so every `#` is tried. */
async function* serversIn<R extends Held>(records: Records<R>, path: string): AsyncGenerator<Named<R>> {
  if (path.length > MAX_PATH) return;
  for (let at = path.indexOf('#'); at !== -1; at = path.indexOf('#', at + 1)) {
    for (const type of SERVER_TYPES) {
      const server = await storedAt(records, type, path.slice(0, at));
      if (server !== undefined) yield { server, name: path.slice(at + 1) };
    }
  }
}

/** The tool that `/server#tool` names, or undefined. */
export async function serverToolAt<R extends Held>(
  records: Records<R>,
  path: string,
): Promise<ServerTool<R> | undefined> {
  for await (const { server, name } of serversIn(records, path)) {
    const tool = toolsOf(server.entity).find((listed) => listed.name === name);
    if (tool !== undefined) return { server, tool: toolOf(server.entity, tool) };
  }
  return undefined;
}

/** The tool as an entity. Its visibility, status and switch are those of its server. */
function toolOf(server: Entity, tool: ListedTool): StandaloneTool {
  const { name, description, inputSchema, examples = [] } = tool;
  const { path, tags, status, is_enabled, visibility, allowed_groups } = server;
  const { owner, version, license, homepage, repository } = server;
  return {
    type: 'tool',
    path: `${path}#${name}`,
    name,
    description,
    ...stated({ inputSchema }),
    ...definitionOf(tool),
    server_path: path,
    examples: [...examples],
    tags,
    metadata: {},
    status,
    is_enabled,
    visibility,
    allowed_groups,
    ...stated({ owner, version, license, homepage, repository }),
  };
}

/** The error of a write: the tool has no record. */
export function partOfServer({ server, tool }: ServerTool): DowserError {
  const { type, path } = server.entity;
  return new DowserError(
    'INVALID_REQUEST',
    `The tool ${showValue(tool.path)} is part of the ${type} ${showValue(path)} and has no record of its own.`,
    { field: 'path', hint: `Change the ${type} ${showValue(path)}: its tools are written with it.` },
  );
}

const MAX_NEAR = 3;

/**
 * The error for `/server#tool` if the server has no such tool, with the tools that may have been meant. Undefined without a
 * server. It names no tool that is denied.
 */
export async function unknownServerTool(
  records: Records<StoredEntity>,
  path: string,
  denied: ReadonlyMap<EntityId, ReadonlySet<string>>,
): Promise<DowserError | undefined> {
  let error: DowserError | undefined;
  for await (const { server, name } of serversIn(records, path)) {
    const { entity, id } = server;
    const names = toolsOf(entity)
      .map((tool) => tool.name)
      .filter((tool) => denied.get(id)?.has(tool) !== true);
    const near = nearestNames(name, names, MAX_NEAR).map((tool) => JSON.stringify(`${entity.path}#${tool}`));
    const meant = meantName(name, names);
    const at = showValue(entity.path);
    const count = names.length === 0 ? 'no tools' : names.length === 1 ? 'one tool' : `${names.length} tools`;
    const hint =
      meant === undefined
        ? `${near.length === 0 ? '' : `Perhaps ${near.join(', ')}. `}It has ${count}${names.length === 0 ? '.' : `: read the ${entity.type} ${at} to see ${names.length === 1 ? 'it' : 'them'}.`}`
        : `Did you mean ${JSON.stringify(`${entity.path}#${meant}`)}?`;
    const message = `The ${entity.type} ${at} has no tool ${showValue(name)}.`;
    if (error === undefined || meant !== undefined) error = new DowserError('NOT_FOUND', message, { hint });
    if (meant !== undefined) break;
  }
  return error;
}
