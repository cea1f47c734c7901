import { type Entity, idOf } from '../../model/entity.ts';
import type { EntityRows } from '../operations/entity-view.ts';
import { identitiesOf, identityWord } from '../operations/identities.ts';

/** More names do not help. */
const MAX_NAMED = 3;

/**
 * For each added entity: a note that names others with the same command, address or official name, registered before or
 * added with it. Undefined where there are none.
 */
export async function sameEntityNotes(
  view: EntityRows,
  added: readonly Entity[],
): Promise<readonly (string | undefined)[]> {
  const known = new Map<string, string[]>();
  const keyOf = (type: Entity['type'], identity: string) => `${type} ${identity}`;
  const remember = (type: Entity['type'], path: string, identities: readonly string[]) => {
    for (const identity of identities) {
      const key = keyOf(type, identity);
      const paths = known.get(key) ?? [];
      if (paths.length < MAX_NAMED) known.set(key, [...paths, path]);
    }
  };
  const own = new Set(added.map(idOf));
  const identified = added.filter((entity) => identitiesOf(entity).length > 0);
  for (const type of new Set(identified.map((entity) => entity.type))) {
    for (const row of await view.rows(type)) if (!own.has(row.id)) remember(type, row.path, row.identities);
  }
  return added.map((entity) => {
    const identities = identitiesOf(entity);
    const shared = identities.find((identity) => known.has(keyOf(entity.type, identity)));
    const others = shared === undefined ? [] : known.get(keyOf(entity.type, shared))!;
    remember(entity.type, entity.path, identities);
    if (shared === undefined) return undefined;
    return `${entity.path} has the same ${identityWord(shared)} as ${others.join(', ')}. Delete one of them if they are the same.`;
  });
}
