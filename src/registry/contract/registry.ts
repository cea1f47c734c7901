import type {
  CallAnswer,
  CallCheck,
  CallEvent,
  CallOptions,
  CallProgress,
  CheckedCall,
  RefusedCall,
  ResultPart,
  UpstreamStatus,
} from '../../calls/contract/tool-caller.ts';
import type { CallLimit } from '../../calls/rules/call-class.ts';
import type { CacheCounts } from '../../embedders/embedder.ts';
import type { Replica } from '../../engines/replica.ts';
import type { Changes } from '../../engines/store.ts';
import type { VectorServer } from '../../engines/vector-server.ts';
import type { SearchResponse } from '../../model/answer/result.ts';
import type { Caller } from '../../model/caller/caller.ts';
import type { Entity, EntityId, EntityOf, EntityType, Status } from '../../model/entity.ts';
import type { MemoryFacts } from '../../model/entity-types/memory-facts.ts';
import type { DowserError } from '../../model/errors/errors.ts';
import type { SearchRequestInput } from '../../model/query/query.ts';
import type {
  BatchResult,
  EntityPage,
  EntityRecord,
  Health,
  PutResult,
  RatedRecord,
  ReviewRequest,
  ReviewResult,
  ServerVersion,
  TaggedRecord,
} from './answers.ts';
import type { EdgeOperations, TypeEdges } from './edge-operations.ts';
import type { EntityOperations, Fields, RegisterOptions } from './entity-operations.ts';
import type { WriteCondition } from './entity-tag.ts';
import type { FollowedValues } from './followed-annotation.ts';
import type { Maintenance } from './maintenance.ts';
import type { CatalogMap } from './map-schemas.ts';
import type { DriftedEntity, KnownSource, ObservationInput, Observed } from './observation.ts';
import type { RecommendOperations } from './recommend-operations.ts';
import type { HeldSearch, TimedSearch } from './search-steps.ts';

/**
 * Everything a caller can ask of Dowser. The command line, MCP and REST call it, and `remoteRegistry` implements it over
 * HTTP. It parses its own input, so that every surface gives the same answers and errors.
 */
export interface Registry extends EntityOperations, EdgeOperations, RecommendOperations, Maintenance, ToolCalls {
  search(request: SearchRequestInput): Promise<SearchResponse>;

  /**
   * Adds or replaces one entity. It is findable by keyword when this resolves, by meaning unless `pending_vectors` says
   * otherwise. Throws INVALID_REQUEST for a tool of a server, which is written with its server, and PRECONDITION_FAILED if
   * the condition of the options does not hold.
   */
  put(entity: unknown, options?: PutOptions): Promise<PutResult>;
  /** All or nothing: one bad entity fails the batch with the index of the entity in the error's field. */
  putMany(entities: readonly unknown[], options?: BatchOptions): Promise<BatchResult>;
  /**
   * Throws NOT_FOUND. A path without its leading slash is found too, and so is a tool of a server under the path that a
   * search gives it (`/server#tool`), with the times of its server.
   */
  get(type: EntityType, path: string): Promise<TaggedRecord>;
  /**
   * Throws NOT_FOUND, INVALID_REQUEST for a tool of a server, which is written with its server, and PRECONDITION_FAILED if the
   * condition does not hold.
   */
  delete(type: EntityType, path: string, condition?: WriteCondition): Promise<void>;
  /**
   * One page of entities in id order, but superseded memories below their successors; `after` is the `cursor` of the page
   * before. At most `MAX_PAGE` entities.
   */
  page(query?: PageQuery): Promise<EntityPage>;
  /** Every entity, in id order, a page at a time inside. */
  all(types?: readonly EntityType[]): AsyncIterable<EntityRecord>;

  /**
   * Embeds units without a vector until none is left, the signal aborts or the embedder fails (then it throws). For admins: it
   * works on everything. A server has its own queue: a remote registry only watches it, and stops when the model of the server is down.
   */
  embedPending(options?: EmbedPendingOptions): Promise<{ readonly embedded: number; readonly remaining: number }>;

