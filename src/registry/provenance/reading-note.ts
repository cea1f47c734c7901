import type { Store } from '../../engines/store.ts';
import type { EntityId } from '../../model/entity.ts';
import { readerKeys } from '../../model/filter.ts';
import type { Observation, Reading } from './observation.ts';
import { ANNOTATIONS, type SourceNote, sourceKeyOf } from './source-note.ts';

/**
 * Records that a source was read to its end, as an annotation of one of its entities. If that entity is deleted or moves to
 * another source, the next reading is a full one. Entities with the same readers share the note: whether a caller sees it must
 * not depend on entities that the caller may not read.
 */
export async function noteReading(
  store: Store,
  key: string,
  reading: NonNullable<Observation['reading']>,
): Promise<void> {
  const own: EntityId[] = [];
  for (const [id, note] of await store.annotated(ANNOTATIONS.source)) {
    if (sourceKeyOf(note as SourceNote) === key) own.push(id);
  }
  const readings = (await store.annotated(ANNOTATIONS.reading)) as ReadonlyMap<EntityId, Reading>;
  const notes = (await byReaders(store, own)).flatMap((ids) => {
    const id = ids.find((one) => readings.has(one)) ?? ids[0]!;
    const value = nextReading(readings.get(id), reading);
    return value === null ? [] : [{ id, key: ANNOTATIONS.reading, value }];
  });
  if (notes.length > 0) await store.annotate(notes);
}

/** Null for a partial reading without a full one before it. */
function nextReading(
  before: Reading | undefined,
  { started_at, full }: NonNullable<Observation['reading']>,
): Reading | null {
  if (full) return { started_at, full_at: started_at, partial: 0 };
  return before === undefined ? null : { started_at, full_at: before.full_at, partial: before.partial + 1 };
}

async function byReaders(store: Store, ids: readonly EntityId[]): Promise<readonly (readonly EntityId[])[]> {
  const groups = new Map<string, EntityId[]>();
  for (const { id, entity } of await store.getMany(ids)) {
    const readers = JSON.stringify([...readerKeys(entity)].sort());
    const group = groups.get(readers) ?? [];
    groups.set(readers, group);
    group.push(id);
  }
  return [...groups.values()];
}
