export const CHUNK_STRATEGIES = ['headings', 'recursive', 'fixed'] as const;
export type ChunkStrategy = (typeof CHUNK_STRATEGIES)[number];

export interface ChunkOptions {
  /**
   * `headings` cuts at every heading, and long sections further. `recursive` fills chunks across headings and cuts at the
   * strongest break: block, blank line, line, sentence, word. `fixed` cuts by length alone.
   */
  readonly strategy: ChunkStrategy;
  /** The longest chunk in characters, overlap and repeated table headers included. */
  readonly maxChars: number;
  /** How much of a chunk's end the next chunk of the same section repeats. Less than `maxChars`. */
  readonly overlapChars: number;
}

export const MIN_CHUNK_CHARS = 100;
export const DEFAULT_CHUNK_OPTIONS: ChunkOptions = { strategy: 'headings', maxChars: 1500, overlapChars: 150 };

/** Where a chunk is. Characters and lines count in the text of the document. */
export interface ChunkPosition {
  /** The place among the chunks of its document, from 0. */
  readonly index: number;
  readonly startChar: number;
  /** Not included. */
  readonly endChar: number;
  /** The first line is 1. */
  readonly fromLine: number;
  readonly toLine: number;
  /** A chunk is on one page. */
  readonly page?: number;
}

export interface DocumentChunk {
  /** 32 hex digits, from the document id and the hash: an edit elsewhere in the file leaves it as it is. */
  readonly id: string;
  /** The characters of the position, with the headers repeated where it is the later part of a long table. */
  readonly text: string;
  /** The heading path, joined by ` > `. */
  readonly context: string;
  readonly headingPath: readonly string[];
  readonly position: ChunkPosition;
  /** SHA-256 of context and text, as hex. A document has no two chunks of one hash. */
  readonly hash: string;
}
