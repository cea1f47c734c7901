import { z } from 'zod';
import { ENTITY_TYPES } from '../entity-type.ts';
import { jsonObject, STATUSES, VISIBILITIES } from './shared-fields.ts';

const score = z.number().min(0).max(1);

/** What every hit has, in the flat list and in its group. */
export const hitScores = {
  relevance_score: score.describe('For display: 0 to 1 within this answer.'),
  similarity_score: z
    .number()
    .min(-1)
    .max(1)
    .nullable()
    .describe('Raw cosine of the best unit; null without a vector.'),
  confidence: score.describe('How sure it is that this answers the query at all; comparable between queries.'),
  matched_fields: z.array(z.string()).describe('The fields of the matched part that have words of the query.'),
  match_context: z.string().nullable().describe('The text that matched best.'),
};
export type HitScores = z.output<z.ZodObject<typeof hitScores>>;

export const healthStatus = z
  .enum(['healthy', 'unhealthy', 'unknown'])
  .describe('Whether it answered when it was last asked; `unknown` for what was never asked.');

const matchingToolSchema = z.object({
  tool_name: z.string(),
  description: z.string().nullable(),
  relevance_score: score,
  match_context: z.string().nullable(),
  inputSchema: jsonObject.nullable(),
});
export type MatchingTool = z.output<typeof matchingToolSchema>;

/** A hit of a type that lists tools. */
export const serverHitFields = {
  path: z.string(),
  server_name: z.string(),
  description: z.string().nullable(),
  tags: z.array(z.string()),
  num_tools: z.int(),
  is_enabled: z.boolean(),
  ...hitScores,
  matching_tools: z.array(matchingToolSchema),
  endpoint_url: z.string().nullable(),
};

/** A hit of a type that the registry's clients do not know. */
export const otherHit = z.object({
  entity_type: z.enum(ENTITY_TYPES),
  path: z.string(),
  name: z.string(),
  description: z.string().nullable(),
  tags: z.array(z.string()),
  visibility: z.enum(VISIBILITIES),
  owner: z.string().nullable(),
  is_enabled: z.boolean(),
  status: z.enum(STATUSES),
  ...hitScores,
  metadata: jsonObject.nullable(),
});
