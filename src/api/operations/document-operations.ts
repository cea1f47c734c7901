import { z } from 'zod';
import {
  chunkSchema,
  collectionListSchema,
  collectionSchema,
  collectionStatsSchema,
  documentTextSchema,
  fileStatesSchema,
  foundChunksSchema,
  foundInCollectionSchema,
  putFilesSchema,
  removedCollectionSchema,
  sourceListSchema,
} from '../../documents/contract/document-answers.ts';
import {
  changeCollectionSchema,
  createCollectionSchema,
  fileChangesSchema,
  readRangeSchema,
  searchDocumentsSchema,
} from '../../documents/contract/document-requests.ts';
import type { OperationDetails } from '../routes/operation.ts';

const name = z.string().max(512).describe('The name of a collection. Ignores case.');
const inCollection = z.object({ name });
const chunk_id = z.string().max(512).describe('As a search gives it.');
const document = z.string().max(5000).describe('A document as `collection/path`, its id, or the id of a chunk.');

const number = z.coerce.number().optional();
const rangeQuery = z.strictObject({
  from_line: number.describe('The first line is 1.'),
  to_line: number,
  page: number.describe('The first page is 1.'),
  to_page: number,
  max_chars: number.describe('Longer texts are cut. Default 200000.'),
});

/** The modes of IndexFoundry's servers. */
const SEARCH_MODES = ['keyword', 'semantic', 'hybrid'] as const;

export const collectionSearchSchema = searchDocumentsSchema
  .omit({ collections: true, limit: true, query: true })
  .extend({
    query: searchDocumentsSchema.shape.query.unwrap().optional().describe('The question, in words.'),
    limit: searchDocumentsSchema.shape.limit.unwrap().optional(),
    top_k: z
      .number()
      .optional()
      .describe('Another name of `limit`, from 1 to 100; other numbers count as the nearest.'),
    mode: z
      .enum(SEARCH_MODES, `must be one of ${SEARCH_MODES.join(', ')}`)
      .optional()
      .describe('Default: hybrid.'),
  });

/** One operation for each method of `Documents` (see `document-calls.ts`), and the routes of IndexFoundry's servers. */
export const documentOperations = {
  listCollections: {
    summary: 'List the collections of documents',
    responses: { 200: collectionListSchema },
  },
  createCollection: {
    summary: 'Create a collection',
    description: 'The server does not read `folder`: `dowser docs scan` does, and sends what changed.',
    body: createCollectionSchema,
    raw: true,
    responses: { 200: collectionSchema },
    errors: ['ALREADY_EXISTS', 'STORE_FULL'],
  },
  getCollection: {
    summary: 'Read a collection',
    params: inCollection,
    responses: { 200: collectionSchema },
    errors: ['NOT_FOUND'],
  },
  changeCollection: {
    summary: 'Change the patterns, options and notes of a collection',
    params: inCollection,
    body: changeCollectionSchema,
    raw: true,
    responses: { 200: collectionSchema },
    errors: ['NOT_FOUND', 'STORE_FULL'],
  },
  removeCollection: {
    summary: 'Remove a collection and its documents',
    description: 'Documents of other collections too stay in those.',
    params: inCollection,
    responses: { 200: removedCollectionSchema },
    errors: ['NOT_FOUND'],
  },
  listFileStates: {
    summary: 'List the files of a collection as they were last read',
    params: inCollection,
    responses: { 200: fileStatesSchema },
    errors: ['NOT_FOUND'],
  },
  putFiles: {
    summary: 'Store files that were read, and remove others',
    params: inCollection,
    body: fileChangesSchema,
    raw: true,
    responses: { 200: putFilesSchema },
    errors: ['NOT_FOUND', 'STORE_FULL'],
  },
  searchDocuments: {
    summary: 'Search the chunks of documents',
    body: searchDocumentsSchema,
    raw: true,
    responses: { 200: foundChunksSchema },
    errors: ['NOT_FOUND', 'EMPTY_SEARCH', 'UNKNOWN_PRESET'],
  },
  readDocument: {
    summary: 'Read a document, or lines or pages of it',
    body: z.strictObject({ document, range: readRangeSchema.partial().default({}) }),
    responses: { 200: documentTextSchema },
    errors: ['NOT_FOUND'],
  },
  getChunk: {
    summary: 'Read a chunk by its id',
    params: z.object({ chunk_id }),
    responses: { 200: chunkSchema },
    errors: ['NOT_FOUND'],
  },
  listCollectionSources: {
    summary: 'List the files of a collection, also those that could not be read',
    params: inCollection,
    responses: { 200: sourceListSchema },
    errors: ['NOT_FOUND'],
  },
  getCollectionStats: {
    summary: 'Count the files, chunks and vectors of a collection',
    params: inCollection,
    responses: { 200: collectionStatsSchema },
    errors: ['NOT_FOUND'],
  },
  searchCollection: {
    summary: 'Search one collection',
    params: inCollection,
    body: collectionSearchSchema,
    responses: { 200: foundInCollectionSchema },
    errors: ['NOT_FOUND', 'EMPTY_SEARCH', 'UNKNOWN_PRESET'],
  },
  getCollectionChunk: {
    summary: 'Read a chunk of one collection',
    params: z.object({ name, chunk_id }),
    responses: { 200: chunkSchema },
    errors: ['NOT_FOUND'],
  },
  getDocument: {
    summary: 'Read a document by its path in a collection, or lines or pages of it',
    params: z.object({ name, path: z.string().max(5000) }),
    query: rangeQuery,
    responses: { 200: documentTextSchema },
    errors: ['NOT_FOUND'],
  },
} as const satisfies Record<string, OperationDetails>;
