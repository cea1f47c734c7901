import type { HashedKey } from '../model/caller/stored-key.ts';
import type { EmbedderIdentity } from '../model/embedder-identity.ts';
import type { EntityId } from '../model/entity.ts';
import type { Edge } from '../model/entity-parts/edge.ts';
import type { UnitId } from '../model/entity-parts/unit.ts';
import type { ReindexState } from './replica.ts';
import type { Annotation, IndexedUnit } from './store.ts';

/**
 * The record that several nodes share, and the order of their writes. Each write has a sequence number, without gaps, in
 * the order of the commits. The record has states, not operations: a node that missed a hundred writes of one entity reads
 * it once.
 *
 * A record can go back in time: a backup is restored, or a standby without the last writes takes over. So each write also has
 * a random tip. A reader that knows a tip which the record does not have starts again, and the record gets a new epoch.
 *
 * - A call that cannot reach the record rejects with RECORD_UNAVAILABLE. The next call connects again.
 * - No error, log line or report has a secret of the record's address.
 */
export interface SharedRecord {
  /** Host, port and database, for messages. */
  readonly address: string;
  /** Creates or updates the tables. Throws STORE_TOO_NEW, as all other calls, if a newer Dowser has changed them. */
  open(): Promise<RecordHead>;
  head(): Promise<RecordHead>;
  /** One turn at a time over all nodes. The turn of a node that dies ends. */
  inTurn<T>(work: (turn: RecordTurn) => Promise<T>): Promise<T>;
  /** What changed after a sequence number, as of now. A page has whole sequence numbers only. */
  since(query: SinceQuery): Promise<RecordPage>;
  /** All API keys, as of now. */
  keys(): Promise<RecordKeys>;
  /** Calls back soon after writes of any node. Calls may get lost: ask `head` now and then. */
  follow(onChange: () => void): void;
  /** Begins a new epoch, unless another node has done so since `epoch`. */
  endEpoch(epoch: string): Promise<void>;
  /** Forgets what was deleted, and the tips of writes, behind the horizon. A copy that is older reads everything again. */
  purge(horizon: Horizon): Promise<void>;
  /** Takes a lease, or keeps it. Returns whether this node has it. A lease ends with the connection of its node. */
  lease(name: string): Promise<boolean>;
  /** Whether a lease that this node took is surely still its own. Not if the record has been silent: another node may have it. */
  holds(name: string): boolean;
  /** Gives a lease back. */
  release(name: string): Promise<void>;
  close(): Promise<void>;
}

/** How far back a copy can be brought up to date: the nearer of the two counts. */
export interface Horizon {
  readonly ageMs: number;
  readonly writes: number;
}

/** The last write of a record. */
export interface RecordHead {
  /** A copy belongs to one record. */
  readonly record: string;
  /** Revisions of two epochs are never compared. */
  readonly epoch: string;
  readonly seq: number;
  /** Names this write: another write with the same sequence number has another one. */
  readonly tip: string;
  /** What was deleted up to here is forgotten. */
  readonly purged: number;
  /** Names the API keys there are: after each change of them it is another one. */
  readonly keys: string;
}

export interface RecordKeys {
  /** As `keys` of the head. */
  readonly tip: string;
  readonly keys: readonly HashedKey[];
}

export interface RecordTurn {
  /** The last write before this turn. */
  readonly head: RecordHead;
  /** Writes in one transaction. Returns the new head once it is durable. */
  write(changes: RecordChanges): Promise<RecordHead>;
}

/** An entity as it is put. */
export interface EntityState {
  readonly id: EntityId;
  /** As JSON. */
  readonly json: string;
  /** Without vectors. */
  readonly units: readonly IndexedUnit[];
  readonly createdAt: string;
  readonly updatedAt: string;
}

/** Null: there is none any more. */
export interface VectorState {
  readonly unit: UnitId;
  readonly entity: EntityId;
  readonly embedder: string;
  readonly textHash: string;
  readonly vector: Float32Array | null;
}

/** The embedder that is served and the one that is built. */
export interface EmbedderStates {
  readonly served: EmbedderIdentity | null;
  readonly building: EmbedderIdentity | null;
}

export interface EdgeState {
  readonly edge: Edge;
  readonly isDeleted: boolean;
}

/** What one write changes. Lists that are absent change nothing. */
export interface RecordChanges {
  /** Vectors of units that are gone or have another text are dropped. */
  readonly entities?: readonly EntityState[];
  /** With their vectors and annotations. */
  readonly deleted?: readonly EntityId[];
  /** Of entities that exist or are put. */
  readonly annotations?: readonly Annotation[];
  readonly vectors?: readonly VectorState[];
  readonly edges?: readonly EdgeState[];
  readonly embedders?: EmbedderStates;
  readonly reindex?: ReindexState;
  /** Keys are never deleted. What is revoked stays so. */
  readonly keys?: readonly HashedKey[];
}

export interface SinceQuery {
  /** Changes up to here were read before. */
  readonly after: number;
  /** The tip of the last write that the reader has seen; null: none. */
  readonly seen: string | null;
  /** `purged` when the reader began at 0. */
  readonly purged: number;
  /** The last sequence number at which the reader had everything; -1: none. Not above `after`. */
  readonly complete: number;
  /** About how many entities, vectors, annotations or edges a page has at most. */
  readonly limit: number;
}

/** A changed entity with everything that belongs to it. */
export interface ChangedEntity extends EntityState {
  readonly annotations: Readonly<Record<string, unknown>>;
  /** All its vectors. Those that a reader has had since `complete` come without their numbers. */
  readonly vectors: readonly OwnedVector[];
}

export interface OwnedVector extends Omit<VectorState, 'vector'> {
  /** Null: the reader has it. */
  readonly vector: Float32Array | null;
}

export interface RecordPage {
  /** False: the record has no such write as `seen`, or forgot deletions since `after`. Start again at 0: this page is empty. */
  readonly isKnown: boolean;
  /** The page has every change up to this sequence number. */
  readonly through: number;
  /** The last write when the page was read. */
  readonly head: RecordHead;
  readonly embedders: EmbedderStates;
  readonly reindex: ReindexState | null;
  readonly entities: readonly ChangedEntity[];
  readonly deleted: readonly EntityId[];
  /** Also of entities that the reader may not know yet: those come later, with everything. */
  readonly annotations: readonly Annotation[];
  readonly vectors: readonly VectorState[];
  readonly edges: readonly EdgeState[];
}
