import type { EmbedderIdentity } from '../model/embedder-identity.ts';
import type { Entity, EntityId, EntityType } from '../model/entity.ts';
import type { Filter } from '../model/filter.ts';
import type { Field, Unit, UnitId } from '../model/unit.ts';
import type { Anchor } from '../search/identifier/anchors.ts';
import type { Holders } from '../search/identifier/read-query.ts';
import type { Asked } from '../search/ranking/join.ts';
import type { RankedList, UnitRef } from '../search/ranking/ranked-list.ts';

/**
 * Where entities are kept and found. One conformance suite (`test/conformance`) runs over every engine.
 *
 * Promises every engine keeps:
 * - `put`, `delete` and `putVectors` are atomic: all of a call happens or none of it, also when the process dies.
 * - Read your writes: once a write resolves, every later read and search sees it.
 * - Filters are applied inside each leg, before the limit.
 * - Lists are best first; equal scores are ordered by unit id. The same index and query give the same list.
 * - Vectors of two embedders are never compared. One embedder is served: its vectors are searched. While a model is being
 *   changed, those of another one are built beside them, and `serveBuilding` swaps the two in one step.
 * - A vector goes with the text it was made from: no unit ever has the vector of another text.
 * - A closed engine rejects every call with ENGINE_UNAVAILABLE; closing twice is fine.
 */
export interface Engine {
  readonly name: string;
  readonly capabilities: EngineCapabilities;
  /**
   * The embedder whose vectors are searched; null for an index without a vector leg. A store that was opened for another
   * embedder than it has vectors of goes on with those it has, and builds what it was opened for.
   */
  readonly embedder: EmbedderIdentity | null;
  /** The embedder whose vectors are built beside those that are searched; null unless a model is being changed. */
  readonly building: EmbedderIdentity | null;

  /**
   * Adds or replaces whole entities with their units. A unit without a vector keeps the vector it had when its
   * `textHash` is unchanged; otherwise it is listed by `missingVectors` until `putVectors` brings one. All of a call
   * happens or none, annotations included.
   * A vector of the wrong size throws WRONG_DIMENSIONS, an entity twice in one batch DUPLICATE_PATH.
   */
  put(batch: readonly IndexedEntity[]): Promise<void>;
  /** Returns how many of them existed. */
  delete(ids: readonly EntityId[]): Promise<number>;
  /** In the order asked; ids that do not exist are left out. */
  getMany(ids: readonly EntityId[]): Promise<readonly StoredEntity[]>;
  /** The same for showing: quicker where few of the tools of a server are looked at. */
  getShown(ids: readonly EntityId[]): Promise<readonly ShownEntity[]>;
  /** Pages through entities in id order. `after` is the `cursor` of the page before. */
  scan(query: ScanQuery): Promise<Page>;

  /**
   * Keeps what the registry itself knows of entities (ratings, liveness, where they came from) apart from what their
   * publishers say. Annotations survive a `put` of the entity and go with its deletion. All of a call happens or none:
   * an entity that does not exist throws NOT_FOUND. A value of null removes the annotation.
   */
  annotate(annotations: readonly Annotation[]): Promise<void>;
  /** By entity, those of `ids` that have any. */
  annotationsOf(ids: readonly EntityId[]): Promise<ReadonlyMap<EntityId, Readonly<Record<string, unknown>>>>;
  /** Every entity that has this annotation, with its value, in id order. */
  annotated(key: string): Promise<ReadonlyMap<EntityId, unknown>>;

  searchKeyword(query: KeywordQuery): Promise<RankedList>;
  /** Whether some entity has each of these tags, which are compared without case. */
  hasTags(tags: readonly string[]): Promise<readonly boolean[]>;
  /** What the index knows of a query's words, before anything is ranked. Cheap: no more than looking words up. */
  inspect(query: InspectQuery): Promise<Inspection>;
  /** The fields in which each of these units has a term of the query; units without one are left out. */
  matchedFields(text: string, units: readonly UnitRef[]): Promise<ReadonlyMap<UnitId, readonly Field[]>>;
  /** Units without a vector are absent. An engine without vectors, or with none yet, answers []. */
  searchVector(query: VectorQuery): Promise<RankedList>;
  /** What `searchKeyword` and `searchVector` would give these units, in the order asked: 0 for no match, null for no vector. */
  keywordScores(text: string, scorer: KeywordQuery['scorer'], asked: readonly Asked[]): Promise<readonly number[]>;
  vectorScores(vector: Float32Array, asked: readonly Asked[], embedder?: string): Promise<readonly (number | null)[]>;

  /**
   * Units that want a vector and have none, in a stable order; only of `entities` when given. `embedder` is the id of the
   * one that is served (the default) or built; of any other nothing is missing.
   */
  missingVectors(limit: number, entities?: readonly EntityId[], embedder?: string): Promise<readonly PendingUnit[]>;
  /**
   * Stores vectors where the unit still has that text; returns how many were stored. `embedder` as for `missingVectors`:
   * of any other nothing is stored.
   */
  putVectors(vectors: readonly UnitVector[], embedder?: string): Promise<number>;

