import { z } from 'zod';
import { STATUSES } from '../entity.ts';
import { FACETS, facetFilterSchema } from '../entity-parts/facets.ts';
import { documentFilterSchema } from './document-filter.ts';
import { memoryFilterSchema } from './memory-filter.ts';

/** Agents describe tasks, not only questions. */
export const MAX_QUERY_CHARS = 8192;
/** The registry's own presets keep the limit of its API. */
export const MAX_REGISTRY_QUERY_CHARS = 512;
export const MAX_RESULTS = 50;
const DEFAULT_RESULTS = 10;

/** Deeper than anybody pages. */
export const MAX_OFFSET = 450;

/** The last result of the last page. */
export const LAST_RESULT = MAX_OFFSET + MAX_RESULTS;

/** The class of a query (ADR-003). Decided by the index, not by patterns alone. */
export const QUERY_CLASSES = ['identifier', 'mixed', 'conceptual'] as const;
/** What kind of query it is, such as a name or a question. The weights of the ranking depend on it. */
export type QueryClass = (typeof QUERY_CLASSES)[number];

export const FACET_FIELDS = ['entity_type', 'tags', 'status', 'visibility', ...FACETS] as const;
/** A field that results are counted by. */
export type FacetField = (typeof FACET_FIELDS)[number];

/** `hypothetical` is an answer as it might be written: texts that say the same are near to it. */
export const SUB_QUERY_TYPES = ['keyword', 'meaning', 'hypothetical'] as const;
export const MAX_SUB_QUERIES = 10;
const MAX_SUB_QUERY_CHARS = 2000;
export const MAX_INTENT_CHARS = 1000;

export const subQuerySchema = z.strictObject({
  type: z.enum(SUB_QUERY_TYPES, `must be one of ${SUB_QUERY_TYPES.join(', ')}`),
  query: z
    .string()
    .max(MAX_SUB_QUERY_CHARS, `must have at most ${MAX_SUB_QUERY_CHARS} characters`)
    .refine((text) => text.trim() !== '', 'must not be empty'),
});
export type SubQuery = z.output<typeof subQuerySchema>;

/** The longest vector of any model. */
const MAX_DIMENSIONS = 16_384;
export const queryVectorSchema = z
  .array(z.number())
  .max(MAX_DIMENSIONS, `must have at most ${MAX_DIMENSIONS} numbers`)
  .optional()
  .describe(
    'The vector of the query, made by the model of the index. If its length fits, the query is not embedded again.',
  );

const share = z.number().min(0, 'must be from 0 to 1').max(1, 'must be from 0 to 1');

const legWeights = z.object({
  keyword: z.number().min(0).max(1000).optional(),
  vector: z.number().min(0).max(1000).optional(),
});

/** The weight of each leg. Only the ratio matters; 0 turns a leg off. Unknown names are allowed, as in a search. */
export const weightsSchema = (legWeights.loose() as unknown as typeof legWeights).refine(
  (w) => (w.keyword ?? 1) + (w.vector ?? 1) > 0,
  'must leave at least one leg above 0',
);

