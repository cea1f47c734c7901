import type { EmbedderIdentity } from '../../model/embedder-identity.ts';
import type { EntityId } from '../../model/entity.ts';
import type { UnitId } from '../../model/entity-parts/unit.ts';
import { compareIds } from '../../search/retrieval/compare-ids.ts';
import { checkVector } from '../check-batch.ts';
import type { VectorState } from '../shared-record.ts';
import type { PendingUnit, StaleVector, UnitVector, VectorUpkeep } from '../vector-upkeep.ts';
import { servedEmbedder } from './choose-embedder.ts';
import type { EngineState } from './engine-state.ts';
import type { VectorSpace } from './index/vector-space.ts';

/** Keeps vectors in the record and in the index. */
export class EmbeddedVectors implements VectorUpkeep {
  readonly #state: EngineState;

  constructor(state: EngineState) {
    this.#state = state;
  }

  get embedder(): EmbedderIdentity | null {
    return this.#state.index.serving?.embedder ?? null;
  }

  get building(): EmbedderIdentity | null {
    return this.#state.index.building?.embedder ?? null;
  }

  async missing(limit: number, entities?: readonly EntityId[], embedder?: string): Promise<readonly PendingUnit[]> {
    const pending: PendingUnit[] = [];
    for (const row of this.#waitingRows(entities, embedder)) {
      if (pending.length >= limit) break;
      const { id, textHash } = this.#state.index.table.unitAt(row)!;
      pending.push({ unit: id, text: this.#state.record.embedTextOf(row), textHash });
    }
    return pending;
  }

  async missingIds(entities?: readonly EntityId[]): Promise<readonly UnitId[]> {
    const { table } = this.#state.index;
    return Array.from(this.#waitingRows(entities), (row) => table.unitAt(row)!.id);
  }

  /** Rows without a vector, in the order of their unit ids. */
  #waitingRows(entities?: readonly EntityId[], embedder?: string): Iterable<number> {
    this.#state.checkOpen();
    const { table } = this.#state.index;
    const space = this.#liveSpace(embedder);
    if (space === null) return [];
    if (entities === undefined) return space.waitingRows(table.compareRows);
    return [...new Set(entities)]
      .flatMap((id) => table.rowsOfEntity(id))
      .filter((row) => space.isWaiting(row))
      .sort(table.compareRows);
  }

  put(vectors: readonly UnitVector[], embedder?: string): Promise<number> {
    return this.#state.writeAtOnce(() => this.#put(vectors, embedder));
  }

  #put(vectors: readonly UnitVector[], embedder: string | undefined): number {
    const space = this.#liveSpace(embedder);
    if (space === null && this.#state.index.serving !== null) return 0;
    const byRow = new Map<number, Float32Array>();
    for (const { unit, textHash, vector } of vectors) {
      checkVector(vector, space?.embedder ?? null, unit);
      const found = this.#state.index.table.unit(unit);
      if (found?.textHash === textHash) byRow.set(found.row, vector);
    }
    if (byRow.size === 0 || space === null) return 0;
    space.reserve(byRow.keys());
    this.#state.record.write((seq) => {
      for (const [row, vector] of byRow) this.#state.record.putVector(row, space.embedder, vector, seq);
    });
    for (const [row, vector] of byRow) space.set(row, vector);
    this.#state.countChanges(0);
    this.#state.written();
    return byRow.size;
  }

  /**
   * Stores what a shared record has accepted, of any embedder; null deletes. What does not fit in memory is only stored: the
   * record has it already, so this must not fail. `position` goes into the same transaction. Call it in the turn of a write.
   */
  copy(vectors: readonly VectorState[], position: string | null): void {
    const { record, index } = this.#state;
    const found = vectors.flatMap((state) => {
      const unit = index.table.unit(state.unit);
      return unit === undefined || (state.vector !== null && unit.textHash !== state.textHash) ? [] : [{ unit, state }];
    });
    if (found.length === 0 && position === null) return;
    for (const id of new Set(found.map(({ state }) => state.embedder))) record.addEmbedder({ id });
    record.write((seq) => {
      for (const { unit, state } of found) {
        if (state.vector === null) record.deleteVector(unit.row, state.embedder);
        else record.putVector(unit.row, { id: state.embedder }, state.vector, seq);
      }
      if (position !== null) record.setCopyPosition(position);
    });
    for (const { unit, state } of found) {
      const space = index.space(state.embedder);
      if (state.vector !== null) space?.load(unit.row, state.vector);
      else if (space !== index.retired) space?.delete(unit.row, unit.textHash);
    }
    // Searches that began before the switch may still use them until all are gone.
    if (index.retired !== null && record.vectorCount(index.retired.embedder.id) === 0) index.dropRetired();
    this.#state.countChanges(0);
    this.#state.written();
  }

