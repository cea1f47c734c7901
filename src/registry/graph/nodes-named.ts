import type { Store } from '../../engines/store.ts';
import { ENTITY_TYPES, type EntityId, entityId, splitEntityId } from '../../model/entity.ts';
import { isEntityId } from '../../model/entity-parts/entity-id.ts';
import { typesOfRole } from '../../model/entity-types/table.ts';
import { DowserError } from '../../model/errors/errors.ts';
import { showValue } from '../../model/parse/parse.ts';
import { type EntityRows, folded } from '../view/entity-view.ts';
import { type ResolvedNode, resolveNodes } from './resolve-nodes.ts';

export interface NamedNode {
  readonly node: EntityId;
  readonly path: string;
  readonly found: ResolvedNode;
}

export interface NamingParts {
  readonly store: Pick<Store, 'getMany'>;
  readonly view: EntityRows;
}

/** Several entities have the name: their ids, in order. */
interface Ambiguous {
  readonly ids: readonly EntityId[];
}

const NAMED_TYPES = [...typesOfRole('capability'), ...typesOfRole('reference')];
/** Ids that an error lists. */
const MAX_LISTED = 5;

/** The ids that a name may mean: itself, or a path of any type, with or without its slash. */
export function idsFor(name: string): readonly EntityId[] {
  const own = isEntityId(name) ? [name as EntityId] : [];
  return [...own, ...ENTITY_TYPES.flatMap((type) => [entityId(type, name), entityId(type, `/${name}`)])];
}

/**
 * What each name means: an id, a path, or else the name of one entity, the name that a package has in its ecosystem, or the end
 * of a path. Null: nothing.
 */
export async function findNamed(
  parts: NamingParts,
  names: readonly string[],
): Promise<readonly (NamedNode | Ambiguous | null)[]> {
  const possible = names.map(idsFor);
  const known = await resolveNodes(parts.store, possible.flat());
  const found: (NamedNode | Ambiguous | null)[] = [];
  for (const [at, name] of names.entries()) {
    const node = possible[at]!.find((id) => known.has(id));
    found.push(node === undefined ? await findByName(parts, name) : toNamed(node, known.get(node)!));
  }
  return found;
}

/** What each name means. Throws NOT_FOUND, and INVALID_REQUEST for a name of several entities. */
export async function nodesNamed(parts: NamingParts, names: readonly string[]): Promise<readonly NamedNode[]> {
  return (await findNamed(parts, names)).map((found, at) => {
    if (found !== null && 'node' in found) return found;
    const name = showValue(names[at]!);
    if (found !== null) {
      throw new DowserError('INVALID_REQUEST', ambiguousWords(names[at]!, found), {
        hint: 'Name one of them by its id.',
      });
    }
    throw new DowserError('NOT_FOUND', `There is no entity ${name}.`, {
      hint: 'Search for it, or name it by id, such as package:/redis.',
    });
  });
}

export function ambiguousWords(name: string, { ids }: Ambiguous): string {
  const more = ids.length > MAX_LISTED ? `, and ${ids.length - MAX_LISTED} more` : '';
  return `Several entities are named ${showValue(name)}: ${ids.slice(0, MAX_LISTED).join(', ')}${more}.`;
}

const toNamed = (node: EntityId, found: ResolvedNode): NamedNode => ({ node, path: splitEntityId(node).path, found });

async function findByName({ store, view }: NamingParts, name: string): Promise<NamedNode | Ambiguous | null> {
  const wanted = folded(name.trim());
  const byName: EntityId[] = [];
  const byPackage: EntityId[] = [];
  const byPath: EntityId[] = [];
  for (const type of NAMED_TYPES) {
    for (const row of await view.rows(type)) {
      if (row.name === wanted) byName.push(row.id);
      else if (row.packageName === wanted) byPackage.push(row.id);
      else if (folded(row.path.slice(row.path.lastIndexOf('/') + 1)) === wanted) byPath.push(row.id);
    }
  }
  const ids = [byName, byPackage, byPath].find((found) => found.length > 0) ?? [];
  const known = ids.length === 1 ? await resolveNodes(store, ids) : null;
  if (known === null) return ids.length === 0 ? null : { ids };
  const found = known.get(ids[0]!);
  return found === undefined ? null : toNamed(ids[0]!, found);
}
