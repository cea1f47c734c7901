import { setImmediate } from 'node:timers/promises';
import type { Store, StoredEntity } from '../../engines/store.ts';
import type { EntityOf, EntityType } from '../../model/entity.ts';
import type { EntityRecord } from '../answers.ts';

/** Entities between two turns of the event loop: other requests are answered in between. */
const PAGE = 500;

export type StoredOf<T extends EntityType> = StoredEntity & { readonly entity: EntityOf<T> };

/** Every stored entity of these types, in id order; all types when none is given. */
export async function* scanRecords<T extends EntityType>(
  store: Store,
  types?: readonly T[],
): AsyncGenerator<StoredOf<T>> {
  let after: string | undefined;
  do {
    const page = await store.scan({
      limit: PAGE,
      ...(types === undefined ? {} : { types }),
      ...(after === undefined ? {} : { after }),
    });
    yield* page.entities as readonly StoredOf<T>[];
    after = page.cursor;
    if (after !== undefined) await setImmediate();
  } while (after !== undefined);
}

export function toRecord({ entity, createdAt, updatedAt }: StoredEntity): EntityRecord {
  return { entity, created_at: createdAt, updated_at: updatedAt };
}
