import type { Changes } from '../engines/store.ts';
import type { Entity, EntityType, Status } from '../model/entity.ts';
import type { SearchRequestInput } from '../model/query.ts';
import type { SearchResponse } from '../model/result.ts';
import type { SearchScope } from '../search/plan.ts';
import type { EntityOperations } from './operations/entity-operations.ts';
import type { DriftedEntity, KnownSource, ObservationInput, Observed } from './provenance/observation.ts';
import type { Maintenance } from './vectors/maintenance.ts';

/**
 * Everything Dowser does, independent of how it is asked: REST, MCP, the command line and the library all call this.
 * Input is checked here, so every surface gives the same answer and the same error.
 */
export interface Registry extends EntityOperations, Maintenance {
  /** `scope` is what the caller may see; without one, access is not checked. */
  search(request: SearchRequestInput, scope?: SearchScope): Promise<SearchResponse>;

  /**
   * Adds or replaces one entity. It is findable by keyword when this resolves, by meaning unless `pending_vectors` says
   * otherwise. Throws INVALID_REQUEST for a tool of a server, which is written with its server.
   */
  put(entity: unknown, options?: PutOptions): Promise<PutResult>;
  /** All or nothing: one bad entity fails the batch with the index of the entity in the error's field. */
  putMany(entities: readonly unknown[], options?: PutOptions): Promise<BatchResult>;
  /**
   * Throws NOT_FOUND. A path without its leading slash is found too, and so is a tool of a server under the path that a
   * search gives it (`/server#tool`), with the times of its server.
   */
  get(type: EntityType, path: string): Promise<EntityRecord>;
  /** Throws NOT_FOUND, and INVALID_REQUEST for a tool of a server: those are written with their server. */
  delete(type: EntityType, path: string): Promise<void>;
  /** One page of entities in id order; `after` is the `cursor` of the page before. At most `MAX_PAGE` entities. */
  page(query?: PageQuery): Promise<EntityPage>;
  /** Every entity, in id order, a page at a time inside. */
  all(types?: readonly EntityType[]): AsyncIterable<EntityRecord>;

  /** Embeds what still has no vector, until nothing is left, the signal aborts or the embedder fails (then it throws). */
  embedPending(options?: EmbedPendingOptions): Promise<{ readonly embedded: number; readonly remaining: number }>;

  /** Stores what a reading of a source found: see `observation.ts`. A bad entity is refused alone. */
  observe(observation: ObservationInput): Promise<readonly Observed[]>;
  /** Every source that gave something that is still there. */
  sources(): Promise<readonly KnownSource[]>;
  /** Every entity whose definitions are not those last accepted, in id order. */
  drift(): Promise<readonly DriftedEntity[]>;
  /** From now on what the entity says is what it may say. Throws NOT_FOUND when it has no changes. */
  acceptDrift(type: EntityType, path: string): Promise<void>;

  /** What was written since a revision, by this process: for keeping up a view of the registry. `null` begins one. */
  changes(since: number | null): Changes;
  health(): Promise<Health>;
  close(): Promise<void>;
}

/** The largest batch taken in one call: one transaction, one answer. */
export const MAX_BATCH = 1000;

/** The largest page of `page`. */
export const MAX_PAGE = 500;

export interface PageQuery {
  readonly types?: readonly EntityType[];
  /** All of, compared without case. */
  readonly tags?: readonly string[];
  /** Any of. */
  readonly statuses?: readonly Status[];
  /** Must occur as it stands, case aside: see `ListQuery`. */
  readonly query?: string;
  readonly after?: string;
  /** 1 to `MAX_PAGE`. Default 100. */
  readonly limit?: number;
}

export interface EntityPage {
  readonly entities: readonly EntityRecord[];
  /** How many match on all pages together. */
  readonly total_count: number;
  /** Absent on the last page. */
  readonly cursor?: string;
}

export interface PutOptions {
  /**
   * `now` waits a moment for the embedder (see the setting `indexing_wait_ms`); `later` returns once the record is safe
   * and leaves vectors to the background queue. Default `now`.
   */
  readonly vectors?: 'now' | 'later';
  /**
   * `keep`: an entity that does not state `status` or `is_enabled` keeps what is stored, so that loading a list again does not
   * switch on what somebody switched off. `replace` gives it the defaults. Default `replace`.
   */
  readonly lifecycle?: 'replace' | 'keep';
}

export interface PutResult {
  readonly entity_type: EntityType;
  readonly path: string;
  readonly created: boolean;
  /** Units of this write that still wait for a vector. */
  readonly pending_vectors: number;
  readonly warnings: readonly string[];
}

export interface BatchResult {
  readonly created: number;
  readonly updated: number;
  readonly pending_vectors: number;
  readonly warnings: readonly string[];
}

export interface EntityRecord {
  readonly entity: Entity;
  readonly created_at: string;
  readonly updated_at: string;
}

export interface EmbedPendingOptions {
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: { readonly done: number; readonly total: number }) => void;
}

export interface Health {
  /** `degraded`: searches are answered, but without the vector leg or with vectors missing. */
  readonly status: 'ok' | 'degraded';
  readonly version: string;
  readonly store: { readonly engine: string; readonly path: string | null; readonly bytes: number | null };
  readonly index: {
    readonly entities: number;
    readonly units: number;
    readonly vectors: number;
    readonly missing_vectors: number;
    /** Of embedders that are neither served nor being built. */
    readonly stale_vectors: number;
    readonly by_type: Readonly<Partial<Record<EntityType, number>>>;
  };
  readonly embedder: {
    readonly id: string | null;
    readonly state: 'ready' | 'loading' | 'down' | 'off';
    readonly error?: string;
    readonly retry_at?: string;
    /** While the model is being changed: whose vectors are built beside those that answer, and how far that is. */
    readonly building?: {
      readonly id: string;
      readonly done: number;
      readonly total: number;
      /** Why it does not go on. */
      readonly error?: string;
    };
    /** While every vector is computed anew: entities done, of all. */
    readonly reindexing?: { readonly done: number; readonly total: number };
  };
}
