import type { DowserError } from '../model/errors.ts';

/** The state of an engine that has a copy of a record which several processes share. */
export interface Replica {
  status(): ReplicaStatus;
  /** Waits until the copy has this revision. False: it did not come in time. */
  reached(revision: number, timeoutMs: number): Promise<boolean>;
  /** Whether this process embeds with this embedder in the background. Of those that could, one at a time does. */
  embeds(embedder: string): boolean;
  /** Calls back when another process has written, and when the embedders or `embeds` have changed. */
  watch(listener: () => void): void;
}

export interface ReplicaStatus {
  /** The last write that the copy has. */
  readonly revision: number;
  /** The last write of the record, as far as it is known. */
  readonly head: number;
  /** How long the copy has lacked writes that the record is known to have. */
  readonly behindMs: number;
  /** It has had everything once since the start, and is not too far behind. */
  readonly isReady: boolean;
  /** It has had everything once, maybe in an earlier process: searches are answered from it. Else they are refused. */
  readonly isUsable: boolean;
  /** Why the record cannot be followed; null while it can. */
  readonly error: DowserError | null;
}