  /** Stores the result of reading a source: see `observation.ts`. An invalid entity does not stop the others. */
  observe(observation: ObservationInput): Promise<readonly Observed[]>;
  /** Every source with at least one stored entity. */
  sources(): Promise<readonly KnownSource[]>;
  /** Every entity whose definitions differ from the accepted ones, in id order. */
  drift(): Promise<readonly DriftedEntity[]>;
  /** Accepts the current definitions of an entity. Throws NOT_FOUND if it has no changes. */
  acceptDrift(type: EntityType, path: string): Promise<void>;
  /**
   * Approves or blocks an entity, with who and when. Blocked is disabled, until an admin approves it: no other write can enable it.
   * For admins. Throws NOT_FOUND.
   */
  review(type: EntityType, path: string, request: ReviewRequest): Promise<ReviewResult>;

  health(): Promise<Health>;
}

/** The fields of an entity for lists, tags and comparisons: small enough to keep in memory for all entities. */
export interface ViewRow
  extends Pick<Entity, 'path' | 'tags' | 'status' | 'is_enabled' | 'visibility' | 'owner' | 'allowed_groups'> {
  readonly id: EntityId;
  /** Folded. Lists are sorted by it. */
  readonly name: string;
  /** Folded. Null for every type but packages. */
  readonly packageName: string | null;
  /** Folded text that a list query searches. */
  readonly haystack: string;
  /** Folded ids and names of an agent's skills. */
  readonly skills: readonly string[];
  /** Its URLs, in the form of `addressOf`. */
  readonly addresses: readonly string[];
  readonly identities: readonly string[];
  /** Null for every type but memories. */
  readonly memory: MemoryFacts | null;
}

/**
 * Calls of the tools of registered servers: see `calls/contract/tool-caller.ts`. All throw NOT_CALLABLE where the setting `call` is `off`.
 *
 *     const { result } = await registry.call({ path: '/github#get_issue', arguments: { number: 3 } });
 */
export interface ToolCalls {
  call(request: unknown, options?: CallOptions): Promise<CallAnswer>;
  /** What a call would do. Starts nothing. Throws what the call would throw before it is sent. */
  checkCall(request: unknown): Promise<CheckedCall>;
  /** Whether the tools at these paths may be called. Starts nothing. */
  preflight(paths: readonly string[]): Promise<readonly CallCheck[]>;
  /** A part of an answer that was cut. Throws NOT_FOUND after ten minutes. */
  readResult(request: unknown): Promise<ResultPart>;
  /** The servers that run for calls. For admins. */
  upstreams(): Promise<readonly UpstreamStatus[]>;
  /** Ends those of one server, or all. For admins. */
  stopUpstreams(path?: string): Promise<{ readonly stopped: number }>;
}

/** The turn in which a write happens: nothing else is written meanwhile. */
export interface WriteTurn {
  /** The condition of the caller is about this entity, not about the others that change. Throws PRECONDITION_FAILED. */
  conditionIsAbout(path: string): void;
}

