import type { Store } from '../../engines/store.ts';
import type { EntityId } from '../../model/entity.ts';
import type { Drift } from './observation.ts';
import { ANNOTATIONS } from './source-note.ts';

/** The names of changed and added definitions, by entity. */
export type Drifted = ReadonlyMap<EntityId, ReadonlySet<string>>;

/** Which entities changed since they were accepted. Read again after each write, so most searches read nothing. */
export class DriftView {
  readonly #store: Store;
  #revision: number | null = null;
  #drifted: Drifted = new Map();

  constructor(store: Store) {
    this.#store = store;
  }

  async read(): Promise<Drifted> {
    const { revision } = this.#store.changes(null);
    if (revision !== this.#revision) {
      const annotated = (await this.#store.annotated(ANNOTATIONS.drift)) as ReadonlyMap<EntityId, Drift>;
      this.#drifted = new Map([...annotated].map(([id, drift]) => [id, namesOf(drift)]));
      this.#revision = revision;
    }
    return this.#drifted;
  }
}

function namesOf({ added, changed }: Drift): ReadonlySet<string> {
  return new Set([...added, ...changed.map(({ name }) => name)]);
}
