import type { DowserError } from '../model/errors/errors.ts';
import type { OpenSpace, VectorSource } from './embedded/index/vector-space.ts';

/** A server that searches the vectors of an engine. */
export interface VectorServer {
  status(): VectorServerStatus;
}

export interface VectorServerStatus {
  /** Host and port, without secrets. */
  readonly address: string;
  readonly state: 'connecting' | 'ready' | 'down';
  /** It has been used at least once since the start. */
  readonly isReady: boolean;
  /** Vectors that the server does not have yet, as far as this process knows. */
  readonly pending: number;
  /** Why it cannot be used, or cannot be written to; null if it can. */
  readonly error: DowserError | null;
}

/** The same for an embedded engine, which opens and closes it. */
export interface AttachedVectorServer extends VectorServer {
  /** Opens the spaces of a store. Call it once. */
  spacesOf(source: VectorSource): OpenSpace;
  start(owner: VectorOwner): void;
  /** Resolves when the server has every vector, or cannot be reached. */
  settled(): Promise<void>;
  close(): Promise<void>;
}

/** The store whose vectors a server has. */
export interface VectorOwner {
  /** A name that no other store has; null: not known yet. */
  readonly id: () => string | null;
  /** Whether this process writes to the server. Of the nodes that share a record, one at a time does. */
  readonly leads: () => boolean;
  /** Called when counts may have changed. */
  readonly onProgress: () => void;
}
