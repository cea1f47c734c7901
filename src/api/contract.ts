import { z } from 'zod';
import {
  cursorSchema,
  ENTITY_TYPES,
  type EntityInput,
  type EntityType,
  entitySchema,
  parseEntityType,
  STATUSES,
} from '../model/entity.ts';
import type { ErrorCode } from '../model/errors.ts';
import { isJsonObject } from '../model/json-object.ts';
import { searchRequestSchema } from '../model/query.ts';
import { searchResponseSchema } from '../model/result.ts';
import {
  driftedEntitySchema,
  knownSourceSchema,
  observationSchema,
  observedSchema,
} from '../registry/provenance/observation.ts';
import { MAX_BATCH, MAX_PAGE } from '../registry/registry.ts';
import { agentOperations } from './operations/agent-operations.ts';
import { embeddingOperations } from './operations/embedding-operations.ts';
import { serverOperations } from './operations/server-operations.ts';
import { skillOperations } from './operations/skill-operations.ts';
import { virtualServerOperations } from './operations/virtual-server-operations.ts';
import { commaList, whole } from './operations/wire-fields.ts';
import { type OperationName, ROUTES, type Route } from './routes.ts';
import { searchToolsRequestSchema, toolReferencesSchema } from './search-tools.ts';

/** One operation as data. The server, the client's types, OpenAPI and the docs tests are based on it. */
export interface Operation extends Route {
  readonly tag: string;
  readonly summary: string;
  readonly description?: string;
  readonly params?: z.ZodObject;
  readonly query?: z.ZodObject;
  readonly body?: z.ZodType;
  /** The body may also be a form, whose fields are all text. */
  readonly form?: true;
  /** The name of the body in errors. Default: `request`. */
  readonly subject?: string;
  /** By success status. Null for an answer without a body. */
  readonly responses: Readonly<Record<number, z.ZodType | null>>;
  /** Its error codes, besides those of every route (`SHARED_ERRORS`). */
  readonly errors: readonly ErrorCode[];
}

/** The most tags of one answer. */
const MAX_TAGS = 100_000;

/** Error codes of every route. */
export const SHARED_ERRORS = ['INVALID_REQUEST', 'ENGINE_UNAVAILABLE', 'INTERNAL'] as const satisfies ErrorCode[];
/** More error codes of every route with a body. */
export const BODY_ERRORS = [
  'MALFORMED_JSON',
  'UNSUPPORTED_MEDIA_TYPE',
  'BODY_TOO_LARGE',
] as const satisfies ErrorCode[];

/**
 * The registry parses the entity, to warn about unknown fields; a schema here would drop them first. OpenAPI describes it
 * with `entitySchema`.
 */
export const entityInBatchSchema = z.custom<EntityInput>(isJsonObject, 'must be a JSON object');
type OptionalIdentity<E> = E extends EntityInput
  ? Omit<E, 'type' | 'path'> & { readonly type?: E['type']; readonly path?: string }
  : never;
/** `type` and `path` are optional in the body: the URL has them. */
export type EntityBody = OptionalIdentity<EntityInput>;
export const entityBodySchema = z.custom<EntityBody>(isJsonObject, 'must be a JSON object');

/** An unknown type has its own error code on every surface. */
const entityTypeParam = z
  .string()
  .transform((value) => parseEntityType(value))
  .meta({ enum: [...ENTITY_TYPES] }) as unknown as z.ZodType<EntityType, EntityType>;

const entityParams = z.object({
  type: entityTypeParam.describe('The entity type.'),
  path: z
    .string()
    .min(1, 'must not be empty')
    .describe(
      'The path of the entity, percent-encoded: the rest of the URL, with slashes. ' +
        '`//context7` and `/%2Fcontext7` both mean the path `/context7`; `//github%23issue_write` is a tool of `/github`.',
    ),
});

const writeQuery = z.object({
  vectors: z
    .enum(['now', 'later'], 'must be now or later')
    .default('now')
    .describe('`now` waits a moment for the vectors. `later` leaves them to the background queue.'),
  lifecycle: z
    .enum(['replace', 'keep'], 'must be replace or keep')
    .default('replace')
    .describe(
      '`keep`: an entity without `status` or `is_enabled` keeps the stored value. `replace`: it gets the default.',
    ),
});

const warnings = z.array(z.string()).describe('What was accepted but not used, such as an unknown field.');
const count = z.int().min(0);
const timestamp = z.string().meta({ format: 'date-time' });

export const putResultSchema = z.object({
  entity_type: z.enum(ENTITY_TYPES),
  path: z.string(),
  created: z.boolean(),
  pending_vectors: count.describe('How many parts of the entity have no vector yet.'),
  warnings,
});

