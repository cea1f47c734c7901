import type { Entity } from '../model/entity.ts';
import { toolKey, type UnitKind } from '../model/unit.ts';
import { unitsOf } from '../model/units-of.ts';
import { type ListedTool, toolsOf } from './hits.ts';

interface Part {
  readonly kind: UnitKind;
  readonly title: string;
  readonly text: string;
}

/** An entity's parts with their texts, made once: a long document has thousands. */
const PARTS = new WeakMap<Entity, ReadonlyMap<string, Part>>();

export function partsOf(entity: Entity): ReadonlyMap<string, Part> {
  let parts = PARTS.get(entity);
  if (parts === undefined) {
    parts = new Map(
      unitsOf(entity).map(({ key, kind, title, fields }) => [
        key,
        { kind, title, text: fields.body ?? fields.description ?? '' },
      ]),
    );
    PARTS.set(entity, parts);
  }
  return parts;
}

/** The text of the part that was found, for showing; '' when the part has none. */
export function contextText(entity: Entity, key: string, kind: UnitKind): string {
  if (kind === 'card') return entity.type === 'memory' ? entity.content : entity.description;
  if (kind === 'tool') {
    const known = knownTools(entity).find((tool) => tool.key === key);
    if (known !== undefined) return known.tool.description;
  }
  return partsOf(entity).get(key)?.text ?? '';
}

export interface KnownTool {
  readonly key: string;
  readonly tool: ListedTool;
  readonly lowered: ListedTool;
}

/** Tools with their keys and lower-case texts, made once for each stored entity: stored entities never change. */
const KNOWN_TOOLS = new WeakMap<Entity, readonly KnownTool[]>();

export function knownTools(server: Entity): readonly KnownTool[] {
  let tools = KNOWN_TOOLS.get(server);
  if (tools === undefined) {
    tools = toolsOf(server).map((tool) => ({
      key: toolKey(tool.name),
      tool,
      lowered: { name: tool.name.toLowerCase(), description: tool.description.toLowerCase() },
    }));
    KNOWN_TOOLS.set(server, tools);
  }
  return tools;
}
