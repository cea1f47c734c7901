import { z } from 'zod';
import { searchResponseSchema } from '../../model/answer/result.ts';
import { searchRequestSchema } from '../../model/query/query.ts';
import {
  batchResultSchema,
  duplicateReportSchema,
  entityPageSchema,
  listPageSchema,
  putResultSchema,
  ratingSchema,
  reviewRequestSchema,
  reviewResultSchema,
  scoredSchema,
  taggedRecordSchema,
} from '../../registry/contract/answers.ts';
import {
  agentQuerySchema,
  duplicateCandidateSchema,
  listQuerySchema,
  skillQuerySchema,
  voteSchema,
} from '../../registry/contract/entity-operations.ts';
import { catalogMapSchema } from '../../registry/contract/map-schemas.ts';
import {
  driftedEntitySchema,
  knownSourceSchema,
  observationSchema,
  observedSchema,
} from '../../registry/contract/observation.ts';
import { MAX_BATCH } from '../../registry/contract/registry.ts';
import { checkedServersSchema, installedServerSchema } from '../../standards/official/client-check.ts';
import type { OperationDetails } from '../routes/operation.ts';
import { MAX_LISTED_TAGS } from '../routes/routes.ts';
import { searchToolsRequestSchema, toolReferencesSchema } from '../tool-search/search-tools.ts';
import {
  entityBodySchema,
  entityInputSchema,
  entityParams,
  pageQuery,
  tagCountsSchema,
  writeQuery,
} from './registry-schemas.ts';
import { flag, whole } from './wire-fields.ts';

/** Dowser's own operations. Most are methods of `Registry`: see `registry-calls.ts`. */
export const searchOperations = {
  search: {
    summary: 'Search by keyword and by meaning',
    description:
      'Send a query, tags or both. The answer has one list of all types, best first, and a list for each type.',
    body: searchRequestSchema,
    raw: true,
    responses: { 200: searchResponseSchema },
    errors: ['EMPTY_SEARCH', 'UNKNOWN_PRESET'],
  },
  searchTools: {
    summary: "Search tools, in the format of a provider's tool search",
    description:
      'For a client with its own tool search: pass the answer to the model unchanged. `origins` maps each name to its tool.',
    body: searchToolsRequestSchema,
    raw: true,
    responses: { 200: toolReferencesSchema },
    errors: ['EMPTY_SEARCH', 'UNKNOWN_PRESET'],
  },
  searchTags: {
    summary: 'List the tags in use, with counts',
    description: 'Sorted. Spellings that differ only in case are listed once, as first written.',
    query: z.object({
      limit: whole(1, MAX_LISTED_TAGS).default(500).describe(`How many tags, 1 to ${MAX_LISTED_TAGS}.`),
    }),
    responses: { 200: tagCountsSchema },
  },
  getMap: {
    summary: 'Place the entities on a map, by what they mean',
    description:
      'Entities that are near to each other are close in meaning. Only what the caller may read decides the places. Computed when it is asked for, and kept until one of these entities changes. The first answer for 5,000 entities takes seconds. Later ones do not wait: `is_current` is false while a new map is computed.',
    responses: { 200: catalogMapSchema },
    errors: ['EMBEDDER_UNAVAILABLE'],
  },
  findSkills: {
    summary: 'Find skills by substring, with their entities',
    description: 'The scores of `GET /api/skills/search`.',
    body: skillQuerySchema,
    raw: true,
    responses: { 200: z.object({ results: z.array(scoredSchema).describe('Best first.') }) },
    errors: ['EMPTY_SEARCH'],
  },
  findAgents: {
    summary: 'Find agents by their skills, with their entities',
    description: 'The scores of `POST /api/agents/discover`.',
    body: agentQuerySchema,
    raw: true,
    responses: { 200: z.object({ results: z.array(scoredSchema).describe('Best first.') }) },
    errors: ['EMPTY_SEARCH'],
  },
} as const satisfies Record<string, OperationDetails>;

