import type { JsonObject } from '../../model/json/json-object.ts';

/**
 * The database of an MCP gateway registry: a dump on disk, or a server. A document is plain JSON: identifiers and times are
 * text.
 */
export interface GatewayDatabase {
  /** The names of its collections, sorted. */
  collections(signal: AbortSignal): Promise<readonly string[]>;
  /**
   * Every document of one of its collections, in the same order as long as nothing changes. May be called again. Throws a
   * DowserError if the collection cannot be read to its end.
   */
  documents(collection: string, signal: AbortSignal): AsyncIterable<JsonObject>;
  close(): Promise<void>;
}
