import type { EmbedderIdentity } from '../../model/embedder-identity.ts';
import type { EntityId } from '../../model/entity.ts';
import type { UnitId } from '../../model/entity-parts/unit.ts';
import { compareIds } from '../../search/retrieval/compare-ids.ts';
import { checkVector } from '../check-batch.ts';
import type { PendingUnit, StaleVector, UnitVector, VectorUpkeep } from '../vector-upkeep.ts';
import type { MemoryState, MemoryUnit } from './memory-state.ts';

export class MemoryVectors implements VectorUpkeep {
  readonly #state: MemoryState;

  constructor(state: MemoryState) {
    this.#state = state;
  }

  get embedder(): EmbedderIdentity | null {
    return this.#state.embedder;
  }

  get building(): EmbedderIdentity | null {
    return this.#state.building;
  }

  async missing(
    limit: number,
    entities?: readonly EntityId[],
    embedder = this.embedder?.id,
  ): Promise<readonly PendingUnit[]> {
    this.#state.checkOpen();
    return this.#state
      .waiting(embedder)
      .filter(({ unit }) => entities === undefined || entities.includes(unit.entity))
      .slice(0, limit)
      .map(({ unit }) => ({ unit: unit.id, text: unit.embedText, textHash: unit.textHash }));
  }

  async missingIds(entities?: readonly EntityId[]): Promise<readonly UnitId[]> {
    return (await this.missing(Number.POSITIVE_INFINITY, entities)).map(({ unit }) => unit);
  }

  async put(vectors: readonly UnitVector[], embedder = this.embedder?.id): Promise<number> {
    this.#state.checkOpen();
    const identity = this.#state.identity(embedder);
    if (identity === null && this.embedder !== null) return 0;
    for (const { unit, vector } of vectors) checkVector(vector, identity, unit);
    const stored = new Set<MemoryUnit>();
    const units = this.#state.units();
    for (const { unit: id, textHash, vector } of vectors) {
      const held = units.find(({ unit }) => unit.id === id && unit.textHash === textHash);
      if (held === undefined) continue;
      held.vectors.set(identity!.id, vector.slice());
      stored.add(held);
    }
    return stored.size;
  }

  async build(embedder: EmbedderIdentity): Promise<void> {
    this.#state.checkOpen();
    this.#state.building = embedder.id === this.embedder?.id ? null : embedder;
  }

  async serveBuilding(embedder = this.building?.id): Promise<void> {
    this.#state.checkOpen();
    if (embedder !== this.building?.id) return;
    this.#state.embedder = this.building ?? this.embedder;
    this.#state.building = null;
  }

  async stale(limit: number, entities?: readonly EntityId[]): Promise<readonly StaleVector[]> {
    this.#state.checkOpen();
    return this.allStale(entities).slice(0, limit);
  }

  async dropStale(limit: number, entities?: readonly EntityId[]): Promise<number> {
    this.#state.checkOpen();
    const stale = this.allStale(entities).slice(0, limit);
    for (const { unit, embedder } of stale) {
      this.#state
        .units()
        .find((held) => held.unit.id === unit)
        ?.vectors.delete(embedder);
    }
    return stale.length;
  }

  allStale(entities?: readonly EntityId[]): readonly StaleVector[] {
    return [...this.#state.units()]
      .filter(({ unit }) => entities === undefined || entities.includes(unit.entity))
      .sort((a, b) => compareIds(a.unit.id, b.unit.id))
      .flatMap(({ unit, vectors }) => [...vectors.keys()].map((embedder) => ({ unit: unit.id, embedder })))
      .filter(({ embedder }) => this.#state.identity(embedder) === null);
  }
}
