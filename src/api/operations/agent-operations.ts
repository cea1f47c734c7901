import { z } from 'zod';
import { VISIBILITIES } from '../../model/entity.ts';
import { MAX_DISCOVERED } from '../../registry/operations/discover-agents.ts';
import type { Operation } from '../contract.ts';
import { AGENT_ROUTES } from './operation-routes.ts';
import {
  duplicateCheckSchema,
  duplicateReportSchema,
  messageFields,
  ratingSchema,
  recordFields,
  toggleResultSchema,
  voteResultSchema,
  voteSchema,
} from './shared-schemas.ts';
import {
  commaList,
  flag,
  metadataFields,
  metadataSchema,
  pageFacts,
  paging,
  pathParams,
  warnings,
  whole,
} from './wire-fields.ts';

const isObject = (value: unknown) => value !== null && typeof value === 'object' && !Array.isArray(value);

/** Cards come in the shapes of A2A 0.3 and 1.0; their reader is tolerant, so no schema stands before it. */
export const agentCardSchema = z
  .custom<Record<string, unknown>>(isObject, 'must be a JSON object')
  .meta({ type: 'object', description: 'An A2A agent card, 0.3 or 1.0, with the fields of the registry beside it.' });

/** The agent's card in the shape of A2A 1.0, with what the registry knows beside it. */
export const agentRecordSchema = z.looseObject({
  name: z.string(),
  ...recordFields,
  url: z.string().nullable(),
  provider: z.unknown(),
  protocol_version: z.string().nullable(),
  capabilities: metadataSchema,
  skills: z.array(z.unknown()),
  num_skills: z.int(),
  trust_level: z.string().nullable(),
  warnings: warnings.exactOptional(),
});

const scoredAgentSchema = z.looseObject({
  ...agentRecordSchema.shape,
  relevance_score: z.number().min(0).max(1),
});

const resultCount = whole(1, MAX_DISCOVERED).default(10);

export const agentOperations = {
  registerAgent: {
    ...AGENT_ROUTES.registerAgent,
    tag: 'agents',
    summary: 'Register an A2A agent by its card',
    description:
      'The path is made of the name unless the card has one. A path that is taken answers 409 unless `overwrite` says so.',
    query: z.object({ overwrite: flag.default(false) }),
    body: agentCardSchema,
    subject: 'agent card',
    responses: { 201: z.object({ ...messageFields, agent: agentRecordSchema, warnings }) },
    errors: ['ALREADY_EXISTS', 'STORE_FULL'],
  },
  checkAgentDuplicates: {
    ...AGENT_ROUTES.checkAgentDuplicates,
    tag: 'agents',
    summary: 'Whether an agent like this is registered already',
    body: duplicateCheckSchema,
    responses: { 200: duplicateReportSchema },
    errors: [],
  },
  discoverAgents: {
    ...AGENT_ROUTES.discoverAgents,
    tag: 'agents',
    summary: 'Find agents by the skills they declare',
    description: '0.6 for the share of skills an agent has, 0.2 for the share of tags, 0.2 for its trust level.',
    query: z.object({ max_results: resultCount }),
    body: z.object({ skills: commaList, tags: commaList.nullish() }),
    responses: {
      200: z.object({
        query: z.object({ skills: z.array(z.string()), tags: z.array(z.string()) }),
        agents: z.array(scoredAgentSchema),
        total_count: z.int(),
      }),
    },
    errors: ['EMPTY_SEARCH'],
  },
  discoverAgentsByMeaning: {
    ...AGENT_ROUTES.discoverAgentsByMeaning,
    tag: 'agents',
    summary: 'Find agents by what is asked in words',
    query: z.object({ query: z.string('must be the question').max(512), max_results: resultCount }),
    responses: {
      200: z.object({
        query: z.string(),
        search_mode: z.string(),
        agents: z.array(scoredAgentSchema),
        total_count: z.int(),
      }),
    },
    errors: ['EMPTY_SEARCH'],
  },
  listAgents: {
    ...AGENT_ROUTES.listAgents,
    tag: 'agents',
    summary: 'List agents, in order of name',
    query: z.object({
      query: z.string().max(512).default('').describe('Must occur as it stands, case aside.'),
      enabled_only: flag.default(false),
      visibility: z.enum(VISIBILITIES, `must be one of ${VISIBILITIES.join(', ')}`).optional(),
      allowed_groups: commaList.optional().describe('Comma list: agents that allow any of these groups.'),
      metadata_fields: metadataFields,
      ...paging,
    }),
    responses: { 200: z.object({ agents: z.array(agentRecordSchema), ...pageFacts }) },
    errors: [],
  },
  toggleAgent: {
    ...AGENT_ROUTES.toggleAgent,
    tag: 'agents',
    summary: 'Switch an agent on or off',
    params: pathParams,
    query: z.object({ enabled: flag }),
    responses: { 200: toggleResultSchema },
    errors: ['NOT_FOUND', 'STORE_FULL'],
  },
  rateAgent: {
    ...AGENT_ROUTES.rateAgent,
    tag: 'agents',
    summary: 'Rate an agent, 1 to 5',
    params: pathParams,
    body: voteSchema,
    responses: { 200: voteResultSchema },
    errors: ['NOT_FOUND', 'STORE_FULL'],
  },
  getAgentRating: {
    ...AGENT_ROUTES.getAgentRating,
    tag: 'agents',
    summary: 'How an agent is rated',
    params: pathParams,
    responses: { 200: ratingSchema },
    errors: ['NOT_FOUND'],
  },
  getAgent: {
    ...AGENT_ROUTES.getAgent,
    tag: 'agents',
    summary: 'Read an agent',
    params: pathParams,
    responses: { 200: agentRecordSchema },
    errors: ['NOT_FOUND'],
  },
  putAgent: {
    ...AGENT_ROUTES.putAgent,
    tag: 'agents',
    summary: 'Replace an agent by a new card',
    description: 'The agent must exist. It stays at its path.',
    params: pathParams,
    body: agentCardSchema,
    subject: 'agent card',
    responses: { 200: agentRecordSchema },
    errors: ['NOT_FOUND', 'STORE_FULL'],
  },
  patchAgent: {
    ...AGENT_ROUTES.patchAgent,
    tag: 'agents',
    summary: 'Change some fields of an agent',
    description: 'Fields left out stay; null sets a field back to its default.',
    params: pathParams,
    body: agentCardSchema,
    subject: 'agent card',
    responses: { 200: agentRecordSchema },
    errors: ['NOT_FOUND', 'STORE_FULL'],
  },
  deleteAgent: {
    ...AGENT_ROUTES.deleteAgent,
    tag: 'agents',
    summary: 'Delete an agent',
    params: pathParams,
    responses: { 204: null },
    errors: ['NOT_FOUND', 'STORE_FULL'],
  },
} as const satisfies Record<keyof typeof AGENT_ROUTES, Operation>;
