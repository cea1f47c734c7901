import { z } from 'zod';
import { auditReportSchema } from '../../memories/audit/audit.ts';
import {
  forgottenSchema,
  foundMemoriesSchema,
  memoryCountsSchema,
  memoryPageSchema,
  memorySchema,
  storedMemorySchema,
  storedSessionSchema,
  supersededMemorySchema,
} from '../../memories/contract/memory-answers.ts';
import { memoryGraphAnswerSchema, memoryGraphSchema } from '../../memories/contract/memory-graph-schemas.ts';
import {
  forgetMemoriesSchema,
  listMemoriesSchema,
  searchMemoriesSchema,
  storeMemorySchema,
  storeSessionSchema,
  supersedeMemorySchema,
  updateMemorySchema,
} from '../../memories/contract/memory-requests.ts';
import { storedManySchema } from '../../memories/store/store-many.ts';
import { MAX_BATCH } from '../../registry/contract/registry.ts';
import type { OperationDetails } from '../routes/operation.ts';

const content_hash = z.string().max(512).describe('The hash of a memory, or the first 8 characters of it or more.');

/** One operation for each method of `Memories`: see `memory-calls.ts`. */
export const memoryOperations = {
  storeMemory: {
    summary: 'Store a memory, or supersede one',
    description:
      'An exact duplicate stores nothing: `success` is false. With `supersedes`, the new memory is stored and the old one becomes history, both or neither.',
    body: storeMemorySchema,
    raw: true,
    responses: { 200: storedMemorySchema },
    errors: ['NOT_FOUND', 'FORBIDDEN', 'STORE_FULL'],
  },
  storeSession: {
    summary: 'Store a conversation, found by its turns',
    body: storeSessionSchema,
    raw: true,
    responses: { 200: storedSessionSchema },
    errors: ['STORE_FULL'],
  },
  getMemory: {
    summary: 'Read a memory by its hash',
    body: z.strictObject({ content_hash }),
    responses: { 200: memorySchema },
    errors: ['NOT_FOUND'],
  },
  listMemories: {
    summary: 'List memories, newest first',
    body: listMemoriesSchema,
    raw: true,
    responses: { 200: memoryPageSchema },
  },
  searchMemories: {
    summary: 'Search memories by keyword and by meaning',
    body: searchMemoriesSchema,
    raw: true,
    responses: { 200: foundMemoriesSchema },
    errors: ['UNKNOWN_PRESET'],
  },
  updateMemory: {
    summary: 'Change a memory; new content supersedes it',
    body: z.strictObject({ content_hash, changes: updateMemorySchema }),
    responses: { 200: storedMemorySchema },
    errors: ['NOT_FOUND', 'FORBIDDEN', 'STORE_FULL'],
  },
  supersedeMemory: {
    summary: 'Supersede a memory by one that is stored',
    body: z.strictObject({ content_hash, ...supersedeMemorySchema.shape }),
    responses: { 200: supersededMemorySchema },
    errors: ['NOT_FOUND', 'FORBIDDEN', 'STORE_FULL'],
  },
  undoSupersede: {
    summary: 'Make a superseded memory current again',
    body: z.strictObject({ content_hash }),
    responses: { 200: supersededMemorySchema },
    errors: ['NOT_FOUND', 'STORE_FULL'],
  },
  forgetMemories: {
    summary: 'Forget a memory, or all that match a filter',
    body: forgetMemoriesSchema,
    raw: true,
    responses: { 200: forgottenSchema },
    errors: ['NOT_FOUND', 'STORE_FULL'],
  },
  countMemories: {
    summary: 'Count memories by tag, type and source',
    responses: { 200: memoryCountsSchema },
  },
  storeMemories: {
    summary: 'Store many memories, for imports',
    description: 'A bad memory is refused alone. Vectors follow in the background.',
    body: z.strictObject({ memories: z.array(z.unknown()).max(MAX_BATCH).readonly() }),
    responses: { 200: storedManySchema },
    errors: ['STORE_FULL'],
  },
  memoryGraph: {
    summary: 'Follow relations between memories',
    description:
      'Relations are what memories supersede and were made from, their `relations`, and edges that were imported. `infer` and `suggest` name likely ones and store nothing.',
    body: memoryGraphSchema,
    raw: true,
    responses: { 200: memoryGraphAnswerSchema },
    errors: ['NOT_FOUND'],
  },
  auditMemories: {
    summary: 'Report duplicates, contradictions and secrets',
    description: 'Changes nothing: `plan` says what to do.',
    responses: { 200: auditReportSchema },
  },
} as const satisfies Record<string, OperationDetails>;
