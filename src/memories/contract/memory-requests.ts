import { z } from 'zod';
import { nonEmpty, text } from '../../model/entity-types/fields.ts';
import { MAX_MEMORY_CHARS, MAX_TURNS, momentSchema, turnSchema } from '../../model/entity-types/memory.ts';
import { SOURCE_CLASSES } from '../../model/entity-types/memory-facts.ts';
import { tagsField } from './tags-field.ts';

export const MAX_MEMORY_QUERY_CHARS = 4096;
export const MAX_MEMORY_RESULTS = 100;
export const SEARCH_MODES = ['hybrid', 'semantic', 'exact'] as const;
export const FUSIONS = ['weighted_average', 'rrf'] as const;

const share = z.number().min(0, 'must be from 0 to 1').max(1, 'must be from 0 to 1');
const sourceClass = z.enum(SOURCE_CLASSES, `must be one of ${SOURCE_CLASSES.join(', ')}`);
const hash = nonEmpty(512).describe('The content hash of a memory, or the first 8 characters of it or more.');
const namespace = text(128)
  .refine((s) => /^[\w.@-]+$/.test(s), 'must have letters, digits, and . _ @ - only')
  .describe('The group that may read it.');
const wholeFrom1 = (max: number) =>
  z
    .int(`must be a whole number from 1 to ${max}`)
    .min(1, `must be from 1 to ${max}`)
    .max(max, `must be from 1 to ${max}`);

const certainty = share.describe('How sure it is, 0 to 1. It fades with time. Default: sure, and does not fade.');

const about = {
  tags: tagsField.optional().describe('A list, or words with commas between.'),
  memory_type: text(64).optional().describe('Any word, such as decision.'),
  metadata: z.record(z.string(), z.unknown()).optional(),
  agent_id: text(256).optional().describe('The agent that stores it.'),
  conversation_id: text(256).optional(),
  namespace: namespace.optional(),
  source_class: sourceClass
    .optional()
    .describe('Who said it: user, model (inferred, the default), tool (its output) or document (untrusted).'),
};

/** Memories that one replaces. Each is written, in one transaction. */
const MAX_MERGED = 50;

export const storeMemorySchema = z.strictObject({
  content: nonEmpty(MAX_MEMORY_CHARS),
  ...about,
  certainty: certainty.optional(),
  created_at: momentSchema.optional().describe('When it was learned. Default: now.'),
  valid_from: momentSchema.optional().describe('When it begins to be true.'),
  invalid_at: momentSchema.optional().describe('When it is no longer true.'),
  derived_from: z
    .array(hash)
    .max(200)
    .optional()
    .describe('The memories it was made from. It is as trusted as the least of them.'),
  supersedes: z
    .union([hash, z.array(hash).min(1, 'must not be empty').max(MAX_MERGED)])
    .optional()
    .describe(
      'The memory that it replaces. A list is a merge: it is made from all of them, and as trusted as the least.',
    ),
  reason: text(4000).optional().describe('Why it replaces that memory.'),
  count_as: text(64)
    .refine((s) => /^\w+$/.test(s), 'must have letters, digits and _ only')
    .optional()
    .describe('A key of the metadata: 1 when the memory is stored, and one more each time it is stored again.'),
});

export const storeSessionSchema = z.strictObject({
  turns: z.array(turnSchema.strict()).min(1, 'must have at least one turn').max(MAX_TURNS),
  session_id: text(256).optional().describe('Default: made from the content.'),
  ...about,
  created_at: momentSchema.optional(),
});

export const updateMemorySchema = z.strictObject({
  content: nonEmpty(MAX_MEMORY_CHARS).optional().describe('New content is a new memory that supersedes this one.'),
  tags: about.tags,
  memory_type: about.memory_type,
  metadata: about.metadata.describe('Merged with what is there. Null removes a key.'),
  source_class: sourceClass.optional().describe('May only become less trusted.'),
  certainty: certainty.optional(),
  valid_from: momentSchema.nullable().optional(),
  invalid_at: momentSchema.nullable().optional(),
  reason: text(4000).optional(),
});

