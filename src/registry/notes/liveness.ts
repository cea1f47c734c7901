import type { Store } from '../../engines/store.ts';
import type { EntityId } from '../../model/entity.ts';
import { FollowedAnnotation, type FollowedValues } from '../contract/followed-annotation.ts';
import { ANNOTATIONS } from './source-note.ts';

export type LivenessState = 'alive' | 'dead';

const HEALTH = { alive: 'healthy', dead: 'unhealthy' } as const;

/** The health of an entity by its last check. */
export const healthOfNote = (state: LivenessState | undefined): 'healthy' | 'unhealthy' | 'unknown' =>
  state === undefined ? 'unknown' : HEALTH[state];

/** Which entities answered at the last check. */
export class LivenessView {
  readonly #states: FollowedValues<LivenessState>;
  #last: Liveness = { states: new Map(), dead: new Set() };

  constructor(store: Store) {
    const toState = (note: unknown) => (note as { readonly state: LivenessState }).state;
    this.#states = new FollowedAnnotation(store, ANNOTATIONS.liveness, toState);
  }

  async read(): Promise<Liveness> {
    const states = await this.#states.read();
    if (states !== this.#last.states) {
      const dead = new Set<EntityId>();
      for (const [id, state] of states) if (state === 'dead') dead.add(id);
      this.#last = { states, dead };
    }
    return this.#last;
  }
}

export interface Liveness {
  readonly states: ReadonlyMap<EntityId, LivenessState>;
  readonly dead: ReadonlySet<EntityId>;
}
