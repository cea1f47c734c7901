import type { Store } from '../../engines/store.ts';
import { splitEntityId } from '../../model/entity.ts';
import type { Drift, DriftedEntity, KnownSource, Liveness, Reading, SourceKey } from '../contract/observation.ts';
import { ANNOTATIONS, type SourceNote, sourceKeyOf } from '../notes/source-note.ts';

interface Found {
  readonly key: SourceKey;
  updatedAt: string | null;
  reading: Reading | null;
  readonly entities: KnownSource['entities'][number][];
}

/** Every source with at least one stored entity, in a stable order. */
export async function listSources(store: Store): Promise<readonly KnownSource[]> {
  const notes = await store.annotated(ANNOTATIONS.source);
  const liveness = await store.annotated(ANNOTATIONS.liveness);
  const drift = await store.annotated(ANNOTATIONS.drift);
  const readings = await store.annotated(ANNOTATIONS.reading);
  const found = new Map<string, Found>();
  for (const [id, value] of notes) {
    const { kind, locator, part, updated_at } = value as SourceNote;
    const key = sourceKeyOf({ kind, locator });
    const source = found.get(key) ?? { key: { kind, locator }, updatedAt: null, reading: null, entities: [] };
    found.set(key, source);
    if (updated_at !== undefined && (source.updatedAt === null || updated_at > source.updatedAt))
      source.updatedAt = updated_at;
    source.reading ??= (readings.get(id) ?? null) as Reading | null;
    const { type, path } = splitEntityId(id);
    const alive = (liveness.get(id) ?? null) as Liveness | null;
    source.entities.push({ entity_type: type, path, part, liveness: alive, drift: drift.has(id) });
  }
  const sorted = [...found].sort(([a], [b]) => (a < b ? -1 : 1));
  return sorted.map(([, { key, updatedAt, reading, entities }]) => ({
    ...key,
    updated_at: updatedAt,
    reading,
    entities,
  }));
}

/** Every entity whose definitions differ from the accepted ones, in id order. */
export async function listDrift(store: Store): Promise<readonly DriftedEntity[]> {
  const drifted = await store.annotated(ANNOTATIONS.drift);
  const stored = await store.getMany([...drifted.keys()]);
  return stored.map(({ id, entity }) => ({
    entity_type: entity.type,
    path: entity.path,
    name: entity.name,
    drift: drifted.get(id) as Drift,
  }));
}
