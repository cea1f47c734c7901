import type { Store } from '../../engines/store.ts';
import type { EntityId } from '../../model/entity.ts';

/** The values of one annotation. The map does not change: the next `read` gives another one. */
export interface FollowedValues<T> {
  read(): Promise<ReadonlyMap<EntityId, T>>;
}

/**
 * One annotation of all entities that have it. All are read once, then only those of entities that were written since. Keep
 * the values small: they stay in memory.
 */
export class FollowedAnnotation<T> implements FollowedValues<T> {
  readonly #store: Store;
  readonly #key: string;
  readonly #toValue: (annotation: unknown) => T;
  #revision: number | null = null;
  #values: ReadonlyMap<EntityId, T> = new Map();

  constructor(store: Store, key: string, toValue: (annotation: unknown) => T) {
    this.#store = store;
    this.#key = key;
    this.#toValue = toValue;
  }

  async read(): Promise<ReadonlyMap<EntityId, T>> {
    const { revision, ids } = this.#store.changes(this.#revision);
    if (ids === null) {
      const all = await this.#store.annotated(this.#key);
      this.#values = new Map(Array.from(all, ([id, annotation]) => [id, this.#toValue(annotation)]));
    } else if (ids.length > 0) {
      const before = this.#values;
      const written = [...new Set(ids)];
      const found = await this.#store.annotationsOf(written);
      const noted = written.filter((id) => before.has(id) || found.get(id)?.[this.#key] !== undefined);
      // Also if nothing changed: another reading may have stored older values in the meantime.
      this.#values = noted.length === 0 ? before : this.#changed(before, noted, found);
    }
    this.#revision = revision;
    return this.#values;
  }

  #changed(
    before: ReadonlyMap<EntityId, T>,
    ids: readonly EntityId[],
    found: ReadonlyMap<EntityId, Readonly<Record<string, unknown>>>,
  ): ReadonlyMap<EntityId, T> {
    const values = new Map(before);
    for (const id of ids) {
      const annotation = found.get(id)?.[this.#key];
      if (annotation === undefined) values.delete(id);
      else values.set(id, this.#toValue(annotation));
    }
    return values;
  }
}
