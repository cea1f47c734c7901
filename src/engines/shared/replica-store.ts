import { type EntityId, idOf } from '../../model/entity.ts';
import { checkBatch, noSuchEntity } from '../check-batch.ts';
import type { EmbeddedEngine } from '../embedded/embedded-engine.ts';
import type { CopiedEntity } from '../embedded/local-copy.ts';
import { inSlices } from '../in-slices.ts';
import type { EntityState, VectorState } from '../shared-record.ts';
import type {
  AlsoWritten,
  Annotation,
  Changes,
  IndexedEntity,
  IndexedUnit,
  Page,
  ScanQuery,
  Store,
  StoredEntity,
} from '../store.ts';
import type { ReplicaWriter } from './replica-writer.ts';

/** Writes go to the shared record and then to the copy. Reads are of the copy. */
export class ReplicaStore implements Store {
  readonly #local: EmbeddedEngine;
  readonly #writer: ReplicaWriter;
  readonly #checkUsable: () => void;
  readonly #now: () => Date;

  constructor(local: EmbeddedEngine, writer: ReplicaWriter, checkUsable: () => void, now: () => Date) {
    this.#local = local;
    this.#writer = writer;
    this.#checkUsable = checkUsable;
    this.#now = now;
  }

  put(batch: readonly IndexedEntity[], { gone = [], annotations = [] }: AlsoWritten = {}): Promise<void> {
    return this.#writer.inTurn(async () => {
      this.#checkUsable();
      const embedder = this.#local.vectors.embedder;
      await inSlices(checkBatch(batch, embedder, gone));
      this.#local.store.checkRoom(batch, gone);
      this.#checkKnown(annotations);
      const deleted = this.#existing(gone);
      if (batch.length + annotations.length + deleted.length === 0) return;
      const now = this.#now().toISOString();
      const states = batch.map((put) => this.#toState(put, now));
      const vectors = batch.flatMap(({ units }) => units.flatMap((unit) => toVectorState(unit, embedder?.id)));
      const own = batch.flatMap(({ entity, annotations: notes = {} }) =>
        Object.entries(notes).map(([key, value]): Annotation => ({ id: idOf(entity), key, value })),
      );
      const entities = batch.map((put, n): CopiedEntity => ({ indexed: toCopy(put, states[n]!), whole: null }));
      await this.#writer.write(
        { entities: states, deleted, annotations: [...own, ...annotations], vectors },
        { entities, deleted, annotations, vectors },
      );
    });
  }

  delete(ids: readonly EntityId[]): Promise<number> {
    return this.#writer.inTurn(async () => {
      this.#checkUsable();
      const deleted = this.#existing(ids);
      if (deleted.length > 0) await this.#writer.write({ deleted }, { deleted });
      return deleted.length;
    });
  }

  async getMany(ids: readonly EntityId[]): Promise<readonly StoredEntity[]> {
    this.#checkUsable();
    return this.#local.store.getMany(ids);
  }

  async scan(query: ScanQuery): Promise<Page> {
    this.#checkUsable();
    return this.#local.store.scan(query);
  }

  annotate(annotations: readonly Annotation[]): Promise<void> {
    return this.#writer.inTurn(async () => {
      this.#checkUsable();
      this.#checkKnown(annotations);
      if (annotations.length > 0) await this.#writer.write({ annotations }, { annotations });
    });
  }

  async annotationsOf(ids: readonly EntityId[]): Promise<ReadonlyMap<EntityId, Readonly<Record<string, unknown>>>> {
    this.#checkUsable();
    return this.#local.store.annotationsOf(ids);
  }

  async annotated(key: string): Promise<ReadonlyMap<EntityId, unknown>> {
    this.#checkUsable();
    return this.#local.store.annotated(key);
  }

  changes(since: number | null): Changes {
    return this.#local.store.changes(since);
  }

  inTurn<T>(work: () => Promise<T>): Promise<T> {
    return this.#writer.inTurn(work);
  }

  #existing(ids: readonly EntityId[]): readonly EntityId[] {
    return [...new Set(ids)].filter((id) => this.#local.copy.has(id));
  }

  #checkKnown(annotations: readonly Annotation[]): void {
    for (const { id } of annotations) if (!this.#local.copy.has(id)) throw noSuchEntity(id);
  }

  #toState({ entity, units, createdAt, updatedAt }: IndexedEntity, now: string): EntityState {
    const id = idOf(entity);
    return {
      id,
      json: JSON.stringify(entity),
      units,
      createdAt: createdAt ?? this.#local.copy.createdAt(id) ?? now,
      updatedAt: updatedAt ?? now,
    };
  }
}

function toVectorState({ id, entity, textHash, vector }: IndexedUnit, embedder: string | undefined): VectorState[] {
  return vector === undefined || embedder === undefined ? [] : [{ unit: id, entity, embedder, textHash, vector }];
}

/** Without vectors: they are given apart, and may not fit in memory. */
function toCopy({ entity, units, annotations }: IndexedEntity, { createdAt, updatedAt }: EntityState): IndexedEntity {
  const plain = units.map(({ vector: _, ...unit }) => unit);
  return { entity, units: plain, createdAt, updatedAt, ...(annotations === undefined ? {} : { annotations }) };
}