export const supersedeMemorySchema = z.strictObject({
  by: hash.describe('The memory that replaces it.'),
  reason: text(4000).optional(),
});

const minCertainty = share.optional().describe('Still this sure, 0 to 1: a stated certainty fades with time.');

/** The filters that search, list and forget share. */
const filters = {
  tags: about.tags,
  tag_match: z.enum(['any', 'all']).default('any'),
  memory_type: z
    .union([text(64), z.array(text(64)).max(100)])
    .optional()
    .describe('Any of these types.'),
  agent_id: about.agent_id,
  conversation_id: about.conversation_id,
  namespace: about.namespace,
  source_class: z
    .union([sourceClass, z.array(sourceClass)])
    .optional()
    .describe('Any of these.'),
  min_source: sourceClass.optional().describe('This source class or a more trusted one.'),
  time_expr: nonEmpty(256).optional().describe('When it was learned, in words: last week, between january and march.'),
  after: momentSchema.optional().describe('Learned at this time or later.'),
  before: momentSchema.optional().describe('Learned before this time. A date includes the whole day.'),
};

export const searchMemoriesSchema = z.strictObject({
  query: z
    .string()
    .max(MAX_MEMORY_QUERY_CHARS, `must have at most ${MAX_MEMORY_QUERY_CHARS} characters`)
    .default('')
    .describe('In words. Without one, the newest memories that pass the filters come.'),
  time_in_query: z.boolean().default(false).describe('Take time words out of the query and filter by them.'),
  mode: z.enum(SEARCH_MODES, `must be one of ${SEARCH_MODES.join(', ')}`).default('hybrid'),
  limit: wholeFrom1(MAX_MEMORY_RESULTS).default(10),
  ...filters,
  as_of: momentSchema.optional().describe('What was true at this time.'),
  include_superseded: z.boolean().default(false).describe('Also what was superseded or is no longer true.'),
  keyword_weight: share.optional(),
  semantic_weight: share.optional(),
  fusion: z.enum(FUSIONS, `must be one of ${FUSIONS.join(', ')}`).optional(),
  preset: text(64).optional().describe('Another ranking, such as memory-legacy.'),
  min_confidence: share.optional(),
  min_certainty: minCertainty,
  max_response_chars: z.int().min(1).optional().describe('Leave out memories from the end until the contents fit.'),
  include_debug: z.boolean().default(false),
});

export const listMemoriesSchema = z.strictObject({
  page: z.int().min(1, 'must be from 1').default(1),
  page_size: wholeFrom1(100).default(20),
  ...filters,
  include_superseded: z.boolean().default(false),
  include_deleted: z.boolean().default(false),
  min_certainty: minCertainty,
  stale_days: z.int().min(1).max(36_500).optional().describe('Not recalled for this many days.'),
  newest_per_tag: nonEmpty(100)
    .optional()
    .describe('Of each tag that begins with this text, the newest memory only, and none without such a tag.'),
});

export const forgetMemoriesSchema = z.strictObject({
  content_hash: hash.optional().describe('This memory. Other filters are ignored.'),
  ...filters,
  dry_run: z.boolean().default(false).describe('Only say what would be forgotten.'),
  purge: z.boolean().default(false).describe('Delete for good, also what was forgotten before.'),
});

/** A memory to store. */
export type StoreMemory = z.input<typeof storeMemorySchema>;
/** The turns of a conversation to store. */
export type StoreSession = z.input<typeof storeSessionSchema>;
/** What to change in a memory. What is absent stays as it is. */
export type UpdateMemory = z.input<typeof updateMemorySchema>;
export type SupersedeMemory = z.input<typeof supersedeMemorySchema>;
/** A search of memories. */
export type SearchMemories = z.input<typeof searchMemoriesSchema>;
/** Which memories to list. */
export type ListMemories = z.input<typeof listMemoriesSchema>;
/** Which memories to forget. */
export type ForgetMemories = z.input<typeof forgetMemoriesSchema>;
/** The shared filters of a parsed request. */
export type MemoryFilters = Pick<z.output<typeof searchMemoriesSchema>, keyof typeof filters> & {
  readonly min_certainty?: number | undefined;
};
