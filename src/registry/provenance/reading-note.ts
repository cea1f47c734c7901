import type { Store } from '../../engines/store.ts';
import type { Observation, Reading } from './observation.ts';
import { ANNOTATIONS, type SourceNote, sourceKeyOf } from './source-note.ts';

/**
 * Records that a source was read to its end, as an annotation of one of its entities. If that entity is deleted or moves to
 * another source, the next reading is a full one.
 */
export async function noteReading(
  store: Store,
  key: string,
  { started_at, full }: NonNullable<Observation['reading']>,
): Promise<void> {
  const own = [...(await store.annotated(ANNOTATIONS.source))].filter(
    ([, note]) => sourceKeyOf(note as SourceNote) === key,
  );
  const readings = await store.annotated(ANNOTATIONS.reading);
  const holder = own.find(([id]) => readings.has(id))?.[0];
  const before = holder === undefined ? undefined : (readings.get(holder) as Reading);
  const id = holder ?? own[0]?.[0];
  if (id === undefined || (!full && before === undefined)) return;
  const value: Reading =
    full || before === undefined
      ? { started_at, full_at: started_at, partial: 0 }
      : { started_at, full_at: before.full_at, partial: before.partial + 1 };
  await store.annotate([{ id, key: ANNOTATIONS.reading, value }]);
}
