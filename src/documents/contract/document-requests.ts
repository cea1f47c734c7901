import { z } from 'zod';
import { MAX_BODY_CHARS } from '../../model/entity-types/document.ts';
import { nonEmpty, text } from '../../model/entity-types/fields.ts';
import {
  MAX_INTENT_CHARS,
  MAX_QUERY_CHARS,
  MAX_SUB_QUERIES,
  queryVectorSchema,
  subQuerySchema,
} from '../../model/query/query.ts';
import { CHUNK_STRATEGIES, DEFAULT_CHUNK_OPTIONS } from './document-chunk.ts';

export const MAX_DOCUMENT_RESULTS = 100;
/** Files in one request. */
export const MAX_FILES = 1000;
/** What was not read of one file. */
export const MAX_WARNINGS = 20;
export const MAX_WARNING_CHARS = 2000;

const wholeFrom = (min: number, max: number) => {
  const message = `must be a whole number from ${min} to ${max}`;
  return z.int(message).min(min, message).max(max, message);
};

/** A name is part of URLs and of document names, such as `handbook/guide.md`. */
export const collectionName = z
  .string()
  .max(64, 'must have at most 64 characters')
  .regex(
    /^[\p{L}\p{N}][\p{L}\p{N}._-]*$/u,
    'must begin with a letter or digit and have only letters, digits, . _ and -',
  );

const { strategy, maxChars, overlapChars } = DEFAULT_CHUNK_OPTIONS;
export const chunkingSchema = z
  .strictObject({
    strategy: z.enum(CHUNK_STRATEGIES, `must be one of ${CHUNK_STRATEGIES.join(', ')}`).default(strategy),
    max_chars: wholeFrom(100, 10_000).default(maxChars).describe('The longest chunk.'),
    overlap_chars: wholeFrom(0, 5000).default(overlapChars).describe('What a chunk repeats of the one before it.'),
  })
  .refine((value) => value.overlap_chars <= value.max_chars / 2, {
    path: ['overlap_chars'],
    message: 'must be at most half of the chunk size',
  });
export type Chunking = z.output<typeof chunkingSchema>;
export const DEFAULT_CHUNKING: Chunking = chunkingSchema.parse({});

const patterns = z.array(nonEmpty(1024)).max(200);
const note = z.strictObject({
  folder: text(4096).default('').describe('A folder in the collection. Empty: the whole collection.'),
  note: text(4000).describe('Comes with every hit in the folder. Empty: remove the note.'),
});

export const createCollectionSchema = z.strictObject({
  name: collectionName,
  folder: nonEmpty(4096)
    .optional()
    .describe('Where its files are, on the machine that scans it. Nothing reads it here.'),
  include: patterns.default([]).describe('Only files that match any of these, written as in .gitignore.'),
  exclude: patterns.default([]).describe('No file that matches any of these.'),
  chunking: chunkingSchema.default(DEFAULT_CHUNKING),
  note: text(4000).default('').describe('What the collection is. Comes with every hit.'),
});

export const changeCollectionSchema = z.strictObject({
  folder: createCollectionSchema.shape.folder,
  include: patterns.optional(),
  exclude: patterns.optional(),
  chunking: chunkingSchema.optional(),
  notes: z.array(note).max(1000).optional().describe('Added to the notes that are there, one for each folder.'),
});

/** Of a file when it was read. */
const state = {
  size: z.number().min(0),
  mtime_ms: z.number(),
};

const filePath = nonEmpty(4096).refine(
  (path) => !path.startsWith('/') && !path.split('/').includes('..') && !/\p{Cc}/u.test(path),
  'must be a path inside the collection, with / between folders',
);
export const fileId = z.string().regex(/^[0-9a-f]{16}$/, 'must have 16 characters, 0 to 9 and a to f');

const chunk = z.strictObject({
  id: nonEmpty(64),
  text: z.string().optional(),
  headings: z.array(z.string()).default([]),
  start_char: z.int().min(0),
  end_char: z.int().min(0),
  from_line: z.int().min(0),
  to_line: z.int().min(0),
  page: z.int().min(0).optional(),
});

