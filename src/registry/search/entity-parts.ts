import type { Entity } from '../../model/entity.ts';
import { toolKey, type UnitKind } from '../../model/entity-parts/unit.ts';
import type { ListedTool } from '../../model/entity-types/descriptor.ts';
import { descriptorOf, toolsOf, unitsOf } from '../../model/entity-types/table.ts';

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

/** The part of an entity that an answer shows. */
export interface ShownPart {
  readonly key: string;
  readonly kind: UnitKind;
  readonly title: string;
}

/** The text of the part that was found, for showing; '' when the part has none. */
export function contextText(entity: Entity, { key, kind, title }: ShownPart): string {
  if (kind === 'card') return descriptorOf(entity).cardText(entity);
  // The first tool of a name is found by it; the keys of others say which of them they are.
  const isFirst = kind === 'tool' && key === toolKey(title);
  const tool = isFirst ? toolNamed(toolsOf(entity), title) : undefined;
  return tool?.description ?? partsOf(entity).get(key) ?? '';
}

/** The first tool of a name. Not `find`: entities are frozen, and it takes four times as long for a frozen array. */
export function toolNamed(tools: readonly ListedTool[], title: string): ListedTool | undefined {
  for (let at = 0; at < tools.length; at++) if (tools[at]!.name === title) return tools[at];
  return undefined;
}