export const batchResultSchema = z.object({ created: count, updated: count, pending_vectors: count, warnings });

export const entityRecordSchema = z.object({
  entity: entitySchema,
  created_at: timestamp,
  updated_at: timestamp,
});

const pageQuery = z.object({
  type: entityTypeParam.optional().describe('Only this entity type.'),
  query: z.string().max(512).optional().describe('Text that the entity must contain. Upper and lower case are equal.'),
  tags: commaList.optional().describe('Comma list. All tags must match; upper and lower case are equal.'),
  status: commaList
    .pipe(z.array(z.enum(STATUSES, `must be one of ${STATUSES.join(', ')}`)))
    .optional()
    .describe(`Comma list: any of ${STATUSES.join(', ')}.`),
  cursor: cursorSchema.optional().describe('The `cursor` of the previous page.'),
  limit: z.coerce
    .number()
    .pipe(z.int(`must be a whole number from 1 to ${MAX_PAGE}`).min(1).max(MAX_PAGE))
    .default(100)
    .describe(`The page size, 1 to ${MAX_PAGE}.`),
});

const entityPageSchema = z.object({
  entities: z.array(entityRecordSchema).describe('Sorted by type and path.'),
  total_count: count.describe('How many entities match, on all pages.'),
  cursor: z.string().exactOptional().describe('The cursor of the next page. Absent on the last page.'),
});

export const healthSchema = z.object({
  status: z.enum(['ok', 'degraded']).describe('`degraded`: searches work, but with limits, such as keywords only.'),
  version: z.string(),
  store: z.object({ engine: z.string(), path: z.string().nullable(), bytes: z.number().nullable() }),
  index: z.object({
    entities: count,
    units: count,
    vectors: count,
    missing_vectors: count,
    stale_vectors: count.describe('Vectors of models that are neither in use nor being built.'),
    by_type: z.partialRecord(z.enum(ENTITY_TYPES), count),
  }),
  embedder: z.object({
    id: z.string().nullable(),
    state: z.enum(['ready', 'loading', 'down', 'off']),
    error: z.string().exactOptional(),
    retry_at: z.string().exactOptional(),
    building: z
      .object({ id: z.string(), done: count, total: count, error: z.string().exactOptional() })
      .exactOptional()
      .describe('During a change of the model: the new model and the progress of its vectors.'),
    reindexing: z
      .object({ done: count, total: count })
      .exactOptional()
      .describe('While everything is re-embedded: entities done, of all.'),
  }),
});

