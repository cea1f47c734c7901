import type { EmbedderIdentity } from '../../model/embedder-identity.ts';
import type { EntityId } from '../../model/entity.ts';
import type { UnitId } from '../../model/entity-parts/unit.ts';
import { checkVector } from '../check-batch.ts';
import type { EmbeddedEngine } from '../embedded/embedded-engine.ts';
import type { EmbedderStates, VectorState } from '../shared-record.ts';
import type { PendingUnit, StaleVector, UnitVector, VectorUpkeep } from '../vector-upkeep.ts';
import type { Follower } from './follower.ts';
import type { ReplicaWriter } from './replica-writer.ts';

/** Vectors go to the shared record and then to the copy. Which embedder is served and built is the record's. */
export class ReplicaVectors implements VectorUpkeep {
  readonly #local: EmbeddedEngine;
  readonly #writer: ReplicaWriter;
  readonly #follower: Follower;
  readonly #checkUsable: () => void;

  constructor(local: EmbeddedEngine, writer: ReplicaWriter, follower: Follower, checkUsable: () => void) {
    this.#local = local;
    this.#writer = writer;
    this.#follower = follower;
    this.#checkUsable = checkUsable;
  }

  get embedder(): EmbedderIdentity | null {
    return this.#local.vectors.embedder;
  }

  get building(): EmbedderIdentity | null {
    return this.#local.vectors.building;
  }

  async missing(limit: number, entities?: readonly EntityId[], embedder?: string): Promise<readonly PendingUnit[]> {
    this.#checkUsable();
    return this.#local.vectors.missing(limit, entities, embedder);
  }

  async missingIds(entities?: readonly EntityId[]): Promise<readonly UnitId[]> {
    this.#checkUsable();
    return this.#local.vectors.missingIds(entities);
  }

  put(vectors: readonly UnitVector[], embedder = this.embedder?.id): Promise<number> {
    return this.#writer.inTurn(async () => {
      this.#checkUsable();
      const identity = [this.embedder, this.building].find((one) => one !== null && one.id === embedder) ?? null;
      if (identity === null && this.embedder !== null) return 0;
      const states = new Map<UnitId, VectorState>();
      for (const { unit, textHash, vector } of vectors) {
        checkVector(vector, identity, unit);
        if (identity === null || !this.#local.copy.hasUnit(unit, textHash)) continue;
        const entity = unit.slice(0, unit.lastIndexOf('#')) as EntityId;
        states.set(unit, { unit, entity, embedder: identity.id, textHash, vector });
      }
      await this.#write([...states.values()]);
      return states.size;
    });
  }

  build(embedder: EmbedderIdentity): Promise<void> {
    return this.#writer.inTurn(async () => {
      const { served, building } = this.#states();
      const next = embedder.id === served?.id ? null : embedder;
      if (next?.id !== building?.id) await this.setEmbedders({ served, building: next });
    });
  }

  async serveBuilding(embedder?: string): Promise<void> {
    await this.#local.vectors.builtSettled(embedder);
    return this.#writer.inTurn(async () => {
      const { building } = this.#states();
      if (building === null || building.id !== (embedder ?? building.id)) return;
      await this.setEmbedders({ served: building, building: null });
    });
  }

  async stale(limit: number, entities?: readonly EntityId[]): Promise<readonly StaleVector[]> {
    this.#checkUsable();
    return this.#local.vectors.stale(limit, entities);
  }

  dropStale(limit: number, entities?: readonly EntityId[]): Promise<number> {
    return this.#writer.inTurn(async () => {
      this.#checkUsable();
      const stale = this.#local.vectors.someStale(limit, entities);
      await this.#write(stale.map((state): VectorState => ({ ...state, vector: null })));
      return stale.length;
    });
  }

  /** Call it in a turn. */
  async setEmbedders(embedders: EmbedderStates): Promise<void> {
    await this.#writer.write({ embedders }, {});
    await this.#follower.applyEmbedders(embedders);
  }

  async #write(vectors: readonly VectorState[]): Promise<void> {
    if (vectors.length > 0) await this.#writer.write({ vectors }, { vectors });
  }

  /** Call it in a turn. */
  #states(): EmbedderStates {
    return this.#follower.embedders!;
  }
}
