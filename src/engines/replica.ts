import type { HashedKey } from '../model/caller/stored-key.ts';
import type { DowserError, ErrorCode } from '../model/errors/errors.ts';

/** The state of an engine that has a copy of a record which several processes share. */
export interface Replica {
  status(): ReplicaStatus;
  /** Waits until the copy has this revision. False: it did not come in time. A revision of an epoch that has ended is ignored. */
  reached(revision: Revision, timeoutMs: number): Promise<boolean>;
  /** Whether this process embeds with this embedder in the background. Of those that could, one at a time does. */
  embeds(embedder: string): boolean;
  /** The same for another duty. False at first: `watch` tells when this process has it. */
  leads(duty: string): boolean;
  /** The last run that re-embeds everything: asked for by any process, done by the one that embeds. Null: none yet. */
  reindex(): ReindexState | null;
  /** Replaces it by what `change` returns, if that is another one. In a turn: no other process writes in between. */
  changeReindex(change: (known: ReindexState | null) => ReindexState): Promise<ReindexState>;
  /** The API keys of the record. Null: this process has never read them. */
  keys(): readonly HashedKey[] | null;
  /** Calls back when another process has written, and when the embedders, `reindex` or `embeds` have changed. */
  watch(listener: () => void): void;
}

/** A write of the record. Revisions of two epochs are never compared: a record that went back in time begins a new one. */
export interface Revision {
  /** Null: the one that the copy has. */
  readonly epoch: string | null;
  readonly seq: number;
}

/** What a node does when it cannot reach the record for longer than it may be behind. */
export type WhenLost = 'serve' | 'leave';

export interface ReindexState {
  readonly id: string;
  readonly embedder: string;
  /** The cursor of the last page that is done; null: none. */
  readonly after: string | null;
  /** How many entities are done, of how many, and how many vectors they have. */
  readonly entities: number;
  readonly total: number;
  readonly vectors: number;
  /** How it ended; null: it has not. */
  readonly end: 'done' | { readonly code: ErrorCode; readonly message: string } | null;
}

export interface ReplicaStatus {
  readonly epoch: string;
  /** The last write that the copy has. */
  readonly revision: number;
  /** The last write of the record, as far as it is known. */
  readonly head: number;
  /** How long ago the record last confirmed that the copy has everything. */
  readonly behindMs: number;
  /** It has had everything once since the start, is not too far behind, and is not being rebuilt. */
  readonly isReady: boolean;
  /** The record went back in time: the copy is made equal to it. */
  readonly isRebuilding: boolean;
  /** It has had everything once, maybe in an earlier process: searches are answered from it. Else they are refused. */
  readonly isUsable: boolean;
  /** Why the record cannot be followed; null while it can. */
  readonly error: DowserError | null;
}
