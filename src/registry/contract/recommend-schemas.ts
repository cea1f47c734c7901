import { z } from 'zod';
import { prerequisitesSchema } from '../../model/answer/result.ts';
import { ENTITY_TYPES } from '../../model/entity.ts';
import { entityHealthSchema } from '../../model/entity-parts/entity-health.ts';
import { FACETS, facetFilterSchema } from '../../model/entity-parts/facets.ts';
import { MAX_QUERY_CHARS } from '../../model/query/query.ts';
import { entityTypeSchema } from '../../model/query/query-fields.ts';
import { MAX_QUESTIONS } from '../../recommend/clarification.ts';

export const RECOMMEND_PRESETS = ['recommend', 'recommend-legacy'] as const;

const facetName = z.enum(FACETS, `must be one of ${FACETS.join(', ')}`);
const query = z
  .string()
  .max(MAX_QUERY_CHARS, `must have at most ${MAX_QUERY_CHARS} characters`)
  .refine((text) => text.trim() !== '', 'must not be empty');

/** ToolPilot documents the facets in the context itself; its code has them in `filters`. */
const context = z.union(
  [z.strictObject({ filters: facetFilterSchema }).transform(({ filters }) => filters), facetFilterSchema],
  { error: `must have facets only: ${FACETS.join(', ')}, or the same in 'filters'` },
);

export const recommendRequestSchema = z.strictObject({
  query: query.describe('What is needed, in words.'),
  context: context.optional().describe('Facets to narrow by. With any of them, no question is asked.'),
  entity_types: z
    .array(entityTypeSchema)
    .max(ENTITY_TYPES.length)
    .readonly()
    .optional()
    .describe('Only these types. Default: everything but memories and documents.'),
  preset: z.enum(RECOMMEND_PRESETS).default('recommend'),
  relax: z
    .array(facetName)
    .max(FACETS.length)
    .readonly()
    .optional()
    .describe(
      'The order in which facets are dropped until something matches. Facets left out are never dropped: by default the language.',
    ),
  max_questions: z
    .int()
    .min(0)
    .max(MAX_QUESTIONS, `must be from 0 to ${MAX_QUESTIONS}`)
    .default(1)
    .describe('The most questions to ask back. 0: none.'),
});
/** A task to recommend tools for. */
export type RecommendRequest = Readonly<z.input<typeof recommendRequestSchema>>;

const answer = z
  .string()
  .max(128)
  .refine((text) => text.trim() !== '', 'must not be empty');
export const respondRequestSchema = z.strictObject({
  query_id: z.string().max(64),
  answers: z
    .union([
      z.record(z.string(), answer),
      z.array(z.strictObject({ dimension: z.string().max(64), value: answer })).max(20),
    ])
    .describe('The answers by facet, as an object or as a list.'),
  done: z.boolean().default(false).describe('Ask no more questions.'),
});
/** The answer to the question of a recommendation. */
export type RespondRequest = Readonly<z.input<typeof respondRequestSchema>>;

export const optionSchema = z.object({
  entity_type: z.enum(ENTITY_TYPES),
  path: z.string(),
  name: z.string(),
  description: z.string(),
  fit_score: z.number().min(0).max(1).describe('Comparable within this answer only.'),
  confidence: z.number().min(0).max(1),
  stability: z.enum(['stable', 'emerging', 'unknown']),
  status: z.string(),
  facets: z.record(z.string(), z.array(z.string())),
  health: entityHealthSchema.exactOptional(),
  repository: z.string().exactOptional(),
  homepage: z.string().exactOptional(),
  documentation: z
    .object({
      readme: z.string().exactOptional(),
      official: z.string().exactOptional(),
      api: z.string().exactOptional(),
      changelog: z.string().exactOptional(),
    })
    .exactOptional()
    .describe('Addresses in `metadata.docs`.'),
  status_message: z.string().exactOptional(),
  reasons: z.array(z.string()),
  evidence: z.array(z.string()).describe('Its strongest relations, in words.'),
});
/** A recommended entity, with reasons. */
export type Option = z.output<typeof optionSchema>;

export const recommendationSchema = z.object({
  query_id: z.string().describe('For the answers to questions, and for reports.'),
  query: z.string(),
  status: z
    .enum(['complete', 'clarification_needed'])
    .describe(
      '`clarification_needed`: answers to `questions` would narrow the choice. The options are the best so far.',
    ),
  preset: z.string(),
  is_two_option: z.boolean(),
  recommendations: z.array(optionSchema).describe('One option, or two where one is stable and the other emerging.'),
  alternatives: z.array(optionSchema),
  questions: z.array(
    z.object({ dimension: z.enum(FACETS), question: z.string(), options: z.array(z.string()).readonly() }),
  ),
  candidate_count: z.int(),
  relaxed: z.array(z.enum(FACETS)).describe('The facets that were dropped because nothing matched with them.'),
  no_match: z.boolean().describe('Nothing answers the query, even without facets.'),
  prerequisites: prerequisitesSchema.describe('What the recommended options need first and what is used with them.'),
  warnings: z.array(z.string()),
});
/** The answer to a recommendation: options, or a question that has to be answered first. */
export type Recommendation = z.output<typeof recommendationSchema>;