const searchFields = z.object({
  query: z
    .string()
    .max(MAX_QUERY_CHARS, `must have at most ${MAX_QUERY_CHARS} characters`)
    .default('')
    .describe('The query, in words. `#word` filters by a tag; if no entity has the tag, it is text.'),
  entity_types: z
    .array(z.string().max(64))
    .max(32)
    .nullable()
    .default(null)
    .describe('Only these types. Null means all. `tool` finds all tools, also those of servers.'),
  tags: z
    .array(z.string().max(512))
    .max(50)
    .nullable()
    .default(null)
    .describe('Only entities with all of these tags. Ignores case.'),
  paths: z
    .array(z.string().max(1024))
    .max(500)
    .optional()
    .describe('Only entities at these paths, and the tools of servers there.'),
  max_results: z
    .int(`must be a whole number from 1 to ${MAX_RESULTS}`)
    .min(1, `must be from 1 to ${MAX_RESULTS}`)
    .max(MAX_RESULTS, `must be from 1 to ${MAX_RESULTS}`)
    .default(DEFAULT_RESULTS),
  include_draft: z.boolean().default(false),
  include_deprecated: z.boolean().default(false),
  include_disabled: z.boolean().default(false),
  statuses: z
    .array(z.enum(STATUSES, `must be one of ${STATUSES.join(', ')}`))
    .max(STATUSES.length)
    .optional()
    .describe('Only these statuses. Overrides `include_draft` and `include_deprecated`.'),
  metadata_fields: z
    .string()
    .max(4096)
    .nullable()
    .default(null)
    .describe('The metadata to return, as comma-separated dot paths, such as `team,config.region`.'),
  preset: z.string().max(64).optional().describe('The ranking preset. Default: the setting `preset` (`hybrid`).'),
  explain: z.boolean().default(false).describe('Explain the score of each result as a tree.'),
  weights: weightsSchema.optional().describe('The weight of each leg.'),
  rrf_k: z.int().min(1).max(1000).optional().describe('The constant of reciprocal rank fusion.'),
  soft_cap: share.optional().describe('The maximum share of one type while other types have results.'),
  offset: z
    .int(`must be a whole number from 0 to ${MAX_OFFSET}`)
    .min(0, `must be from 0 to ${MAX_OFFSET}`)
    .max(MAX_OFFSET, `must be from 0 to ${MAX_OFFSET}`)
    .optional()
    .describe('How many results to skip. For paging, send it with the first page too (0).'),
  min_confidence: share
    .optional()
    .describe('The minimum confidence of a result. By default, results are empty only if none is confident.'),
  facets: z
    .array(z.enum(FACET_FIELDS, `must be one of ${FACET_FIELDS.join(', ')}`))
    .max(FACET_FIELDS.length)
    .optional()
    .describe('Count the matches by these fields.'),
  drifted: z.boolean().default(false).describe('Only entities that changed since they were accepted.'),
  floor: share.optional().describe('The minimum relevance score of a result.'),
  where: facetFilterSchema.optional(),
  with_prerequisites: z
    .boolean()
    .default(false)
    .describe('Also return what the results need first and what is used with them, beside the results.'),
  why_not: z
    .string()
    .max(1100)
    .optional()
    .describe('An id such as `mcp_server:/github`: say why that entity is not among the results.'),
  document: documentFilterSchema.optional(),
  searches: z
    .array(subQuerySchema)
    .max(MAX_SUB_QUERIES)
    .optional()
    .describe('More wordings of the same need, each for one leg. They are ranked as one query.'),
  intent: z
    .string()
    .max(MAX_INTENT_CHARS, `must have at most ${MAX_INTENT_CHARS} characters`)
    .optional()
    .describe('What the results are for. Compared by meaning only.'),
  query_vector: queryVectorSchema,
  peers: z
    .union([z.boolean(), z.literal('setting')], 'must be true, false or setting')
    .optional()
    .describe(
      'Also ask the peers of the setting `peers`. `setting`: if `peer_search` says so. With false, no peer hears of the query.',
    ),
  memory: memoryFilterSchema
    .optional()
    .describe('Which memories may match. Entities of other types have no such fields.'),
});

/**
 * The search request of every surface. Fields and limits follow `POST /api/search/semantic` of the MCP gateway registry.
 * Unknown fields are allowed at runtime, and reported as warnings of the answer; to the compiler they are errors.
 */
export const searchRequestSchema = searchFields.loose() as unknown as typeof searchFields;

/** A search with all of its defaults. */
export type SearchRequest = z.output<typeof searchRequestSchema>;
/** A search, such as `{ query: 'create a github issue', max_results: 5 }`. */
export type SearchRequestInput = z.input<typeof searchRequestSchema>;
