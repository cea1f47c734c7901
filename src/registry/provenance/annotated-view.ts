import type { Store } from '../../engines/store.ts';
import type { EntityId } from '../../model/entity.ts';
import type { Drift } from './observation.ts';

/** One annotation of all entities that have it. Read again after each write, so most searches read nothing. */
export class AnnotatedView<T> {
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
    const { revision } = this.#store.changes(null);
    if (revision !== this.#revision) {
      const values = new Map<EntityId, T>();
      for (const [id, annotation] of await this.#store.annotated(this.#key)) values.set(id, this.#toValue(annotation));
      this.#values = values;
      this.#revision = revision;
    }
    return this.#values;
  }
}

/** The names of changed and added definitions, by entity. */
export type Drifted = ReadonlyMap<EntityId, ReadonlySet<string>>;

export function changedNames(drift: unknown): ReadonlySet<string> {
  const { added, changed } = drift as Drift;
  return new Set([...added, ...changed.map(({ name }) => name)]);
}
