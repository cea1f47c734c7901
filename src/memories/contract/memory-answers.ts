import { z } from 'zod';
import { SOURCE_CLASSES } from '../../model/entity-types/memory-facts.ts';

const moment = z.string().nullable();

/** A memory as every surface shows it. */
export const memorySchema = z.object({
  content: z.string(),
  content_hash: z.string(),
  tags: z.array(z.string()),
  memory_type: z.string().nullable(),
  metadata: z.record(z.string(), z.unknown()),
  created_at: z.number().describe('When it was learned, in seconds since 1970.'),
  created_at_iso: z.string(),
  updated_at: z.number(),
  updated_at_iso: z.string(),
  path: z.string().describe('Its path as an entity of the registry.'),
  source_class: z.enum(SOURCE_CLASSES).nullable().describe('Who said it. Null: unknown, and not trusted.'),
  certainty: z.number().nullable().describe('How sure its writer was, 0 to 1. Null: nothing was said.'),
  agent_id: z.string().nullable(),
  conversation_id: z.string().nullable(),
  namespace: z.string().nullable().describe('The group that may read it.'),
  owner: z
    .string()
    .exactOptional()
    .describe('Of a private memory: the only caller that reads it. Empty: admins alone.'),
  valid_from: moment,
  invalid_at: moment,
  superseded: z
    .object({ by: z.string().describe('The content hash of its successor.'), at: z.string(), reason: z.string() })
    .nullable(),
  supersedes: z.array(z.string()),
  derived_from: z.array(z.string()),
  deleted_at: moment,
  turn_count: z.int().describe('The number of turns of a conversation, else 0.'),
});
/** A memory with its tags, its type and its times. */
export type Memory = z.output<typeof memorySchema>;

export const nearDuplicateSchema = z.object({
  content_hash: z.string(),
  similarity: z.number().describe('The share of words in common, 0 to 1.'),
  content: z.string(),
});
export type NearDuplicate = z.output<typeof nearDuplicateSchema>;

export const storedMemorySchema = z.object({
  success: z.boolean().describe('False for an exact duplicate: nothing was stored.'),
  message: z.string(),
  content_hash: z.string(),
  memory: memorySchema,
  duplicate: z.boolean(),
  near_duplicates: z.array(nearDuplicateSchema).describe('Memories that say nearly the same.'),
  superseded: memorySchema.nullable().describe('The memory that it replaced.'),
  merged: z.array(memorySchema).exactOptional().describe('Of a merge: all memories that it replaced.'),
  pending_vectors: z.int(),
  warnings: z.array(z.string()),
});
/** A memory after it was stored, and whether it was known before. */
export type StoredMemory = z.output<typeof storedMemorySchema>;

export const storedSessionSchema = z.object({
  success: z.boolean(),
  message: z.string(),
  session_id: z.string(),
  content_hash: z.string(),
  turn_count: z.int(),
  memory: memorySchema,
});
export type StoredSession = z.output<typeof storedSessionSchema>;

export const supersededMemorySchema = z.object({
  success: z.literal(true),
  message: z.string(),
  memory: memorySchema.describe('The memory that was superseded, or restored.'),
  successor: memorySchema.nullable(),
  near_duplicates: z.array(nearDuplicateSchema).describe('Memories that still say nearly the same as the old one.'),
});
export type SupersededMemory = z.output<typeof supersededMemorySchema>;

export const foundMemorySchema = memorySchema.extend({
  score: z.number().describe('For display, 0 to 1. Comparable within this answer only.'),
  similarity_score: z.number().nullable().describe('(1 + cosine) / 2. Null without a vector.'),
  confidence: z.number().describe('How likely it answers the query, 0 to 1.'),
  certainty_now: z.number().describe('The certainty at the time of the question: it fades. 1 if nothing was said.'),
  match: z
    .object({
      text: z.string().describe('The part that was found.'),
      turn: z.int().nullable().describe('The number of the turn, from 1.'),
      before: z.string().nullable().describe('The turn before.'),
      after: z.string().nullable().describe('The turn after.'),
    })
    .nullable(),
  debug_info: z.record(z.string(), z.unknown()).exactOptional(),
});
/** A memory that a search found, with its score and its confidence. */
export type FoundMemory = z.output<typeof foundMemorySchema>;

export const foundMemoriesSchema = z.object({
  query: z.string(),
  mode: z.string(),
  preset: z.string().nullable(),
  search_mode: z.string().describe('`lexical-only` if the model was not available.'),
  memories: z.array(foundMemorySchema),
  total: z.int().describe('How many are in this answer, with those left out.'),
  omitted: z.int().describe('How many were left out to fit `max_response_chars`.'),
  no_match: z.boolean(),
  nearest: z.array(foundMemorySchema).describe('The closest, if nothing matches.'),
  time_range: z.object({ from: moment, to: moment }).nullable(),
  warnings: z.array(z.string()),
});
/** The answer to a search of memories. */
export type FoundMemories = z.output<typeof foundMemoriesSchema>;

export const memoryPageSchema = z.object({
  memories: z.array(memorySchema),
  total: z.int(),
  page: z.int(),
  page_size: z.int(),
  total_pages: z.int(),
  has_more: z.boolean(),
});
/** A page of the list of memories. */
export type MemoryPage = z.output<typeof memoryPageSchema>;

export const forgottenSchema = z.object({
  success: z.literal(true),
  message: z.string(),
  count: z.int(),
  dry_run: z.boolean(),
  hashes: z.array(z.string()).describe('Up to 100 of them.'),
  refused: z
    .array(z.string())
    .exactOptional()
    .describe('Of a `dry_run`: up to 100 that you may not forget. With any, nothing is forgotten.'),
});
export type Forgotten = z.output<typeof forgottenSchema>;

export const memoryCountsSchema = z.object({
  total: z.int(),
  superseded: z.int(),
  deleted: z.int(),
  untagged: z.int().describe('Current ones without tags.'),
  tags: z.array(z.object({ tag: z.string(), count: z.int() })),
  types: z.array(z.object({ type: z.string(), count: z.int() })),
  sources: z.array(z.object({ source: z.string(), count: z.int() })),
});
export type MemoryCounts = z.output<typeof memoryCountsSchema>;
