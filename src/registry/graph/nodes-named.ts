import type { Store } from '../../engines/store.ts';
import { ENTITY_TYPES, type EntityId, entityId, splitEntityId } from '../../model/entity.ts';
import { isEntityId } from '../../model/entity-id.ts';
import { DowserError } from '../../model/errors.ts';
import { showValue } from '../../model/parse.ts';
import { type ResolvedNode, resolveNodes } from './resolve-nodes.ts';

export interface NamedNode {
  readonly node: EntityId;
  readonly path: string;
  readonly found: ResolvedNode;
}

/** The ids that a name may mean: itself, or a path of any type, with or without its slash. */
export function idsFor(name: string): readonly EntityId[] {
  const own = isEntityId(name) ? [name as EntityId] : [];
  return [...own, ...ENTITY_TYPES.flatMap((type) => [entityId(type, name), entityId(type, `/${name}`)])];
}

/** What each name means. Throws NOT_FOUND. */
export async function nodesNamed(
  store: Pick<Store, 'getMany'>,
  names: readonly string[],
): Promise<readonly NamedNode[]> {
  const possible = names.map(idsFor);
  const known = await resolveNodes(store, possible.flat());
  return names.map((name, at) => {
    const node = possible[at]!.find((id) => known.has(id));
    if (node !== undefined) return { node, path: splitEntityId(node).path, found: known.get(node)! };
    throw new DowserError('NOT_FOUND', `There is no entity ${showValue(name)}.`, {
      hint: 'Search for it, or name it by id, such as package:/redis.',
    });
  });
}
