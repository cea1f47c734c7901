import { z } from 'zod';
import { VISIBILITIES } from '../../model/entity.ts';
import { isJsonObject } from '../../model/json/json-object.ts';
import { pageFacts, warnings } from '../../registry/contract/answers.ts';
import { MAX_DISCOVERED } from '../../registry/contract/entity-operations.ts';
import { batchJobSchema, batchRequestSchema, batchSubmittedSchema } from '../../standards/gateway/agent-batch.ts';
import { agentListItemSchema, agentRecordSchema } from '../../standards/gateway/agent-record.ts';
import { pulledCardSchema } from '../../standards/gateway/pulled-card.ts';
import type { OperationDetails } from '../routes/operation.ts';
import { commonOperations } from './common-operations.ts';
import { messageFields } from './shared-schemas.ts';
import { commaList, flag, listFields, pathParams, whole } from './wire-fields.ts';

/** Cards of A2A 0.3 and 1.0. Their reader is tolerant, so the schema accepts any object. */
const agentCardSchema = z
  .custom<Record<string, unknown>>(isJsonObject, 'must be a JSON object')
  .meta({ type: 'object', description: 'An A2A agent card, 0.3 or 1.0, with optional fields of the registry.' });

const scoredAgentSchema = z.looseObject({
  ...agentRecordSchema.shape,
  relevance_score: z.number().min(0).max(1),
  matching_skills: z.array(z.string()).describe('The names of its skills that match.'),
});

const resultCount = whole(1, MAX_DISCOVERED).default(10);

const common = commonOperations({
  one: 'an agent',
  record: agentRecordSchema,
  body: agentCardSchema,
  subject: 'agent card',
});

export const agentOperations = {
  registerAgent: {
    summary: 'Register an A2A agent by its card',
    description:
      'The path is derived from the name unless the card has one. A path in use gets status 409 unless `overwrite` is true.',
    query: z.object({ overwrite: flag.default(false) }),
    body: agentCardSchema,
    subject: 'agent card',
    responses: { 201: z.object({ ...messageFields, agent: agentRecordSchema, warnings }) },
    errors: ['ALREADY_EXISTS', 'STORE_FULL'],
  },
  checkAgentDuplicates: common.checkDuplicates,
  discoverAgents: {
    summary: 'Find agents by the skills they declare',
    description:
      'Score: 0.6 for the share of matching skills, 0.2 for the share of matching tags, 0.2 for the trust level.',
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
    summary: 'Find agents by a query in words',
    query: z.object({ query: z.string('must be the query').max(512), max_results: resultCount }),
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
  submitAgentBatch: {
    summary: 'Run many agent operations in the background',
    description: 'Each operation succeeds or fails by itself. Batches run one after the other.',
    body: batchRequestSchema,
    subject: 'batch',
    responses: { 202: batchSubmittedSchema },
  },
  getAgentBatch: {
    summary: 'Read the state of a batch of agent operations',
    params: z.object({ job_id: z.string() }),
    responses: { 200: batchJobSchema },
    errors: ['NOT_FOUND'],
  },
  listAgents: {
    summary: 'List agents by name',
    query: z.object({
      ...listFields,
      enabled_only: flag.default(false),
      visibility: z.enum(VISIBILITIES, `must be one of ${VISIBILITIES.join(', ')}`).optional(),
      allowed_groups: commaList.optional().describe('Comma-separated: agents that allow any of these groups.'),
    }),
    responses: { 200: z.object({ agents: z.array(agentListItemSchema), ...pageFacts }) },
  },
  pullAgentCard: {
    summary: "Compare an agent with its published card, and take over the card's fields",
    description: 'By default a dry run, which only reports the changes.',
    params: pathParams,
    query: z.object({ dry_run: flag.default(true) }),
    responses: { 200: pulledCardSchema },
    errors: ['NOT_FOUND', 'FORBIDDEN', 'SOURCE_UNREACHABLE', 'STORE_FULL'],
  },
  toggleAgent: { ...common.toggle, query: z.object({ enabled: flag }) },
  checkAgentHealth: common.health,
  rateAgent: common.rate,
  getAgentRating: common.rating,
  getAgent: common.get,
  putAgent: {
    ...common.put,
    summary: 'Replace an agent with a new card',
    description: 'The agent must exist. Its path stays the same.',
  },
  patchAgent: common.patch,
  deleteAgent: common.delete,
} as const satisfies Record<string, OperationDetails>;
