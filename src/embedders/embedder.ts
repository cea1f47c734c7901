import type { EmbedderIdentity } from '../model/embedder-identity.ts';

/**
 * Turns text into vectors. Vectors come back in the order of the texts, each of `dimensions` numbers and of length 1.
 *
 * - An empty list gives an empty list. Text longer than the model reads is cut, never rejected.
 * - The same text always gives the same vector, whatever else is in the call.
 * - Trouble throws a DowserError: EMBEDDER_UNAVAILABLE (may pass: network, time-out, 429, 5xx, model missing)
 *   or EMBEDDER_REJECTED (will not pass: bad key, wrong dimensions, garbage).
 * - `id` is part of an index's identity: two embedders with one id must give the same vectors.
 */
export interface Embedder extends EmbedderIdentity {
  /** Throws the signal's reason when aborted. */
  embed(texts: readonly string[], options: EmbedOptions): Promise<readonly Float32Array[]>;
  /** Does what the first call would have to wait for (fetching and loading a model). Absent where there is nothing to do. */
  warm?(): Promise<void>;
  /** True while a model is being fetched or loaded: slowness then says nothing about health. */
  readonly loading?: boolean;
  /** Calls under way and later ones throw EMBEDDER_UNAVAILABLE. Closing twice is fine. */
  close(): Promise<void>;
}

export interface EmbedOptions {
  /** Some models encode questions and passages differently. */
  readonly as: 'query' | 'document';
  /** Ask the model even for a text whose vector is remembered. Default false. */
  readonly fresh?: boolean;
  readonly signal?: AbortSignal;
}

/** How an embedder is doing, for health reports. */
export interface EmbedderState {
  readonly id: string;
  readonly state: 'ready' | 'loading' | 'down' | 'off';
  /** Why it is down, and since when. */
  readonly error?: string;
  readonly retryAt?: string;
}
