import type { DowserError } from '../model/errors/errors.ts';

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
