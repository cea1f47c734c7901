import { z } from 'zod';
import { relationSchema } from '../entity-parts/edge.ts';
import { entityHealthSchema } from '../entity-parts/entity-health.ts';
import { facetsSchema } from '../entity-parts/facets.ts';
import { ENTITY_TYPES, type EntityType, STATUSES, VISIBILITIES } from '../entity-parts/names.ts';
import { jsonChars } from '../parse/check-json.ts';
import { LIMITS } from '../parse/limits.ts';

export const text = (max: number) => z.string().max(max, `must have at most ${max} characters`);
export const nonEmpty = (max: number) => text(max).refine((s) => s.trim() !== '', 'must not be empty');
export const strings = (max: number) => z.array(text(512)).max(max).default([]);

/** Any JSON object: metadata, a JSON Schema, a card. */
export const jsonObject = z.record(z.string(), z.unknown()).superRefine((value, context) => {
  const { max } = LIMITS.object_chars;
  if (jsonChars(value, max) <= max) return;
  const message = `must have at most ${max} characters as JSON (object_chars)`;
  context.addIssue({ code: 'too_big', origin: 'string', maximum: max, inclusive: true, message, input: value });
});

/** Ids of other systems become paths, so nearly every character is allowed, except control characters and outer spaces. */
export const pathSchema = nonEmpty(512)
  .refine((s) => s.trim() === s && !/\p{Cc}/u.test(s), 'must have no control characters and no spaces at its ends')
  .refine((s) => !/^\/+$/.test(s), 'must have more than slashes, such as /github');

const statusSchema = z
  .string()
  .transform((s) => s.toLowerCase())
  .pipe(z.enum(STATUSES, `must be one of ${STATUSES.join(', ')}`));

const visibilitySchema = z
  .string()
  .transform((s) => (s.toLowerCase() === 'group' ? 'group-restricted' : s.toLowerCase()))
  .pipe(z.enum(VISIBILITIES, `must be one of ${VISIBILITIES.join(', ')}`));

/** The name of a server in the official MCP registry's format (`server.json` of 2025-12-11). */
export const OFFICIAL_NAME = /^[a-zA-Z0-9.-]+\/[a-zA-Z0-9._-]+$/;
export const MAX_OFFICIAL_NAME = 200;
const officialNameSchema = text(MAX_OFFICIAL_NAME).regex(OFFICIAL_NAME, 'must look like io.github.someone/some-server');

/** The fields of every entity. */
export const sharedFields = {
  path: pathSchema,
  name: nonEmpty(1024),
  description: text(100_000).default(''),
  tags: strings(200),
  metadata: jsonObject.default({}),
  status: statusSchema.default('active'),
  is_enabled: z.boolean().default(true),
  visibility: visibilitySchema.default('public'),
  owner: text(256).optional(),
  allowed_groups: strings(50),
  version: text(128).optional(),
  /** A name, or the terms themselves: some skills have them in their front matter. */
  license: text(LIMITS.front_matter_chars.max).optional(),
  homepage: text(2048).optional(),
  repository: text(2048).optional(),
  /** The name in other registries. Editors install and allow a server by it. Default: derived from the path. */
  official_name: officialNameSchema.optional(),
  /** What recommendations are narrowed by, besides the fields that a type has for it. */
  facets: facetsSchema.optional(),
  health: entityHealthSchema.optional(),
  relations: z.array(relationSchema).max(500).optional(),
};

/** An entity of any type, with the fields that all types share. */
export type AnyEntity = z.output<z.ZodObject<typeof sharedFields>> & { readonly type: EntityType };

const score = z.number().min(0).max(1);

/** The fields of every hit, in the flat list and in its group. */
export const hitScores = {
  relevance_score: score.describe('For display, 0 to 1. Comparable within this answer only.'),
  similarity_score: z
    .number()
    .min(-1)
    .max(1)
    .nullable()
    .describe('The cosine similarity of the best unit. Null without a vector.'),
  confidence: score.describe('How likely the result answers the query, 0 to 1. Comparable between queries.'),
  matched_fields: z.array(z.string()).describe('The fields of the matched part that contain words of the query.'),
  match_context: z.string().nullable().describe('The best matching text.'),
};
export type HitScores = z.output<z.ZodObject<typeof hitScores>>;

export const healthStatus = z
  .enum(['healthy', 'unhealthy', 'unknown'])
  .describe('Whether it answered at the last check. `unknown` if it was never checked.');

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

/** A hit of a type that clients of the MCP gateway registry do not know. */
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