const contentSchema = z.strictObject({
  title: text(1024),
  format: text(64),
  text: text(MAX_BODY_CHARS),
  chunks: z.array(chunk),
  page_starts: z.array(z.int().min(0)).optional(),
  metadata: z.record(z.string(), z.unknown()).default({}),
  warnings: z
    .array(text(MAX_WARNING_CHARS))
    .max(MAX_WARNINGS)
    .default([])
    .describe('What of the file was not read, as sentences.'),
});
export type FileContent = z.output<typeof contentSchema>;

const fileSchema = z.strictObject({
  id: fileId.describe('The same for one file in every collection.'),
  path: filePath,
  ...state,
  hash: text(64).describe('SHA-256 of the bytes.'),
  sent: z.boolean().default(false).describe('Not a file of the folder: a scan leaves it alone.'),
  content: contentSchema.optional().describe('Absent: the file has the content that is stored.'),
});
export type FileChange = z.output<typeof fileSchema>;

export const unreadSchema = z.object({ path: filePath, ...state, code: text(64), message: text(MAX_WARNING_CHARS) });
export type UnreadFile = z.output<typeof unreadSchema>;

export const fileChangesSchema = z.strictObject({
  put: z.array(fileSchema).max(MAX_FILES).default([]),
  remove: z.array(fileId).max(MAX_FILES).default([]).describe('Files that are gone.'),
  unread: z.array(unreadSchema).max(10_000).optional().describe('All files that could not be read.'),
  scanned: z.boolean().default(false).describe('The scan is complete.'),
  scanning: z.boolean().default(false).describe('A scan has found changes: answers say that they may be stale.'),
});
/** Files to put into a collection and to remove from it. */
export type FileChanges = z.input<typeof fileChangesSchema>;

export const expandSchema = z.strictObject({
  before: wholeFrom(0, 5).default(1).describe('Chunks before the hit.'),
  after: wholeFrom(0, 5).default(1).describe('Chunks after the hit.'),
  parent: z.boolean().default(true).describe('The chunk of the heading above.'),
  section: z.boolean().default(false).describe('The other chunks under the same heading.'),
  max_chunks: wholeFrom(1, 20).default(10).describe('At most this many for each hit.'),
});
export type Expand = z.output<typeof expandSchema>;

const share = z.number().min(0, 'must be from 0 to 1').max(1, 'must be from 0 to 1');

export const searchDocumentsSchema = z.strictObject({
  query: z
    .string()
    .max(MAX_QUERY_CHARS, `must have at most ${MAX_QUERY_CHARS} characters`)
    .default('')
    .describe('The question, in words. May be left out if there are searches.'),
  searches: z
    .array(subQuerySchema)
    .max(MAX_SUB_QUERIES)
    .optional()
    .describe(
      'Other wordings: exact words (keyword), a question (meaning), an answer as it may be written (hypothetical).',
    ),
  intent: text(MAX_INTENT_CHARS).optional().describe('What the answer is for.'),
  query_vector: queryVectorSchema,
  collections: z.array(z.string().max(64)).max(100).optional().describe('Only these. Default: all.'),
  limit: wholeFrom(1, MAX_DOCUMENT_RESULTS).default(10),
  expand: expandSchema.optional().describe('Add the chunks around each hit.'),
  preset: text(64).optional().describe('Another ranking, such as keyword or linear.'),
  min_confidence: share.optional(),
  explain: z.boolean().default(false),
});
/** A search of documents. */
export type SearchDocuments = z.input<typeof searchDocumentsSchema>;

export const readRangeSchema = z.strictObject({
  from_line: wholeFrom(1, 100_000_000).optional(),
  to_line: wholeFrom(1, 100_000_000).optional(),
  page: wholeFrom(1, 100_000).optional(),
  to_page: wholeFrom(1, 100_000).optional(),
  max_chars: wholeFrom(1, MAX_BODY_CHARS).default(200_000),
});
/** Which part of a document to read. */
export type ReadRange = z.input<typeof readRangeSchema>;

/** A new collection. */
export type CreateCollection = z.input<typeof createCollectionSchema>;
/** What to change in a collection. What is absent stays as it is. */
export type ChangeCollection = z.input<typeof changeCollectionSchema>;