/** A registry in this process, for one caller. */
export interface ScopedRegistry extends Registry, ServerVersions {
  /**
   * As `put`, for the entity that a URL names: in any spelling of the path that `get` takes, it replaces the stored entity. The
   * fields `type` and `path` of the entity may be left out, and must agree if not.
   */
  putAt(type: EntityType, path: string, entity: unknown, options?: PutOptions): Promise<PutResult>;
  /** Replaces an entity with the result of `make`. No other write happens in between. Throws NOT_FOUND. */
  change<T extends EntityType>(
    type: T,
    path: string,
    make: (entity: EntityOf<T>) => Fields,
    condition?: WriteCondition,
  ): Promise<PutResult>;
  /**
   * As `observe`, for an observation that depends on the entity: `make` gets it as it is in the turn of the write, so that no
   * change is lost. Null stores nothing. Throws NOT_FOUND.
   */
  observeStored<T extends EntityType>(
    type: T,
    path: string,
    make: (entity: EntityOf<T>) => ObservationInput | null,
  ): Promise<readonly Observed[]>;
  /**
   * The entities that the caller may read in two dimensions, near to each other where they are close in meaning. `signal` ends
   * the wait.
   */
  map(options?: { readonly signal?: AbortSignal | undefined }): Promise<CatalogMap>;
  /** Whether an entity is of the example catalog: whatever a person registers at its path replaces it whole. */
  isExample(type: EntityType, path: string): Promise<boolean>;
  /** What tells whether an answer of `search` still holds. Null: the same search may be answered otherwise at any time. */
  heldSearch(answer: SearchResponse): HeldSearch | null;
  /** The tools that the operator denies, by their server: lists leave them out. */
  deniedTools(): Promise<ReadonlyMap<EntityId, ReadonlySet<string>>>;
  /** An entity with its ratings and its health. Throws NOT_FOUND, and INVALID_REQUEST for a tool of a server. */
  rated(type: EntityType, path: string): Promise<{ readonly record: RatedRecord; readonly etag: string }>;
  /**
   * Stores whatever `make` gives for the entities that are there, all or none, with nothing written in between. `make` gets
   * those of `paths` that exist and may throw; an empty list stores nothing.
   */
  changeMany<T extends EntityType>(
    type: T,
    paths: readonly string[],
    make: (found: ReadonlyMap<string, EntityOf<T>>, turn: WriteTurn) => readonly Fields[],
    options?: ChangeOptions,
  ): Promise<BatchResult>;
  /**
   * Throws PRECONDITION_FAILED unless the entity meets the condition of the caller: for work that is about this entity and
   * writes others. Throws NOT_FOUND.
   */
  checkTag(type: EntityType, path: string): Promise<void>;
  /** A row for every entity of a type, in order of name: enough to filter by, without reading the entities. */
  rows(type: EntityType): Promise<readonly ViewRow[]>;
  /** The entities at these paths, in the order asked; paths without one are left out. */
  getMany(type: EntityType, paths: readonly string[]): Promise<readonly EntityRecord[]>;
  /** The edges of these entities to others of their type: see `TypeEdges`. */
  edgesOf(type: EntityType, paths: readonly string[]): Promise<TypeEdges>;
  /**
   * The warnings about entities that an answer shows, whatever its shape: one for each that has text that reads like an
   * instruction. Every surface adds them to its answers.
   */
  instructionWarnings(answer: unknown): Promise<readonly string[]>;
  /** Deletes these at once. Returns how many there were. */
  deleteMany(type: EntityType, paths: readonly string[], options?: Pick<ChangeOptions, 'within'>): Promise<number>;
  /** What the registry notes about entities under a key, beside what their writers say. Paths without an entity are left out. */
  annotate(type: EntityType, key: string, values: ReadonlyMap<string, unknown>): Promise<void>;
  /** By path. */
  annotated(type: EntityType, key: string): Promise<ReadonlyMap<string, unknown>>;
}

/** The versions of a server. Search finds the default one. */
export interface ServerVersions {
  /** The default version first. Throws NOT_FOUND. */
  versions(path: string): Promise<readonly ServerVersion[]>;
  /**
   * Registers a server as another version of the one at its path, beside the default one. Throws ALREADY_EXISTS for a version
   * that is there, unless `overwrite`.
   */
  addVersion(server: unknown, options?: RegisterOptions): Promise<void>;
  /** Throws NOT_FOUND for an unknown version. */
  setDefaultVersion(path: string, version: string): Promise<PutResult>;
  /** Throws NOT_FOUND for an unknown version, and INVALID_REQUEST for the default one. */
  removeVersion(path: string, version: string): Promise<void>;
}

/** One entity of a write. */
export interface StoredChange {
  /** Undefined for a new entity. */
  readonly before: Entity | undefined;
  readonly after: Entity;
}

/** The condition is that of every write of this registry. Each entity is checked before its first write. */
export interface CallerOptions extends WriteCondition {
  /** Called before each write with the ids that it touches. If it throws, nothing is written. */
  readonly onWrite?: ((ids: readonly EntityId[]) => void) | undefined;
  /** Called when the caller may not change an entity that it sees. */
  readonly onRefuse?: ((ids: readonly EntityId[]) => void) | undefined;
  /** Called before a tool is called, and after, or when a call is refused. If it throws before, nothing is called. */
  readonly onCall?: ((event: CallEvent | RefusedCall) => void) | undefined;
}

