import type { Engine } from '../../engines/engine.ts';
import type { Annotation } from '../../engines/store.ts';
import { type Entity, type EntityId, idOf } from '../../model/entity.ts';
import { inheritTools } from '../write/inherit-tools.ts';
import { toIndexed, withAnnotations } from '../write/publish.ts';

/** The writes of a reading. `gone` entities are deleted. */
export interface ObservedWrite {
  readonly entities: readonly Entity[];
  readonly annotations: readonly Annotation[];
  readonly gone: readonly EntityId[];
}

/**
 * Stores entities together with their annotations, all or none: without its source, an entity would never be found again by
 * the next reading. Call it in a turn of the writers.
 */
export async function storeObserved(engine: Engine, { entities, annotations, gone }: ObservedWrite): Promise<void> {
  const { entities: complete, followers } = await inheritTools(engine, entities, gone);
  const stored = new Set(complete.map(idOf));
  const notes = new Map<EntityId, Record<string, unknown>>();
  for (const { id, key, value } of annotations) notes.set(id, { ...notes.get(id), [key]: value });
  const batch = [
    ...complete.map((entity) => withAnnotations(toIndexed(entity), notes.get(idOf(entity)) ?? {})),
    ...followers.map(toIndexed),
  ];
  await engine.store.put(batch, { gone, annotations: annotations.filter(({ id }) => !stored.has(id)) });
}
