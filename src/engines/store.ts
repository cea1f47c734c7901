import type { Entity, EntityId, EntityType } from '../model/entity.ts';
import type { Unit } from '../model/entity-parts/unit.ts';

/**
 * The record: the registered entities and their annotations.
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
   * `also` is part of the same write.
   */
  put(batch: readonly IndexedEntity[], also?: AlsoWritten): Promise<void>;
  /** Returns how many of them existed. */
  delete(ids: readonly EntityId[]): Promise<number>;
  /** In the order asked; ids that do not exist are left out. Callers must not change the result. */
  getMany(ids: readonly EntityId[]): Promise<readonly StoredEntity[]>;
  /** Pages through entities in id order. `after` is the `cursor` of the page before. */
  scan(query: ScanQuery): Promise<Page>;

  /**
   * Stores what the registry itself knows about entities (ratings, liveness, source), apart from the publisher's data.
   * Annotations survive a `put` of the entity and are deleted with it. An entity that does not exist throws NOT_FOUND.
   */
  annotate(annotations: readonly Annotation[]): Promise<void>;
  /** By entity, those of `ids` that have any. */
  annotationsOf(ids: readonly EntityId[]): Promise<ReadonlyMap<EntityId, Readonly<Record<string, unknown>>>>;
  /** Every entity that has this annotation, with its value, in id order. */
  annotated(key: string): Promise<ReadonlyMap<EntityId, unknown>>;

  /** The writes since a revision, to keep a view up to date. `null`: start a view. */
  changes(since: number | null): Changes;
  /**
   * Runs one writer at a time. Use it to read an entity and write it changed, so that no other change is lost. Do not wait
   * for a model inside.
   */
  inTurn<T>(work: () => Promise<T>): Promise<T>;
}

export interface IndexedUnit extends Unit {
  /** SHA-256 of `embedText`, hex; '' if the unit needs no vector. */
  readonly textHash: string;
  readonly vector?: Float32Array;
}

export interface IndexedEntity {
  readonly entity: Entity;
  readonly units: readonly IndexedUnit[];
  /** Annotations to write with it, as by `annotate`: null removes one, others stay. */
  readonly annotations?: Readonly<Record<string, unknown>>;
  /** ISO 8601, UTC. For an entity that comes from another store. Default: now, or the time of the one it replaces. */
  readonly createdAt?: string;
  /** Default: now. */
  readonly updatedAt?: string;
}

/** What belongs to a write besides the entities that it puts. */
export interface AlsoWritten {
  /** Entities to delete, as by `delete`. One that is in the batch throws INTERNAL. */
  readonly gone?: readonly EntityId[];
  /** Annotations of other entities, as by `annotate`. */
  readonly annotations?: readonly Annotation[];
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

/** What to change in an entity. What is absent stays as it is. */
export interface Changes {
  /** Pass it to the next call. */
  readonly revision: number;
  /** Ids written or deleted since, possibly with duplicates; null if no longer known: read everything. */
  readonly ids: readonly EntityId[] | null;
}
