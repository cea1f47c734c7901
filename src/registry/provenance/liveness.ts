import type { Store } from '../../engines/store.ts';
import type { EntityId } from '../../model/entity.ts';
import { ANNOTATIONS } from './source-note.ts';

export type LivenessState = 'alive' | 'dead';

const HEALTH = { alive: 'healthy', dead: 'unhealthy' } as const;

/** The health of an entity by its last check. */
export const healthOfNote = (state: LivenessState | undefined): 'healthy' | 'unhealthy' | 'unknown' =>
  state === undefined ? 'unknown' : HEALTH[state];

/** Which entities answered at the last check. Read again after each write, so most searches read nothing. */
export class LivenessView {
  readonly #store: Store;
  #revision: number | null = null;
  #states: ReadonlyMap<EntityId, LivenessState> = new Map();
  #dead: ReadonlySet<EntityId> = new Set();

  constructor(store: Store) {
    this.#store = store;
  }

  async read(): Promise<Liveness> {
    const { revision } = this.#store.changes(null);
    if (revision !== this.#revision) {
      const annotated = (await this.#store.annotated(ANNOTATIONS.liveness)) as ReadonlyMap<
        EntityId,
        { state: LivenessState }
      >;
      this.#states = new Map([...annotated].map(([id, { state }]) => [id, state]));
      this.#dead = new Set([...this.#states].filter(([, state]) => state === 'dead').map(([id]) => id));
      this.#revision = revision;
    }
    return { states: this.#states, dead: this.#dead };
  }
}

export interface Liveness {
  readonly states: ReadonlyMap<EntityId, LivenessState>;
  readonly dead: ReadonlySet<EntityId>;
}
