import type { EmbedderIdentity } from '../../model/embedder-identity.ts';
import type { EntityId } from '../../model/entity.ts';
import { compareIds } from '../../search/retrieval/compare-ids.ts';
import { checkVector } from '../check-batch.ts';
import type { PendingUnit, StaleVector, UnitVector, VectorUpkeep } from '../vector-upkeep.ts';
import type { EngineState } from './engine-state.ts';
import type { RecordStore } from './record/record-store.ts';
import type { RowIndex } from './row-index.ts';
import type { VectorSpace } from './vector-space.ts';

/** Vectors in the record and in the index alike. */
export class EmbeddedVectors implements VectorUpkeep {
  readonly #state: EngineState;
  readonly #record: RecordStore;
  readonly #index: RowIndex;

  constructor(state: EngineState) {
    this.#state = state;
    this.#record = state.record;
    this.#index = state.index;
  }

  get embedder(): EmbedderIdentity | null {
    return this.#index.serving?.embedder ?? null;
  }

  get building(): EmbedderIdentity | null {
    return this.#index.building?.embedder ?? null;
  }

  async missing(limit: number, entities?: readonly EntityId[], embedder?: string): Promise<readonly PendingUnit[]> {
    this.#state.checkOpen();
    const { table } = this.#index;
    const space = this.#liveSpace(embedder);
    if (space === null) return [];
    const rows =
      entities === undefined
        ? space.waitingRows()
        : [...new Set(entities)].flatMap((id) => table.rowsOfEntity(id)).filter((row) => space.isWaiting(row));
    const pending: PendingUnit[] = [];
    for (const row of rows) {
      if (pending.length >= limit) break;
      const { id, textHash } = table.unitAt(row)!;
      pending.push({ unit: id, text: this.#record.embedTextOf(row), textHash });
    }
    return pending;
  }

  async put(vectors: readonly UnitVector[], embedder?: string): Promise<number> {
    this.#state.checkOpen();
    const space = this.#liveSpace(embedder);
    if (space === null && this.#index.serving !== null) return 0;
    const byRow = new Map<number, Float32Array>();
    for (const { unit, textHash, vector } of vectors) {
      checkVector(vector, space?.embedder ?? null, unit);
      const found = this.#index.table.unit(unit);
      if (found?.textHash === textHash) byRow.set(found.row, vector);
    }
    if (byRow.size === 0 || space === null) return 0;
    space.reserve(byRow.keys());
    this.#record.write((seq) => {
      for (const [row, vector] of byRow) this.#record.putVector(row, space.embedder, vector, seq);
    });
    for (const [row, vector] of byRow) space.set(row, vector);
    this.#state.countChanges(byRow.size);
    return byRow.size;
  }

  async build(embedder: EmbedderIdentity): Promise<void> {
    this.#state.checkOpen();
    this.#state.countChanges(0);
    const { serving, building } = this.#index;
    if (embedder.id === building?.embedder.id) return;
    const isServed = embedder.id === serving?.embedder.id;
    this.#index.build(isServed ? null : embedder);
    if (isServed) return;
    this.#record.addEmbedder(embedder);
    for (const { row, vector } of this.#record.vectorsSince(0, embedder)) this.#index.building!.load(row, vector);
  }

  async serveBuilding(): Promise<void> {
    this.#state.checkOpen();
    if (this.building === null) return;
    this.#record.serve(this.building);
    this.#index.serveBuilding();
    // The snapshot has the vectors of the other one: a new one is worth writing.
    this.#state.countChanges(this.#index.table.unitCount);
  }

  async stale(limit: number, entities?: readonly EntityId[]): Promise<readonly StaleVector[]> {
    this.#state.checkOpen();
    return [...this.#staleRows(Number.POSITIVE_INFINITY, entities)]
      .map(({ row, embedder }) => ({ unit: this.#index.table.unitAt(row)!.id, embedder }))
      .sort((a, b) => compareIds(a.unit, b.unit) || compareIds(a.embedder, b.embedder))
      .slice(0, limit);
  }

  countStale(readers?: readonly string[]): number {
    if (readers !== undefined) {
      const readable = this.#index.eligible({ readers });
      return [...this.#staleRows(Number.POSITIVE_INFINITY)].filter(({ row }) => readable.has(row)).length;
    }
    return this.#staleEmbedders().reduce((sum, id) => sum + this.#record.vectorCount(id), 0);
  }

  async dropStale(limit: number, entities?: readonly EntityId[]): Promise<number> {
    this.#state.checkOpen();
    const stale = [...this.#staleRows(limit, entities)];
    if (entities === undefined) this.#index.dropRetired();
    if (stale.length === 0) return 0;
    this.#record.write(() => {
      for (const { row, embedder } of stale) this.#record.deleteVector(row, embedder);
    });
    this.#state.countChanges(0);
    return stale.length;
  }

  /** The space of an embedder that is served or built: the only ones that vectors are wanted for. */
  #liveSpace(embedder: string | undefined): VectorSpace | null {
    const { serving, building } = this.#index;
    if (embedder === undefined) return serving;
    return [serving, building].find((space) => space?.embedder.id === embedder) ?? null;
  }

  /** Without an embedder nothing is stale that was served before: it may be configured again. */
  #staleEmbedders(): readonly string[] {
    const { serving, building } = this.#index;
    const served = serving?.embedder.id ?? this.#record.served;
    if (served === null) return [];
    return this.#record.embedders.filter((id) => id !== served && id !== building?.embedder.id);
  }

  *#staleRows(limit: number, entities?: readonly EntityId[]): Generator<{ row: number; embedder: string }> {
    const wanted = entities === undefined ? null : new Set(entities);
    let count = 0;
    for (const embedder of this.#staleEmbedders()) {
      for (const row of this.#record.rowsWithVector(embedder)) {
        if (count >= limit) return;
        const owner = this.#index.table.ownerOf(row);
        if (owner === undefined || (wanted !== null && !wanted.has(owner.facts.id))) continue;
        count++;
        yield { row, embedder };
      }
    }
  }
}