  /** Begins to build vectors of another embedder, or goes on where that stopped. Of the one that is served: ends a build. */
  build(embedder: EmbedderIdentity): Promise<void>;
  /**
   * From now on the vectors that were built are searched, and those served until now are stale. Survives a crash as one
   * step. Queries that name the old embedder are answered until its vectors are dropped. Without a build: does nothing.
   */
  serveBuilding(): Promise<void>;
  /** Vectors of embedders that are neither served nor built, ordered by unit id; only of `entities` when given. */
  staleVectors(limit: number, entities?: readonly EntityId[]): Promise<readonly StaleVector[]>;
  /** Deletes up to so many of them; returns how many. A few thousand at a time keep a big store answering. */
  dropStaleVectors(limit: number, entities?: readonly EntityId[]): Promise<number>;

  /** What is said of vectors is said of those of `embedder`, by default the one that is served. */
  stats(embedder?: string): Promise<EngineStats>;
  close(): Promise<void>;
}

/** What the planner may rely on; the conformance suite proves what is declared. */
export interface EngineCapabilities {
  /** Keeps its data when closed and opened again. */
  readonly durable: boolean;
  /** Vector search never misses a neighbor. False where a first pass may drop some at scale. */
  readonly exactVectors: boolean;
  /** Can answer the registry's substring boost (`scorer: 'boost'`). */
  readonly substringBoost: boolean;
  /** Can fill `detail` of keyword hits. */
  readonly explains: boolean;
}

export interface IndexedUnit extends Unit {
  /** SHA-256 of `embedText`, hex; '' when the unit wants no vector. */
  readonly textHash: string;
  readonly vector?: Float32Array;
}

export interface IndexedEntity {
  readonly entity: Entity;
  readonly units: readonly IndexedUnit[];
  /** Annotations that are written with it, in the same step: as by `annotate`, null removes one, others stay. */
  readonly annotations?: Readonly<Record<string, unknown>>;
}

export type InputSchema = Record<string, unknown>;

export interface ShownEntity {
  readonly id: EntityId;
  /** The tools of a server may come without their input schemas. */
  readonly entity: Entity;
  /** That of a server's tool, by its place in the list; undefined where it has none. */
  inputSchema(tool: number): InputSchema | undefined;
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

export interface KeywordQuery {
  readonly text: string;
  /**
   * `bm25f` ranks units. `boost` ranks cards by the registry's substring boost: path 5, name 3, description 2, tags 1.5,
   * metadata 1, and 1 for each tool of the entity whose name or description matches. `constant` gives 1 to every unit that
   * passes the filter, whatever the text: for searches by tag alone. `coverage` gives the share of the query's terms that
   * the unit has, 1 for all of them.
   */
  readonly scorer: 'bm25f' | 'boost' | 'constant' | 'coverage';
  readonly filter: Filter;
  readonly limit: number;
  /** BM25F only; a field left out keeps its default weight, 0 switches it off. */
  readonly fieldWeights?: Readonly<Partial<Record<Field, number>>>;
  /** Fill `detail` of each hit. */
  readonly explain?: boolean;
}

export interface InspectQuery {
  readonly text: string;
  /** Words and phrases whose exact holders are wanted. */
  readonly anchors: readonly Anchor[];
  readonly filter: Filter;
  /** At most so many holders of each anchor. */
  readonly limit: number;
}

export interface Inspection {
  /** What a unit could score at most by `bm25f`, if it had every term of the query in plenty. */
  readonly ceiling: number;
  /** The share of the query's terms that some unit has, from 0 to 1; 0 for a query without terms. */
  readonly known: number;
  /** How many different terms the query has. */
  readonly terms: number;
  /** For each anchor, in order, the eligible units that hold it: all its terms, and for a phrase the words themselves. */
  readonly holders: readonly Holders[];
}

export interface VectorQuery {
  /** Need not be normalized. Throws WRONG_DIMENSIONS when its size is not the index's. */
  readonly vector: Float32Array;
  readonly filter: Filter;
  readonly limit: number;
  /** Where an engine searches approximately: how many of the most promising units it compares exactly, at least. */
  readonly efSearch?: number;
  /** The id of the embedder that made it. Default: the one that is served. Of one without vectors here: []. */
  readonly embedder?: string | undefined;
}

export interface PendingUnit {
  readonly unit: UnitId;
  readonly text: string;
  readonly textHash: string;
}

export interface UnitVector {
  readonly unit: UnitId;
  readonly textHash: string;
  readonly vector: Float32Array;
}

export interface StaleVector {
  readonly unit: UnitId;
  /** The id of the embedder that made it. */
  readonly embedder: string;
}

export interface EngineStats {
  readonly entities: number;
  readonly units: number;
  readonly vectors: number;
  /** Units that wait for a vector. */
  readonly missingVectors: number;
  /** Vectors of embedders that are neither served nor built. */
  readonly staleVectors: number;
  /** How far the build is; null when there is none. */
  readonly building: { readonly id: string; readonly vectors: number; readonly missingVectors: number } | null;
  readonly byType: Readonly<Partial<Record<EntityType, number>>>;
  /** The mean of all vectors, each of length 1; null without vectors. What everything here has in common. */
  readonly meanVector: Float32Array | null;
  /** On disk, where there is a disk. */
  readonly bytes?: number;
}
