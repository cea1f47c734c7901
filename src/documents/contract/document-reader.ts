import type { ChunkOptions, DocumentChunk } from './document-chunk.ts';

/** The formats that are read. Pictures of text are not: Dowser has no character recognition. */
export const DOCUMENT_FORMATS = [
  'markdown',
  'text',
  'html',
  'csv',
  'tsv',
  'docx',
  'xlsx',
  'pptx',
  'pdf',
  'code',
] as const;
export type DocumentFormat = (typeof DOCUMENT_FORMATS)[number];

/**
 * A part of a document: the characters `start` to `end` (not included) of its text. Blocks are in reading order and do not
 * overlap. A block is on one page.
 */
export interface Block {
  readonly kind: 'heading' | 'text' | 'table' | 'code';
  readonly start: number;
  readonly end: number;
  /** The first page is 1. Only formats with pages have it. */
  readonly page?: number;
  /** Of a heading: its words. Of code: the declaration, if the block is one. A title opens a section. */
  readonly title?: string;
  /** The depth of the title, from 1. */
  readonly level?: number;
  readonly table?: TableLayout;
}

/** Where the rows of a table are in the text. */
export interface TableLayout {
  readonly headers: readonly string[];
  /** The end of the header rows. The `start` of the block where a table has none. */
  readonly headerEnd: number;
  /** The start of each row below the header. A row ends where the next begins. */
  readonly rowStarts: readonly number[];
}

export type MetadataValue = string | number | boolean | readonly string[];

/** A file as text with its structure. */
export interface ReadDocument {
  readonly title: string;
  readonly format: DocumentFormat;
  /**
   * What lines and characters count in. Markdown, text, CSV and code: the file, with LF line ends. HTML, DOCX and PDF: the
   * readable text.
   */
  readonly text: string;
  /** Empty if the reader was asked for chunks. */
  readonly blocks: readonly Block[];
  /** If the reader was asked for them. */
  readonly chunks?: readonly DocumentChunk[];
  /** Where each page starts in the text. Its length is the number of pages. */
  readonly pageStarts?: readonly number[];
  /** From front matter and document properties: `author`, `language`, `tags` and the like. */
  readonly metadata: Readonly<Record<string, MetadataValue>>;
  /** What was not read and why, as sentences. */
  readonly warnings: readonly string[];
}

export const READ_FAILURES = {
  not_found: 'The file does not exist',
  not_a_file: 'The path is a folder, a pipe or a device',
  no_access: 'The file cannot be opened',
  too_large: 'The file is larger than the limit',
  changed: 'The file changed while it was read',
  binary: 'The file is neither text nor a known format',
  unsupported: 'The format is known, and Dowser does not read it',
  encrypted: 'The file needs a password',
  no_text: 'The file has pages but no text, such as a scan',
  broken: 'The file is damaged',
  too_many_pages: 'The file has more pages than the limit',
  too_much_memory: 'Reading the file takes more memory than the limit',
  timeout: 'Reading the file takes longer than the limit',
  crashed: 'The reading process stopped',
} as const;
export type ReadFailureCode = keyof typeof READ_FAILURES;

export interface ReadFailure {
  readonly failed: ReadFailureCode;
  /** A sentence with the value and what to do. */
  readonly message: string;
}

export type ReadResult = ReadDocument | ReadFailure;

export const isReadFailure = (result: ReadResult): result is ReadFailure => 'failed' in result;

export interface ReadLimits {
  /** The largest file. */
  readonly maxBytes: number;
  /** The longest text of a document, in characters. */
  readonly maxChars: number;
  /** The most headings, paragraphs, tables and declarations of a document. */
  readonly maxBlocks: number;
  readonly maxChunks: number;
  readonly maxPages: number;
  /** Memory for one file, above that of an idle reader. */
  readonly maxMemoryBytes: number;
  /** Processor time for one file, whatever its size. */
  readonly cpuMs: number;
  /** More processor time for each megabyte of the file. */
  readonly cpuMsPerMegabyte: number;
  /** Of the clock: a file that waits for the processor is given up too. */
  readonly timeoutMs: number;
}

export const DEFAULT_READ_LIMITS: ReadLimits = {
  maxBytes: 100_000_000,
  maxChars: 20_000_000,
  maxBlocks: 300_000,
  maxChunks: 15_000,
  maxPages: 5000,
  maxMemoryBytes: 1_000_000_000,
  cpuMs: 20_000,
  cpuMsPerMegabyte: 400,
  timeoutMs: 60_000,
};

/** A file on this machine, or bytes with the name they were sent under. The name tells the format where the bytes do not. */
export type ReadInput = { readonly path: string } | { readonly name: string; readonly bytes: Uint8Array };

export interface ReadOptions {
  readonly signal?: AbortSignal | undefined;
  /** Cut the text into chunks too, in the same process: with a large or hostile file this takes seconds. */
  readonly chunk?: ChunkJob | undefined;
  /** Whose file it is. Callers take turns. Default: that of everybody who does not say. */
  readonly caller?: string | undefined;
}

export interface ChunkJob {
  readonly documentId: string;
  readonly options: ChunkOptions;
}

/**
 * Reads a few files at a time, each in a process: a hostile file ends that process and nothing else, and the next file starts
 * another. No caller waits until the files of another have been read: see `read-turns.ts`. A file that cannot be read is a
 * result, never an exception. Idle readers do not keep the process alive.
 */
export interface DocumentReader {
  /** Rejects only when the signal is aborted, the reader is closed or the chunk options do not fit (INVALID_REQUEST). */
  read(input: ReadInput, options?: ReadOptions): Promise<ReadResult>;
  close(): Promise<void>;
}
