import { z } from 'zod';
import { STATUSES } from './entity.ts';

export const MAX_QUERY_CHARS = 512;
export const MAX_RESULTS = 50;
const DEFAULT_RESULTS = 10;

/** Deeper than anybody reads. */
export const MAX_OFFSET = 450;

/** What kind of question it is. ADR-003's three, told apart by what the index holds and not by patterns alone. */
export const QUERY_CLASSES = ['identifier', 'mixed', 'conceptual'] as const;
export type QueryClass = (typeof QUERY_CLASSES)[number];

export const FACET_FIELDS = ['entity_type', 'tags', 'status', 'visibility'] as const;
export type FacetField = (typeof FACET_FIELDS)[number];

const share = z.number().min(0, 'must be from 0 to 1').max(1, 'must be from 0 to 1');

const legWeights = z.object({
  keyword: z.number().min(0).max(1000).optional(),
  vector: z.number().min(0).max(1000).optional(),
});

/** How much each leg counts. Only the ratio matters; 0 switches a leg off. Other names are let through, as in a search. */
export const weightsSchema = (legWeights.loose() as unknown as typeof legWeights).refine(
  (w) => (w.keyword ?? 1) + (w.vector ?? 1) > 0,
  'must leave at least one leg above 0',
);

const searchFields = z.object({
  query: z
    .string()
    .max(MAX_QUERY_CHARS, `must have at most ${MAX_QUERY_CHARS} characters`)
    .default('')
    .describe('What is looked for, in words. `#word` is a tag, or text where nothing has that tag.'),
  entity_types: z
    .array(z.string().max(64))
    .max(32)
    .nullable()
    .default(null)
    .describe('Only these types; null means all. `tool` alone finds tools, also those of servers.'),
  tags: z
    .array(z.string().max(512))
    .max(50)
    .nullable()
    .default(null)
    .describe('All of these tags, compared without case.'),
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
    .describe('Only these statuses, whatever `include_draft` and `include_deprecated` say.'),
  metadata_fields: z
    .string()
    .max(4096)
    .nullable()
    .default(null)
    .describe('Comma list of dot paths of the metadata to return, such as `team,config.region`.'),
  preset: z
    .string()
    .max(64)
    .optional()
    .describe('The ranking to use. Default: the setting `preset`, which is `hybrid`.'),
  explain: z.boolean().default(false).describe('Return for each result the tree that its score is made of.'),
  weights: weightsSchema.optional().describe('How much each leg counts.'),
  rrf_k: z.int().min(1).max(1000).optional().describe('The constant of reciprocal rank fusion.'),
  soft_cap: share.optional().describe('The share of results one type may take while others wait.'),
  offset: z
    .int(`must be a whole number from 0 to ${MAX_OFFSET}`)
    .min(0, `must be from 0 to ${MAX_OFFSET}`)
    .max(MAX_OFFSET, `must be from 0 to ${MAX_OFFSET}`)
    .optional()
    .describe('How many results to pass over. To page, send it from the first page on.'),
  min_confidence: share
    .optional()
    .describe('Only results that are at least so sure; without it, only an answer that is sure of nothing is empty.'),
  facets: z
    .array(z.enum(FACET_FIELDS, `must be one of ${FACET_FIELDS.join(', ')}`))
    .max(FACET_FIELDS.length)
    .optional()
    .describe('Count what matched by these fields.'),
  drifted: z.boolean().default(false).describe('Only what has changed since it was accepted.'),
  floor: share.optional().describe('Results below this relevance are dropped.'),
});

/**
 * A search, as every surface takes it. Fields and limits follow the registry's `POST /api/search/semantic`. Fields that do
 * not exist are let through, for the answer's warnings to name; to the compiler they stay a mistake.
 */
export const searchRequestSchema = searchFields.loose() as unknown as typeof searchFields;

export type SearchRequest = z.output<typeof searchRequestSchema>;
export type SearchRequestInput = z.input<typeof searchRequestSchema>;
