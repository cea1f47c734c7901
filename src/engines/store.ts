import type { Entity, EntityId, EntityType } from '../model/entity.ts';
import type { Unit } from '../model/unit.ts';

/**
 * The record: what is registered, and what the registry knows of it.
 *
 * - `put`, `delete` and `annotate` are atomic: all of a call happens or none of it, also when the process dies.
 * - Read your writes: once a write resolves, every later read and search sees it.
 * - A closed store rejects every read and write with ENGINE_UNAVAILABLE.
 */
export interface Store {
  /**
   * Adds or replaces whole entities with their units and annotations. A unit without a vector keeps the vector it had if
   * its `textHash` is unchanged; otherwise it waits for one: see `VectorUpkeep`.
   * A vector of the wrong size throws WRONG_DIMENSIONS, an entity twice in one batch DUPLICATE_PATH.
   */
  put(batch: readonly IndexedEntity[]): Promise<void>;
  /** Returns how many of them existed. */
  delete(ids: readonly EntityId[]): Promise<number>;
  /** In the order asked; ids that do not exist are left out. Callers must not change the result. */
  getMany(ids: readonly EntityId[]): Promise<readonly StoredEntity[]>;
  /** Pages through entities in id order. `after` is the `cursor` of the page before. */
  scan(query: ScanQuery): Promise<Page>;

  /**
   * Keeps what the registry itself knows of entities (ratings, liveness, source) apart from what their publishers say.
   * Annotations survive a `put` of the entity and go with its deletion. An entity that does not exist throws NOT_FOUND.
   */
  annotate(annotations: readonly Annotation[]): Promise<void>;
  /** By entity, those of `ids` that have any. */
  annotationsOf(ids: readonly EntityId[]): Promise<ReadonlyMap<EntityId, Readonly<Record<string, unknown>>>>;
  /** Every entity that has this annotation, with its value, in id order. */
  annotated(key: string): Promise<ReadonlyMap<EntityId, unknown>>;

  /** What was written since a revision, so that a view can be kept up to date. `null` starts one. */
  changes(since: number | null): Changes;
  /**
   * Runs one writer at a time that reads what is stored and writes what follows from it, so that two changes of one entity
   * never lose one another. Do not wait for a model inside.
   */
  inTurn<T>(work: () => Promise<T>): Promise<T>;
}

export interface IndexedUnit extends Unit {
  /** SHA-256 of `embedText`, hex; '' when the unit wants no vector. */
  readonly textHash: string;
  readonly vector?: Float32Array;
}

export interface IndexedEntity {
  readonly entity: Entity;
  readonly units: readonly IndexedUnit[];
  /** Annotations that are written with it: as by `annotate`, null removes one, others stay. */
  readonly annotations?: Readonly<Record<string, unknown>>;
}

export interface StoredEntity {
  readonly id: EntityId;
  readonly entity: Entity;
  /** ISO 8601, UTC. */
  readonly createdAt: string;
  readonly updatedAt: string;
}

export interface Annotation {
  readonly id: EntityId;
  readonly key: string;
  /** Anything JSON can hold; null removes it. */
  readonly value: unknown;
}

export interface ScanQuery {
  readonly types?: readonly EntityType[];
  readonly after?: string;
  readonly limit: number;
}

export interface Page {
  readonly entities: readonly StoredEntity[];
  /** Absent on the last page. */
  readonly cursor?: string;
}

export interface Changes {
  /** To ask with next time. */
  readonly revision: number;
  /** Ids written or deleted since, some perhaps twice; null when that is no longer known: read everything. */
  readonly ids: readonly EntityId[] | null;
}
