import { type Entity, idOf } from '../model/entity.ts';
import { toolKey, type UnitId, unitId } from '../model/unit.ts';
import { unitsOf } from '../model/units-of.ts';
import { type ListedTool, toolsOf } from './hits.ts';
import type { ShownUnit } from './shown-unit.ts';

/** The texts of an entity's parts by their keys, made once: a long document has thousands. */
const PARTS = new WeakMap<Entity, ReadonlyMap<string, string>>();

function partsOf(entity: Entity): ReadonlyMap<string, string> {
  let parts = PARTS.get(entity);
  if (parts === undefined) {
    parts = new Map(unitsOf(entity).map(({ key, fields }) => [key, fields.body ?? fields.description ?? '']));
    PARTS.set(entity, parts);
  }
  return parts;
}

/** The text of the part that was found, for showing; '' when the part has none. */
export function contextText(entity: Entity, { id, key, kind }: Pick<ShownUnit, 'id' | 'key' | 'kind'>): string {
  if (kind === 'card') return entity.type === 'memory' ? entity.content : entity.description;
  const known = kind === 'tool' ? knownTools(entity).find((tool) => tool.id === id) : undefined;
  return known === undefined ? (partsOf(entity).get(key) ?? '') : known.tool.description;
}

export interface KnownTool {
  readonly id: UnitId;
  readonly tool: ListedTool;
}

/** Tools with the ids of their units, made once for each stored entity: stored entities never change. */
const KNOWN_TOOLS = new WeakMap<Entity, readonly KnownTool[]>();

export function knownTools(server: Entity): readonly KnownTool[] {
  let tools = KNOWN_TOOLS.get(server);
  if (tools === undefined) {
    const entity = idOf(server);
    tools = toolsOf(server).map((tool) => ({ id: unitId(entity, toolKey(tool.name)), tool }));
    KNOWN_TOOLS.set(server, tools);
  }
  return tools;
}