/** The registry of this process, without restrictions. */
export interface LocalRegistry extends ScopedRegistry {
  /**
   * The same registry for one caller. Entities that the caller may not read do not exist for it: no method finds, lists,
   * counts or compares them. A caller with scopes changes only what it owns or shares a group with, and owns what it adds.
   */
  as(caller: Caller, options?: CallerOptions): ScopedRegistry;
  /** The highest class of tools that may be called. */
  readonly callLimit: CallLimit;
  /** How this node follows the record that it shares with others; null where it shares none. */
  readonly replica: Replica | null;
  /** What is wrong with the store, once a call has met a damaged part of it; null for a sound one. */
  damage(): DowserError | null;
  /** The server that searches the vectors; null: this process does. */
  readonly vectorServer: VectorServer | null;
  /** The writes of this process since a revision, to update a view. `null` starts one. */
  changes(since: number | null): Changes;
  /**
   * The values of one annotation of all entities, kept in memory and read again only where something was written. `toValue` is
   * called with each annotation.
   */
  follow<T>(key: string, toValue: (annotation: unknown) => T): FollowedValues<T>;
  /** Calls `watcher` after each search that was answered, for any caller. Returns a function that stops it. */
  watchSearches(watcher: (timed: TimedSearch) => void): () => void;
  /**
   * Calls `watcher` after each write of whole entities, of any caller, in the turn of the write. Not after a reading of a
   * source. Returns a function that stops it.
   */
  watchWrites(watcher: (changes: readonly StoredChange[]) => void): () => void;
  /** Calls `watcher` after each call of a tool that was sent or tried, of any caller. Returns a function that stops it. */
  watchCalls(watcher: (event: CallEvent) => void): () => void;
  /** How often the vector of a text was known already, since the start. Null without a model, or if it keeps none. */
  embeddingCache(): CacheCounts | null;
  close(): Promise<void>;
}

export type {
  BatchResult,
  CallAnswer,
  CallCheck,
  CallEvent,
  CallProgress,
  Changes,
  EntityPage,
  EntityRecord,
  FollowedValues,
  Health,
  PutResult,
  RatedRecord,
  RefusedCall,
  Replica,
  TaggedRecord,
  VectorServer,
  WriteCondition,
};

/** The largest batch taken in one call: one transaction, one answer. */
export const MAX_BATCH = 1000;

/** The largest page of `page`. */
export const MAX_PAGE = 500;

/** Which page of entities to read. */
export interface PageQuery {
  readonly types?: readonly EntityType[] | undefined;
  /** All of. Ignores case. */
  readonly tags?: readonly string[] | undefined;
  /** Any of. */
  readonly statuses?: readonly Status[] | undefined;
  /** A substring: see `ListQuery`. */
  readonly query?: string | undefined;
  readonly after?: string | undefined;
  /** 1 to `MAX_PAGE`. Default 100. */
  readonly limit?: number | undefined;
}

export interface BatchOptions {
  /**
   * `now` waits a moment for the embedder (see the setting `indexing_wait_ms`); `later` returns once the record is safe
   * and leaves vectors to the background queue. Default `now`.
   */
  readonly vectors?: 'now' | 'later';
  /**
   * `keep`: an entity without `status` or `is_enabled` keeps the stored value, so that importing a list again does not enable
   * disabled entities. `replace` gives it the defaults. Default `replace`.
   */
  readonly lifecycle?: 'replace' | 'keep';
}

/** How to store entities. */
export interface PutOptions extends BatchOptions, WriteCondition {}

export interface ChangeOptions extends PutOptions {
  /** What the registry notes about the entities of this write, by path, as by `annotate`. Read after `make`. */
  readonly notes?: ReadonlyMap<string, Readonly<Record<string, unknown>>>;
  /** What holds the entities, such as their collection: who may change it may also change them, as far as they are in it alone. */
  readonly within?: EntityId;
}

/** How to embed what waits. */
export interface EmbedPendingOptions {
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: { readonly done: number; readonly total: number }) => void;
}