export const entityOperations = {
  listEntities: {
    summary: 'List all entities, page by page',
    query: pageQuery,
    responses: { 200: entityPageSchema },
    errors: ['UNKNOWN_TYPE'],
  },
  addEntity: {
    summary: 'Add or replace the entity in the body',
    query: writeQuery,
    body: entityInputSchema,
    raw: true,
    responses: { 200: putResultSchema, 201: putResultSchema },
    errors: ['UNKNOWN_TYPE', 'STORE_FULL'],
  },
  rateEntity: {
    summary: 'Rate one entity, 1 to 5',
    params: entityParams,
    body: voteSchema,
    raw: true,
    responses: { 200: ratingSchema },
    errors: ['UNKNOWN_TYPE', 'NOT_FOUND', 'STORE_FULL'],
  },
  getEntityRating: {
    summary: 'Read the rating of one entity',
    params: entityParams,
    responses: { 200: ratingSchema },
    errors: ['UNKNOWN_TYPE', 'NOT_FOUND'],
  },
  getEntity: {
    summary: 'Read one entity',
    params: entityParams,
    responses: { 200: taggedRecordSchema },
    errors: ['UNKNOWN_TYPE', 'NOT_FOUND'],
  },
  putEntity: {
    summary: 'Add or replace one entity',
    description:
      '`type` and `path` are optional in the body. If present, they must match the URL, except for a leading slash of the path; the spelling of the body is kept.',
    params: entityParams,
    query: writeQuery,
    body: entityBodySchema,
    raw: true,
    responses: { 200: putResultSchema, 201: putResultSchema },
    errors: ['UNKNOWN_TYPE', 'STORE_FULL'],
  },
  patchEntity: {
    summary: 'Change some fields of one entity',
    description: 'Fields left out stay; null sets a field back to its default.',
    params: entityParams,
    body: z.record(z.string(), z.unknown()),
    raw: true,
    responses: { 200: putResultSchema },
    errors: ['UNKNOWN_TYPE', 'NOT_FOUND', 'STORE_FULL'],
  },
  deleteEntity: {
    summary: 'Delete one entity',
    params: entityParams,
    responses: { 204: null },
    errors: ['UNKNOWN_TYPE', 'NOT_FOUND', 'STORE_FULL'],
  },
  putEntities: {
    summary: 'Add or replace many entities, all or none',
    query: writeQuery,
    body: z.object({
      entities: z.array(entityInputSchema, 'must be a list of entities').meta({ maxItems: MAX_BATCH }).readonly(),
    }),
    responses: { 200: batchResultSchema },
    errors: ['UNKNOWN_TYPE', 'DUPLICATE_PATH', 'STORE_FULL'],
  },
  registerEntity: {
    summary: 'Register one entity, keep its owner and whether it is enabled',
    description: 'With `overwrite=false`, a path that is taken is an error.',
    query: z.object({ overwrite: flag.default(true) }),
    body: entityInputSchema,
    raw: true,
    responses: { 200: putResultSchema, 201: putResultSchema },
    errors: ['UNKNOWN_TYPE', 'ALREADY_EXISTS', 'STORE_FULL'],
  },
  queryEntities: {
    summary: 'List entities of one type by name, with filters',
    body: listQuerySchema,
    raw: true,
    responses: { 200: listPageSchema },
    errors: ['UNKNOWN_TYPE'],
  },
  findDuplicates: {
    summary: 'Check whether an entity like this is registered',
    body: duplicateCandidateSchema,
    raw: true,
    responses: { 200: duplicateReportSchema },
    errors: ['UNKNOWN_TYPE'],
  },
} as const satisfies Record<string, OperationDetails>;

export const sourceOperations = {
  loadExamples: {
    summary: 'Load the example catalog',
    description: 'An entity of your own at the path of an example is kept. Vectors follow in the background.',
    responses: { 200: z.object({ loaded: z.int(), kept: z.int() }) },
    errors: ['NOT_IMPLEMENTED', 'STORE_FULL'],
  },
  checkClientServers: {
    summary: 'Check which servers of a client a registry-only editor would block',
    description:
      'Editors that allow only servers of a registry compare names, exactly. The address and the arguments only tell which server was probably meant. Nothing is stored.',
    body: z.object({ servers: z.array(installedServerSchema).max(1000).readonly() }),
    responses: { 200: checkedServersSchema },
  },
  observe: {
    summary: 'Store the entities of a source',
    description:
      'Used by `dowser add` and `dowser refresh`. Records the source of each entity, marks entities that do not answer as dead, and reports changed definitions as drift. An invalid entity does not stop the others.',
    body: observationSchema,
    raw: true,
    responses: { 200: z.object({ results: z.array(observedSchema) }) },
    errors: ['STORE_FULL'],
  },
  listSources: {
    summary: 'List sources, with the liveness of their entities',
    responses: { 200: z.object({ sources: z.array(knownSourceSchema) }) },
  },
  listDrift: {
    summary: 'List entities that changed since they were accepted',
    responses: { 200: z.object({ entities: z.array(driftedEntitySchema) }) },
  },
  acceptDrift: {
    summary: 'Accept the current definitions of an entity',
    params: entityParams,
    responses: { 204: null },
    errors: ['UNKNOWN_TYPE', 'NOT_FOUND', 'STORE_FULL'],
  },
  reviewEntity: {
    summary: 'Approve or block an entity',
    description:
      'What is approved is enabled, and no draft. What is blocked is disabled, and only an approval can enable it again. Records who and when.',
    params: entityParams,
    body: reviewRequestSchema,
    raw: true,
    responses: { 200: reviewResultSchema },
    errors: ['UNKNOWN_TYPE', 'NOT_FOUND', 'STORE_FULL'],
  },
} as const satisfies Record<string, OperationDetails>;
