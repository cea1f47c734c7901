import type { EmbedderIdentity } from '../model/embedder-identity.ts';

/**
 * Turns text into vectors. Vectors come back in the order of the texts, each of `dimensions` numbers and of length 1.
 *
 * - An empty list gives an empty list. Text longer than the model's input is cut, never rejected.
 * - The same text always gives the same vector, whatever else is in the call.
 * - A failure throws a DowserError: EMBEDDER_UNAVAILABLE (temporary: network, timeout, 429, 5xx, model missing)
 *   or EMBEDDER_REJECTED (permanent: bad key, wrong dimensions, unusable answer). It is a `RefusedText` if a text of the call is at
 *   fault: the model embeds others. Ask again without that text, or with each text alone to find it.
 * - `id` is part of an index's identity: two embedders with the same id must give the same vectors.
 */
export interface Embedder extends EmbedderIdentity {
  /** Throws the signal's reason when aborted. */
  embed(texts: readonly string[], options: EmbedOptions): Promise<readonly Float32Array[]>;
  /** Fetches and loads the model, so that the first call need not wait. Absent where there is nothing to load. */
  warm?(): Promise<void>;
  /** The only language of the model, if it has only one: vectors of text in another script mean nothing. */
  readonly language?: 'English' | undefined;
  /** True while a model is being fetched or loaded. A slow answer then does not mean that it is down. */
  readonly loading?: boolean;
  /** Absent where nothing is cached. */
  cacheCounts?(): CacheCounts;
  /** Running and later calls throw EMBEDDER_UNAVAILABLE. Closing twice is fine. */
  close(): Promise<void>;
}

/** How to embed texts. */
export interface EmbedOptions {
  /** Some models encode queries and documents differently. */
  readonly as: 'query' | 'document';
  /** Embed the text even when its vector is cached. Default false. */
  readonly fresh?: boolean;
  /** Ask an embedder that was down, without waiting for the end of its pause. Default false. */
  readonly retry?: boolean;
  readonly signal?: AbortSignal;
}

/** Texts whose vector was cached, and texts that were embedded, since the start. */
export interface CacheCounts {
  readonly query: { readonly hits: number; readonly misses: number };
  readonly document: { readonly hits: number; readonly misses: number };
}

/** For health reports. */
export interface EmbedderState {
  readonly id: string;
  readonly state: 'ready' | 'loading' | 'down' | 'off';
  /** Why it is down, and since when. */
  readonly error?: string;
  readonly retryAt?: string;
}
