/**
 * Reads a query and texts together: slower than an embedder, because nothing about a text is known before, and more exact.
 *
 * - One number for each text, in their order: log-odds that it answers the query. Only comparable within one call.
 * - A text that is longer than the model's input is cut, never rejected.
 * - A failure throws a DowserError, such as EMBEDDER_UNAVAILABLE. Its `details.reason` may be shown to anyone who searches. A
 *   search goes on without the numbers.
 */
export interface Reranker {
  /** The model, for messages. */
  readonly id: string;
  /** Throws the signal's reason when aborted. */
  read(query: string, texts: readonly ReadText[], options?: ReadOptions): Promise<readonly number[]>;
  /** Closing twice is fine. */
  close(): Promise<void>;
}

/** What a tool says of itself, and what its server says of itself. */
export interface ReadText {
  readonly text: string;
  /** Empty for a tool without a server. */
  readonly server: string;
}

export interface ReadOptions {
  readonly signal?: AbortSignal | undefined;
}
