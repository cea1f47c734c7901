import { setImmediate } from 'node:timers/promises';
import type { Store, StoredEntity } from '../../engines/store.ts';
import type { Entity, EntityId, EntityOf, EntityType } from '../../model/entity.ts';
import { stated } from '../../model/json/json-object.ts';
import type { EntityRecord, Scored } from '../contract/answers.ts';

/** Entities read at once. Other requests are answered in between. */
const PAGE = 500;

export type StoredOf<T extends EntityType> = StoredEntity & { readonly entity: EntityOf<T> };

/** Every stored entity of these types, in id order. Default: all types. */
export async function* scanRecords<T extends EntityType>(
  store: Store,
  types?: readonly T[],
): AsyncGenerator<StoredOf<T>> {
  for await (const page of scanPages(store, PAGE, types)) yield* page;
}

/** The same, some entities at a time. */
export async function* scanPages<T extends EntityType>(
  store: Store,
  limit: number,
  types?: readonly T[],
): AsyncGenerator<readonly StoredOf<T>[]> {
  let after: string | undefined;
  do {
    const page = await store.scan({ limit, ...stated({ types, after }) });
    yield page.entities as readonly StoredOf<T>[];
    after = page.cursor;
    if (after !== undefined) await setImmediate();
  } while (after !== undefined);
}

/** By stored entity, which is never changed in place. */
const records = new WeakMap<StoredEntity, EntityRecord>();

/** The same object for the same stored entity, so that answers made from it can be remembered. */
export function toRecord(stored: StoredEntity): EntityRecord {
  const known = records.get(stored);
  if (known !== undefined) return known;
  const { entity, createdAt, updatedAt } = stored;
  const record = Object.freeze({ entity, created_at: createdAt, updated_at: updatedAt });
  records.set(stored, record);
  return record;
}

/** The records with a score above 0, best first, equal scores in id order. */
export async function scoreRecords(
  store: Store,
  rows: readonly { readonly id: EntityId }[],
  scoreOf: (entity: Entity) => number,
): Promise<readonly Scored[]> {
  const found: Scored[] = [];
  for (const stored of await store.getMany(rows.map(({ id }) => id).sort())) {
    const score = scoreOf(stored.entity);
    if (score > 0) found.push({ ...toRecord(stored), relevance_score: Math.round(score * 10_000) / 10_000 });
  }
  return found.sort((a, b) => b.relevance_score - a.relevance_score);
}
