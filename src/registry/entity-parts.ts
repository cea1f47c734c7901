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
  const tool = toolWithKey(entity, key);
  return tool === undefined ? (partsOf(entity).get(key)?.text ?? '') : tool.description;
}

/** What a unit is called, without making all units of the entity where one look at its key is enough. */
export function titleOf(entity: Entity, key: string): Pick<Part, 'kind' | 'title'> | undefined {
  if (key === 'card') return { kind: 'card', title: entity.name === '' ? entity.path : entity.name };
  const tool = toolWithKey(entity, key);
  return tool === undefined ? partsOf(entity).get(key) : { kind: 'tool', title: tool.name };
}

/** The first tool that has the key; the second of one name has a key of its own, which only its unit knows. */
function toolWithKey(entity: Entity, key: string): ListedTool | undefined {
  return key.startsWith(TOOL) ? knownTools(entity).find((known) => known.key === key)?.tool : undefined;
}

const TOOL = toolKey('');

export interface KnownTool {
  readonly key: string;
  readonly tool: ListedTool;
}

/** Tools with their keys, made once for each stored entity: stored entities never change. */
const KNOWN_TOOLS = new WeakMap<Entity, readonly KnownTool[]>();

export function knownTools(server: Entity): readonly KnownTool[] {
  let tools = KNOWN_TOOLS.get(server);
  if (tools === undefined) {
    tools = toolsOf(server).map((tool) => ({ key: toolKey(tool.name), tool }));
    KNOWN_TOOLS.set(server, tools);
  }
  return tools;
}
