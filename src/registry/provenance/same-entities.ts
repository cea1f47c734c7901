import type { Store } from '../../engines/store.ts';
import { type Entity, type EntityId, idOf } from '../../model/entity.ts';
import { ANNOTATIONS, isExample } from '../notes/source-note.ts';
import type { EntityRows } from '../view/entity-view.ts';
import { identitiesOf, identityWord } from '../view/identities.ts';
import { REVIEW_KEY } from '../write/blocked.ts';

/** More names do not help. */
const MAX_NAMED = 3;

export interface SameEntities {
  /** Names others that are not replaced. */
  readonly note?: string;
  /** Of `examples`. */
  readonly replaced: readonly EntityId[];
  /** One that was stored before, and is none of `examples`. */
  readonly stored?: string | undefined;
}

/** For each added entity: others with the same command, address or official name, registered before or added with it. */
export async function sameEntities(
  view: EntityRows,
  added: readonly Entity[],
  examples: ReadonlySet<EntityId>,
): Promise<readonly SameEntities[]> {
  const known = new Map<string, string[]>();
  const replaceable = new Map<string, EntityId[]>();
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
    for (const row of await view.rows(type)) {
      if (own.has(row.id)) continue;
      if (!examples.has(row.id)) remember(type, row.path, row.identities);
      else {
        for (const identity of row.identities) {
          const key = keyOf(type, identity);
          replaceable.set(key, [...(replaceable.get(key) ?? []), row.id]);
        }
      }
    }
  }
  const stored = new Map(known);
  return added.map((entity) => {
    const identities = identitiesOf(entity);
    const replaced = [
      ...new Set(identities.flatMap((identity) => replaceable.get(keyOf(entity.type, identity)) ?? [])),
    ];
    const shared = identities.find((identity) => known.has(keyOf(entity.type, identity)));
    const others = shared === undefined ? [] : known.get(keyOf(entity.type, shared))!;
    remember(entity.type, entity.path, identities);
    if (shared === undefined) return { replaced };
    const note = `${entity.path} has the same ${identityWord(shared)} as ${others.join(', ')}. Delete one of them if they are the same.`;
    return { note, replaced, stored: stored.get(keyOf(entity.type, shared))?.[0] };
  });
}

/** Those that no one has approved or blocked. */
export async function untouchedExamples(store: Store): Promise<ReadonlySet<EntityId>> {
  const reviewed = await store.annotated(REVIEW_KEY);
  const sources = await store.annotated(ANNOTATIONS.source);
  return new Set([...sources].flatMap(([id, note]) => (isExample(note) && !reviewed.has(id) ? [id] : [])));
}