export const contract = {
  search: {
    ...ROUTES.search,
    tag: 'search',
    summary: 'Search by keyword and by meaning',
    description:
      'Send a query, tags or both. The answer has one list of all types, best first, and a list for each type.',
    body: searchRequestSchema,
    subject: 'search request',
    responses: { 200: searchResponseSchema },
    errors: ['EMPTY_SEARCH', 'UNKNOWN_PRESET'],
  },
  searchTools: {
    ...ROUTES.searchTools,
    tag: 'search',
    summary: "Search tools, in the format of a provider's tool search",
    description:
      'For a client with its own tool search: pass the answer to the model unchanged. `origins` maps each name to its tool.',
    body: searchToolsRequestSchema,
    subject: 'search request',
    responses: { 200: toolReferencesSchema },
    errors: ['EMPTY_SEARCH', 'UNKNOWN_PRESET'],
  },
  searchTags: {
    ...ROUTES.searchTags,
    tag: 'search',
    summary: 'List the tags in use, with counts',
    description: 'Sorted. Spellings that differ only in case are listed once, as first written.',
    query: z.object({ limit: whole(1, MAX_TAGS).default(500).describe(`How many tags, 1 to ${MAX_TAGS}.`) }),
    responses: {
      200: z.object({
        tags: z.array(z.string()),
        counts: z.array(z.object({ tag: z.string(), count })).describe('How many entities have each of these tags.'),
        total_count: count.describe('How many different tags there are.'),
      }),
    },
    errors: [],
  },
  listEntities: {
    ...ROUTES.listEntities,
    tag: 'entities',
    summary: 'List all entities, page by page',
    query: pageQuery,
    responses: { 200: entityPageSchema },
    errors: ['UNKNOWN_TYPE'],
  },
  getEntity: {
    ...ROUTES.getEntity,
    tag: 'entities',
    summary: 'Read one entity',
    params: entityParams,
    responses: { 200: entityRecordSchema },
    errors: ['UNKNOWN_TYPE', 'NOT_FOUND'],
  },
  putEntity: {
    ...ROUTES.putEntity,
    tag: 'entities',
    summary: 'Add or replace one entity',
    description:
      '`type` and `path` are optional in the body. If present, they must match the URL, except for a leading slash of the path; the spelling of the body is kept.',
    params: entityParams,
    query: writeQuery,
    body: entityBodySchema,
    responses: { 200: putResultSchema, 201: putResultSchema },
    errors: ['UNKNOWN_TYPE', 'STORE_FULL'],
  },
  deleteEntity: {
    ...ROUTES.deleteEntity,
    tag: 'entities',
    summary: 'Delete one entity',
    params: entityParams,
    responses: { 204: null },
    errors: ['UNKNOWN_TYPE', 'NOT_FOUND', 'STORE_FULL'],
  },
  putEntities: {
    ...ROUTES.putEntities,
    tag: 'entities',
    summary: 'Add or replace many entities, all or none',
    query: writeQuery,
    body: z.object({
      entities: z
        .array(entityInBatchSchema, 'must be a list of entities')
        .max(MAX_BATCH, `must have at most ${MAX_BATCH} entities`),
    }),
    responses: { 200: batchResultSchema },
    errors: ['UNKNOWN_TYPE', 'DUPLICATE_PATH', 'STORE_FULL'],
  },
  observe: {
    ...ROUTES.observe,
    tag: 'sources',
    summary: 'Store the entities of a source',
    description:
      'Used by `dowser add` and `dowser refresh`. Records the source of each entity, marks entities that do not answer as dead, and reports changed definitions as drift. An invalid entity does not stop the others.',
    body: observationSchema,
    subject: 'observation',
    responses: { 200: z.object({ results: z.array(observedSchema) }) },
    errors: ['STORE_FULL'],
  },
  listSources: {
    ...ROUTES.listSources,
    tag: 'sources',
    summary: 'List sources, with the liveness of their entities',
    responses: { 200: z.object({ sources: z.array(knownSourceSchema) }) },
    errors: [],
  },
  listDrift: {
    ...ROUTES.listDrift,
    tag: 'sources',
    summary: 'List entities that changed since they were accepted',
    responses: { 200: z.object({ entities: z.array(driftedEntitySchema) }) },
    errors: [],
  },
  acceptDrift: {
    ...ROUTES.acceptDrift,
    tag: 'sources',
    summary: 'Accept the current definitions of an entity',
    params: entityParams,
    responses: { 204: null },
    errors: ['UNKNOWN_TYPE', 'NOT_FOUND', 'STORE_FULL'],
  },
  ...serverOperations,
  ...agentOperations,
  ...skillOperations,
  ...virtualServerOperations,
  ...embeddingOperations,
  health: {
    ...ROUTES.health,
    tag: 'service',
    summary: 'Health report',
    description: 'Status 200 even when degraded: read `status`.',
    responses: { 200: healthSchema },
    errors: [],
  },
  openapi: {
    ...ROUTES.openapi,
    tag: 'service',
    summary: 'The OpenAPI 3.1 description of this API',
    responses: { 200: z.record(z.string(), z.unknown()) },
    errors: [],
  },
} as const satisfies Record<OperationName, Operation>;

export type Contract = typeof contract;
type Part<N extends OperationName, K extends 'params' | 'query' | 'body'> = Contract[N] extends {
  [P in K]: infer S extends z.ZodType;
}
  ? S
  : never;
type Parts<N extends OperationName> = Extract<keyof Contract[N], 'params' | 'query' | 'body'>;

/** The parsed input of a handler, with defaults. */
export type OperationInput<N extends OperationName> = {
  readonly [K in Parts<N>]: z.output<Part<N, K>>;
};
/** The request of a caller. Fields with a default are optional. */
export type OperationRequest<N extends OperationName> = {
  readonly [K in Exclude<Parts<N>, 'query'>]: z.input<Part<N, K>>;
} & ('query' extends Parts<N> ? QueryRequest<z.input<Part<N, 'query'>>> : unknown);
/** A query string without required parts is optional. */
type QueryRequest<Q> = Record<never, never> extends Q ? { readonly query?: Q } : { readonly query: Q };

type Responses<N extends OperationName> = Contract[N]['responses'];
type BodyOf<S> = S extends z.ZodType ? z.output<S> : undefined;
/** The status with its body, one member for each success status. */
export type OperationReply<N extends OperationName> = {
  [S in keyof Responses<N>]: { readonly status: S; readonly body: BodyOf<Responses<N>[S]> };
}[keyof Responses<N>];
export type OperationResult<N extends OperationName> = OperationReply<N>['body'];

/** One function for each operation. The compiler reports a missing one. */
export type Handlers = {
  readonly [N in OperationName]: (input: OperationInput<N>) => Promise<OperationReply<N>>;
};