  build(embedder: EmbedderIdentity): Promise<void> {
    return this.#state.writeAtOnce(() => this.buildNow(embedder));
  }

  /** Call it in the turn of a write. */
  buildNow(embedder: EmbedderIdentity): void {
    this.#state.countChanges(0);
    const { serving, building } = this.#state.index;
    if (embedder.id === building?.embedder.id) return;
    const isServed = embedder.id === serving?.embedder.id;
    this.#state.index.build(isServed ? null : embedder);
    if (isServed) return;
    this.#state.record.addEmbedder(embedder);
    this.#state.written();
    this.#state.index.building!.loadAll(this.#state.record);
  }

  async serveBuilding(embedder = this.building?.id): Promise<void> {
    await this.builtSettled(embedder);
    await this.#state.writeAtOnce(() => this.serveBuildingNow(embedder));
  }

  /** Resolves when a server that searches the vectors which are built has all of them, or cannot be reached. */
  async builtSettled(embedder = this.building?.id): Promise<void> {
    const { building } = this.#state.index;
    if (building !== null && building.embedder.id === embedder) await building.remote?.settled();
  }

  /** Call it in the turn of a write. */
  serveBuildingNow(embedder = this.building?.id): void {
    if (this.building === null || this.building.id !== embedder) return;
    this.#state.record.serve(this.building);
    this.#state.written();
    this.#state.index.serveBuilding();
    this.#state.countChanges(0);
  }

  /** The embedder to serve in a store that is opened for this one. */
  choose(wanted: EmbedderIdentity): EmbedderIdentity {
    return servedEmbedder(this.#state.record, wanted);
  }

  /** Some stale vectors, in no order: sorting all of them for each step of a clean-up would block searches. */
  someStale(limit: number, entities?: readonly EntityId[]): readonly Omit<VectorState, 'vector'>[] {
    const { table } = this.#state.index;
    return [...this.#staleRows(limit, entities)].map(({ row, embedder }) => {
      const { id: unit, entity, textHash } = table.unitAt(row)!;
      return { unit, entity, embedder, textHash };
    });
  }

  async stale(limit: number, entities?: readonly EntityId[]): Promise<readonly StaleVector[]> {
    this.#state.checkOpen();
    return [...this.#staleRows(Number.POSITIVE_INFINITY, entities)]
      .map(({ row, embedder }) => ({ unit: this.#state.index.table.unitAt(row)!.id, embedder }))
      .sort((a, b) => compareIds(a.unit, b.unit) || compareIds(a.embedder, b.embedder))
      .slice(0, limit);
  }

  countStale(readers?: readonly string[]): number {
    if (readers !== undefined) {
      const readable = this.#state.index.eligible({ readers });
      return [...this.#staleRows(Number.POSITIVE_INFINITY)].filter(({ row }) => readable.has(row)).length;
    }
    return this.#staleEmbedders().reduce((sum, id) => sum + this.#state.record.vectorCount(id), 0);
  }

  dropStale(limit: number, entities?: readonly EntityId[]): Promise<number> {
    return this.#state.writeAtOnce(() => this.#dropStale(limit, entities));
  }

  #dropStale(limit: number, entities: readonly EntityId[] | undefined): number {
    const stale = [...this.#staleRows(limit, entities)];
    if (entities === undefined) this.#state.index.dropRetired();
    if (stale.length === 0) return 0;
    this.#state.record.write(() => {
      for (const { row, embedder } of stale) this.#state.record.deleteVector(row, embedder);
    });
    this.#state.countChanges(0);
    this.#state.written();
    return stale.length;
  }

  /** The space of an embedder that is served or built; null for any other. */
  #liveSpace(embedder: string | undefined): VectorSpace | null {
    const { serving, building } = this.#state.index;
    if (embedder === undefined) return serving;
    return [serving, building].find((space) => space?.embedder.id === embedder) ?? null;
  }

  /** If no embedder is configured, the one that was served last is not stale: it may be configured again. */
  #staleEmbedders(): readonly string[] {
    const { serving, building } = this.#state.index;
    const served = serving?.embedder.id ?? this.#state.record.served;
    if (served === null) return [];
    return this.#state.record.embedders.filter((id) => id !== served && id !== building?.embedder.id);
  }

  *#staleRows(limit: number, entities?: readonly EntityId[]): Generator<{ row: number; embedder: string }> {
    const wanted = entities === undefined ? null : new Set(entities);
    let count = 0;
    for (const embedder of this.#staleEmbedders()) {
      for (const row of this.#state.record.rowsWithVector(embedder)) {
        if (count >= limit) return;
        const owner = this.#state.index.table.ownerOf(row);
        if (owner === undefined || (wanted !== null && !wanted.has(owner.facts.id))) continue;
        count++;
        yield { row, embedder };
      }
    }
  }
}
