import { z } from 'zod';
import { explanationSchema } from '../../model/answer/result.ts';
import { chunkingSchema, unreadSchema } from './document-requests.ts';

const moment = z.string().nullable();

export const collectionSchema = z.object({
  name: z.string(),
  folder: z.string().nullable().describe('Where its files are. Null for files that were sent.'),
  include: z.array(z.string()),
  exclude: z.array(z.string()),
  chunking: chunkingSchema,
  notes: z.array(z.object({ folder: z.string(), note: z.string() })),
  files: z.int(),
  chunks: z.int(),
  unread: z.int().describe('Files that could not be read.'),
  scanned_at: moment.describe('When the last complete scan ended.'),
});
/** A collection of documents, with its counts. */
export type Collection = z.output<typeof collectionSchema>;

export const collectionListSchema = z.object({ collections: z.array(collectionSchema), total: z.int() });
export type CollectionList = z.output<typeof collectionListSchema>;

export const removedCollectionSchema = z.object({
  name: z.string(),
  removed: z.int().describe('Documents that were deleted.'),
  kept: z.int().describe('Documents that stay in another collection.'),
});
export type RemovedCollection = z.output<typeof removedCollectionSchema>;

export const fileStatesSchema = z.object({
  files: z.array(
    z.object({
      id: z.string(),
      path: z.string(),
      size: z.number(),
      mtime_ms: z.number(),
      hash: z.string(),
      sent: z.boolean(),
      chunking: z.string().describe('Changes if the file must be read again although it is the same.'),
    }),
  ),
  unread: z.array(unreadSchema),
});
export type FileStates = z.output<typeof fileStatesSchema>;

export const putFilesSchema = z.object({
  stored: z.int(),
  removed: z.int(),
  /** Files without content that no document has. */
  unknown: z.array(z.string()).describe('Ids of files that must be sent with their content.'),
});
export type PutFiles = z.output<typeof putFilesSchema>;

const positionSchema = z.object({
  index: z.int().describe('The place among the chunks of its document, from 0.'),
  start_char: z.int(),
  end_char: z.int(),
  from_line: z.int(),
  to_line: z.int(),
  page: z.int().nullable(),
});

const sourceFields = {
  source_id: z.string(),
  source_url: z.string(),
  source_name: z.string(),
  source_type: z.string(),
  collections: z.array(z.string()),
  path: z.string().describe('The path of the file in its collection.'),
};

/** A chunk as every surface shows it. */
export const chunkSchema = z.object({
  chunk_id: z.string(),
  text: z.string(),
  score: z.number(),
  ...sourceFields,
  position: positionSchema,
  heading_path: z.array(z.string()),
  notes: z.array(z.string()).describe('Notes of its collection and folders, the widest first.'),
  metadata: z.record(z.string(), z.unknown()),
});
/** A passage of a document. */
export type Chunk = z.output<typeof chunkSchema>;

const nearbySchema = z.object({
  chunk_id: z.string(),
  text: z.string(),
  role: z.enum(['parent', 'before', 'after', 'section']),
  heading_path: z.array(z.string()),
  position: positionSchema,
});
export type Nearby = z.output<typeof nearbySchema>;

export const foundChunkSchema = chunkSchema.extend({
  confidence: z.number().describe('How likely it answers the query, 0 to 1. Comparable between queries.'),
  similarity_score: z.number().nullable(),
  nearby: z.array(nearbySchema).exactOptional().describe('The chunks around it, in order, if `expand` asks for them.'),
  explanation: explanationSchema.optional(),
});
/** A passage that a search found, with its score, its confidence and its place in the document. */
export type FoundChunk = z.output<typeof foundChunkSchema>;

export const foundChunksSchema = z.object({
  results: z.array(foundChunkSchema),
  total: z.int(),
  query: z.string(),
  mode: z.enum(['hybrid', 'lexical-only']),
  preset: z.string(),
  query_class: z.string(),
  no_match: z.boolean().describe('Nothing answers the query. `nearest` has the closest chunks.'),
  nearest: z.array(foundChunkSchema),
  stale: z
    .array(z.string())
    .exactOptional()
    .describe('Collections whose folders have changed, while a scan stores the changes. Absent: none.'),
  warnings: z.array(z.string()),
});
/** The answer to a search of documents. */
export type FoundChunks = z.output<typeof foundChunksSchema>;

/** Clients of IndexFoundry's servers choose what they show by the mode that they asked for. */
export const foundInCollectionSchema = foundChunksSchema.extend({
  mode: z.enum(['hybrid', 'lexical-only', 'keyword', 'semantic']).describe('As it was asked; else as in a search.'),
});
export type FoundInCollection = z.output<typeof foundInCollectionSchema>;

export const documentTextSchema = z.object({
  ...sourceFields,
  text: z.string(),
  from_line: z.int(),
  to_line: z.int(),
  lines: z.int().describe('The number of lines of the whole document.'),
  page: z.int().nullable(),
  to_page: z.int().nullable(),
  pages: z.int().nullable(),
  truncated: z.boolean(),
  notes: z.array(z.string()),
  metadata: z.record(z.string(), z.unknown()),
});
/** The text of a document, or some of its lines or pages. */
export type DocumentText = z.output<typeof documentTextSchema>;

export const sourceListSchema = z.object({
  sources: z.array(
    z.object({
      source_id: z.string(),
      type: z.string(),
      uri: z.string(),
      name: z.string(),
      status: z.enum(['completed', 'failed']),
      chunks: z.int(),
      message: z.string().exactOptional().describe('Why it could not be read, or what of it.'),
    }),
  ),
  total: z.int(),
});
/** The documents of a collection. */
export type SourceList = z.output<typeof sourceListSchema>;

export const collectionStatsSchema = z.object({
  project: z.string(),
  description: z.string(),
  chunks: z.int(),
  vectors: z.int().describe('At least this many: vectors that are still missing may be of other entities.'),
  sources: z.int(),
  has_embeddings: z.boolean(),
});
export type CollectionStats = z.output<typeof collectionStatsSchema>;
