import type { EmbedderIdentity } from '../../model/embedder-identity.ts';
import type { EntityId } from '../../model/entity.ts';
import { DowserError } from '../../model/errors/errors.ts';
import { compareIds } from '../../search/retrieval/compare-ids.ts';
import type { AnalyzedUnit } from '../../search/text/analyzed-unit.ts';
import type { IndexedUnit, StoredEntity } from '../store.ts';

export interface MemoryUnit {
  readonly unit: IndexedUnit;
  readonly analyzed: AnalyzedUnit;
  /** By embedder. */
  readonly vectors: Map<string, Float32Array>;
}

/** Entities and annotations are JSON, so that callers cannot change the stored ones. */
export interface MemoryEntity {
  readonly json: string;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly units: readonly MemoryUnit[];
  readonly annotations: ReadonlyMap<string, string>;
}

/** What the store, the index and the vectors of one memory engine share. */
export class MemoryState {
  readonly entities = new Map<EntityId, MemoryEntity>();
  embedder: EmbedderIdentity | null;
  building: EmbedderIdentity | null = null;
  isClosed = false;

  constructor(embedder: EmbedderIdentity | null) {
    this.embedder = embedder;
  }

  checkOpen(): void {
    if (!this.isClosed) return;
    throw new DowserError('ENGINE_UNAVAILABLE', 'The engine is closed.', { hint: 'Open it again.' });
  }

  units(): readonly MemoryUnit[] {
    return [...this.entities.values()].flatMap(({ units }) => units);
  }

  read(id: EntityId): StoredEntity | undefined {
    const held = this.entities.get(id);
    if (held === undefined) return undefined;
    const { json, createdAt, updatedAt } = held;
    return { id, entity: JSON.parse(json), createdAt, updatedAt };
  }

  /** The embedder that is served or built, by its id; null for any other. */
  identity(embedder: string | undefined): EmbedderIdentity | null {
    return [this.embedder, this.building].find((identity) => identity?.id === embedder) ?? null;
  }

  /** Units that want a vector of this embedder and have none, ordered by id. */
  waiting(embedder: string | undefined): readonly MemoryUnit[] {
    const identity = this.identity(embedder);
    if (identity === null) return [];
    return this.units()
      .filter(({ unit, vectors }) => unit.textHash !== '' && !vectors.has(identity.id))
      .sort((a, b) => compareIds(a.unit.id, b.unit.id));
  }
}
