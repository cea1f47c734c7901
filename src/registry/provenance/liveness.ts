import type { Engine } from '../../engines/engine.ts';
import type { EntityId } from '../../model/entity.ts';
import type { ChangeLog } from '../change-log.ts';
import { ANNOTATIONS } from './source-note.ts';

export type LivenessState = 'alive' | 'dead';

/** Who answered when last asked, read again after each write: most searches between two writes cost nothing. */
export class LivenessView {
  readonly #engine: Engine;
  readonly #changes: ChangeLog;
  #revision: number | null = null;
  #states: ReadonlyMap<EntityId, LivenessState> = new Map();
  #dead: ReadonlySet<EntityId> = new Set();

  constructor(engine: Engine, changes: ChangeLog) {
    this.#engine = engine;
    this.#changes = changes;
  }

  async read(): Promise<Liveness> {
    const { revision } = this.#changes.since(null);
    if (revision !== this.#revision) {
      const annotated = (await this.#engine.annotated(ANNOTATIONS.liveness)) as ReadonlyMap<
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
