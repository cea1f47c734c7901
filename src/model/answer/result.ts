import { z } from 'zod';
import { EDGE_TYPES } from '../entity-parts/edge.ts';
import { ENTITY_TYPES, type EntityType, STATUSES } from '../entity-parts/names.ts';
import { UNIT_KINDS } from '../entity-parts/unit.ts';
import { healthStatus, hitScores, otherHit } from '../entity-types/fields.ts';
import { ENTITY_TYPE_TABLE, type GroupOf, type HitSchemaOf } from '../entity-types/table.ts';
import { FACET_FIELDS, QUERY_CLASSES } from '../query/query.ts';
import type { Explanation } from './explanation.ts';

export const explanationSchema: z.ZodType<Explanation> = z.lazy(() =>
  z.object({
    label: z.string(),
    value: z.number(),
    detail: z.record(z.string(), z.union([z.number(), z.string()])).optional(),
    parts: z.array(explanationSchema).optional(),
  }),
) as z.ZodType<Explanation>;

const originSchema = z.object({ peer: z.string(), url: z.string() });

export const PEER_STATES = ['answered', 'too_late', 'failed', 'paused'] as const;

const askedPeerSchema = z.object({
  name: z.string(),
  url: z.string(),
  state: z.enum(PEER_STATES).describe('`paused`: it failed before, and is not asked again for a while.'),
  results: z.int().describe('How many of the results come from it.'),
});
export type AskedPeer = z.output<typeof askedPeerSchema>;
export type PeerState = AskedPeer['state'];

const resultSchema = z.object({
  entity_type: z.enum(ENTITY_TYPES),
  path: z.string(),
  name: z.string(),
  description: z.string(),
  tags: z.array(z.string()),
  ...hitScores,
  health_status: healthStatus,
  drifted: z.boolean().describe('Whether its definition, or one of a server, has changed since it was accepted.'),
  status: z.enum(STATUSES).exactOptional().describe('Absent for an active entity.'),
  matched_unit: z
    .object({ kind: z.enum(UNIT_KINDS), key: z.string(), title: z.string() })
    .describe('The matched part of the entity: its card, a tool, a section or a chunk.'),
  server_path: z.string().optional().describe('The path of the server, for a tool of a server.'),
  tool_name: z.string().optional(),
  origin: originSchema
    .exactOptional()
    .describe('The peer that it was found at. It is not registered here. Absent for what is.'),
  explanation: explanationSchema.optional(),
});
/** A result of a search: an entity, or the tool of a server, with its score and its confidence. */
export type SearchResult = z.output<typeof resultSchema>;

type Groups = { [T in EntityType as GroupOf<T>]: z.ZodArray<HitSchemaOf<T>> };

/** One group for each entity type. `custom` is a group of the MCP gateway registry, always empty here. */
const groups: Groups & { custom: z.ZodArray<typeof otherHit> } = {
  ...(Object.fromEntries(
    Object.values(ENTITY_TYPE_TABLE).map(({ group, hit }) => [group, z.array(hit)]),
  ) as unknown as Groups),
  custom: z.array(otherHit),
};
export type GroupName = keyof typeof groups;
export type TotalName = `total_${GroupName}`;
/** Made once: joining these names in each search would cost more than the rest of the groups. */
export const GROUPS = (Object.keys(groups) as readonly GroupName[]).map((name) => ({
  name,
  total: `total_${name}` satisfies TotalName,
}));

const totals = Object.fromEntries(GROUPS.map(({ total }) => [total, z.int()])) as Record<TotalName, z.ZodInt>;

const SEARCH_MODES = ['hybrid', 'lexical-only'] as const;
/** How a search was answered: by keyword and vector, or by one of them. */
export type SearchMode = (typeof SEARCH_MODES)[number];

const facetCountsSchema = z.partialRecord(
  z.enum(FACET_FIELDS),
  z.array(z.object({ value: z.string(), count: z.int() })),
);
/** How many results there are by type, by tag and by other fields. */
export type FacetCounts = z.output<typeof facetCountsSchema>;

const setMemberSchema = z.object({
  entity_type: z.enum(ENTITY_TYPES),
  path: z.string(),
  name: z.string(),
  description: z.string(),
  score: z.number().min(0).max(1).describe('How likely it belongs to the results, 0 to 1.'),
  relation: z.enum(EDGE_TYPES),
  for: z.string().describe('The path of the result, or of its tool.'),
  why: z.string().describe('The relation in words.'),
  provenance: z.string().describe('Where the relation comes from.'),
});

export const prerequisitesSchema = z.object({
  needed_first: z.array(setMemberSchema).describe('What the results need first.'),
  used_with: z.array(setMemberSchema).describe('What is used with the results.'),
});
export type Prerequisites = z.output<typeof prerequisitesSchema>;

/** The steps of a search, in their order. An entity that passes them all is shown. */
export const LOST_STAGES = ['unknown', 'filter', 'retrieval', 'confidence', 'page', 'floor', 'shown'] as const;

const whyNotSchema = z.object({
  id: z.string(),
  stage: z
    .enum(LOST_STAGES)
    .describe(
      'The stage that lost it: `unknown` (not registered), `filter`, `retrieval` (no leg found it), `confidence`, `page` (ranked below it), `floor` (its score is too low), or `shown`.',
    ),
  reason: z.string().describe('The stage in words, with the numbers.'),
  rank: z.int().nullable().describe('Its rank among all matches, from 1. Null if it is none of them.'),
  hint: z.string().nullable().describe('What to change to see it.'),
});
export type WhyNot = z.output<typeof whyNotSchema>;

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
    .describe(
      'Nothing here answers the query. `results` has nothing but what peers found, and `nearest` has the closest entities.',
    ),
  nearest: z.array(resultSchema).exactOptional().describe('The closest entities, if nothing matches.'),
  results: z.array(resultSchema).describe('All types in one list, best first.'),
  prerequisites: prerequisitesSchema
    .exactOptional()
    .describe('What completes the results, if `with_prerequisites` asks for it. Never among the results.'),
  ...groups,
  ...totals,
  total_candidates: z.int().describe('How many entities matched in all. Pages and facets are based on it.'),
  facets: facetCountsSchema.exactOptional(),
  why_not: whyNotSchema.exactOptional().describe('Why the entity of `why_not` is not among the results.'),
  peers: z.array(askedPeerSchema).exactOptional().describe('The peers that were asked, in the order of the setting.'),
  warnings: z.array(z.string()).describe('Warnings, such as a degraded mode or an ignored value.'),
});
/** The answer to a search: results with scores and confidence, warnings, and facets if they were asked for. */
export type SearchResponse = z.output<typeof searchResponseSchema>;
