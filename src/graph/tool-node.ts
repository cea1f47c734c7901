import { type EntityId, entityId, splitEntityId } from '../model/entity.ts';
import { SERVER_TYPES } from '../model/entity-types/table.ts';

/** A server that `tool:/server#tool` may be of, and the name of the tool there. */
export interface ToolOwner {
  readonly server: EntityId;
  readonly name: string;
}

/** Paths and names may have a `#` of their own, so every `#` is tried. Empty for a node that is no tool. */
export function serversOfTool(node: EntityId): readonly ToolOwner[] {
  const { type, path } = splitEntityId(node);
  const found: ToolOwner[] = [];
  if (type !== 'tool') return found;
  for (let at = path.indexOf('#'); at !== -1; at = path.indexOf('#', at + 1)) {
    for (const of of SERVER_TYPES) found.push({ server: entityId(of, path.slice(0, at)), name: path.slice(at + 1) });
  }
  return found;
}
