import { z } from 'zod';
import { ENTITY_TYPES, STATUSES, VISIBILITIES } from './entity.ts';
import type { Explanation } from './explanation.ts';
import { FACET_FIELDS, QUERY_CLASSES } from './query.ts';
import { UNIT_KINDS } from './unit.ts';

const score = z.number().min(0).max(1);
const metadata = z.record(z.string(), z.unknown());

export const explanationSchema: z.ZodType<Explanation> = z.lazy(() =>
  z.object({
    label: z.string(),
    value: z.number(),
    detail: z.record(z.string(), z.union([z.number(), z.string()])).optional(),
    parts: z.array(explanationSchema).optional(),
  }),
) as z.ZodType<Explanation>;

/** The fields of every hit, in the flat list and in its group. */
const hit = {
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

const healthStatus = z
  .enum(['healthy', 'unhealthy', 'unknown'])
  .describe('Whether it answered at the last check. `unknown` if it was never checked.');

const resultSchema = z.object({
  entity_type: z.enum(ENTITY_TYPES),
  path: z.string(),
  name: z.string(),
  description: z.string(),
  tags: z.array(z.string()),
  ...hit,
  health_status: healthStatus,
  matched_unit: z
    .object({ kind: z.enum(UNIT_KINDS), key: z.string(), title: z.string() })
    .describe('The matched part of the entity: its card, a tool, a section or a chunk.'),
  server_path: z.string().optional().describe('The path of the server, for a tool of a server.'),
  tool_name: z.string().optional(),
  explanation: explanationSchema.optional(),
});
export type SearchResult = z.output<typeof resultSchema>;

export const matchingToolSchema = z.object({
  tool_name: z.string(),
  description: z.string().nullable(),
  relevance_score: score,
  match_context: z.string().nullable(),
  inputSchema: metadata.nullable(),
});

const named = {
  path: z.string(),
  server_name: z.string(),
  description: z.string().nullable(),
  tags: z.array(z.string()),
  num_tools: z.int(),
  is_enabled: z.boolean(),
  ...hit,
  matching_tools: z.array(matchingToolSchema),
  endpoint_url: z.string().nullable(),
};

export const serverHitSchema = z.object({
  ...named,
  proxy_pass_url: z.string().nullable(),
  mcp_endpoint: z.string().nullable(),
  sse_endpoint: z.string().nullable(),
  supported_transports: z.array(z.string()),
  trust_verified: z.string(),
  deployment: z.enum(['remote', 'local']),
  local_runtime: metadata.nullable(),
  status: z.enum(STATUSES),
  metadata: metadata.nullable(),
});

export const toolHitSchema = z.object({
  server_path: z.string(),
  server_name: z.string(),
  tool_name: z.string(),
  path: z.string(),
  description: z.string().nullable(),
  inputSchema: metadata.nullable(),
  ...hit,
  endpoint_url: z.string().nullable(),
});

export const agentHitSchema = z.object({
  path: z.string(),
  ...hit,
  agent_card: metadata,
  trust_verified: z.string(),
});

export const skillHitSchema = z.object({
  path: z.string(),
  skill_name: z.string(),
  description: z.string().nullable(),
  tags: z.array(z.string()),
  skill_md_url: z.string().nullable(),
  skill_md_raw_url: z.string().nullable(),
  version: z.string().nullable(),
  author: z.string().nullable(),
  visibility: z.enum(VISIBILITIES),
  owner: z.string().nullable(),
  is_enabled: z.boolean(),
  health_status: healthStatus,
  last_checked_time: z.string().nullable(),
  status: z.enum(STATUSES),
  ...hit,
  metadata: metadata.nullable(),
});

export const virtualServerHitSchema = z.object({
  ...named,
  tool_count: z.int().describe('The same as `num_tools`, under its newer name.'),
  backend_count: z.int(),
  backend_paths: z.array(z.string()),
  status: z.enum(STATUSES),
  metadata: metadata.nullable(),
});

/** Packages, memories and documents have their own groups: clients of the MCP gateway registry do not know them. */
export const otherHitSchema = z.object({
  entity_type: z.enum(ENTITY_TYPES),
  path: z.string(),
  name: z.string(),
  description: z.string().nullable(),
  tags: z.array(z.string()),
  visibility: z.enum(VISIBILITIES),
  owner: z.string().nullable(),
  is_enabled: z.boolean(),
  status: z.enum(STATUSES),
  ...hit,
  metadata: metadata.nullable(),
});

const SEARCH_MODES = ['hybrid', 'lexical-only'] as const;
export type SearchMode = (typeof SEARCH_MODES)[number];

const facetCountsSchema = z.partialRecord(
  z.enum(FACET_FIELDS),
  z.array(z.object({ value: z.string(), count: z.int() })),
);
export type FacetCounts = z.output<typeof facetCountsSchema>;

export const searchResponseSchema = z.object({
  query: z.string().describe('The query, trimmed.'),
  search_mode: z
    .enum(SEARCH_MODES)
    .describe('`lexical-only` without vector search: the preset has none, or the model is unavailable.'),
  preset: z.string(),
  query_class: z
    .enum(QUERY_CLASSES)
    .describe('`identifier`: only exact names of the index. `mixed`: exact names and other words. Else `conceptual`.'),
  no_match: z
    .boolean()
    .describe('Nothing answers the query. `results` is empty, and `nearest` has the closest entities.'),
  nearest: z.array(resultSchema).exactOptional().describe('The closest entities, if nothing matches.'),
  results: z.array(resultSchema).describe('All types in one list, best first.'),
  servers: z.array(serverHitSchema),
  tools: z.array(toolHitSchema),
  agents: z.array(agentHitSchema),
  skills: z.array(skillHitSchema),
  virtual_servers: z.array(virtualServerHitSchema),
  packages: z.array(otherHitSchema),
  memories: z.array(otherHitSchema),
  documents: z.array(otherHitSchema),
  custom: z.array(otherHitSchema),
  total_servers: z.int(),
  total_tools: z.int(),
  total_agents: z.int(),
  total_skills: z.int(),
  total_virtual_servers: z.int(),
  total_packages: z.int(),
  total_memories: z.int(),
  total_documents: z.int(),
  total_custom: z.int(),
  total_candidates: z.int().describe('How many entities matched in all. Pages and facets are based on it.'),
  facets: facetCountsSchema.exactOptional(),
  warnings: z.array(z.string()).describe('Warnings, such as a degraded mode or an ignored value.'),
});
export type SearchResponse = z.output<typeof searchResponseSchema>;
