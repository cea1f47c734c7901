import { z } from 'zod';
import {
  cursorSchema,
  ENTITY_TYPES,
  type EntityInput,
  type EntityType,
  entitySchema,
  parseEntityType,
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
import { type OperationName, ROUTES, type Route } from './routes.ts';
import { searchToolsRequestSchema, toolReferencesSchema } from './search-tools.ts';

/** One operation as data. The server, the client's types, OpenAPI and the tests of the documents are all read from it. */
export interface Operation extends Route {
  readonly tag: string;
  readonly summary: string;
  readonly description?: string;
  readonly params?: z.ZodObject;
  readonly query?: z.ZodObject;
  readonly body?: z.ZodType;
  /** The body may also come as a form, whose fields are then all text. */
  readonly form?: true;
  /** What errors call the body. Default: `request`. */
  readonly subject?: string;
  /** By status of success; null is an answer without a body. */
  readonly responses: Readonly<Record<number, z.ZodType | null>>;
  /** What it can fail with, besides the codes every route shares (`SHARED_ERRORS`). */
  readonly errors: readonly ErrorCode[];
}

/** Any route can answer these. */
export const SHARED_ERRORS = ['INVALID_REQUEST', 'ENGINE_UNAVAILABLE', 'INTERNAL'] as const satisfies ErrorCode[];
/** Any route that takes a body can answer these too. */
export const BODY_ERRORS = [
  'MALFORMED_JSON',
  'UNSUPPORTED_MEDIA_TYPE',
  'BODY_TOO_LARGE',
] as const satisfies ErrorCode[];

/**
 * An entity goes to the registry as it came: the registry checks it and warns about fields it does not know, which a
 * schema here would have dropped before it could see them. OpenAPI describes it with `entitySchema`.
 */
export const entityInBatchSchema = z.custom<EntityInput>(isJsonObject, 'must be a JSON object');
type OptionalIdentity<E> = E extends EntityInput
  ? Omit<E, 'type' | 'path'> & { readonly type?: E['type']; readonly path?: string }
  : never;
/** The URL already says type and path, so the body may leave them out. */
export type EntityBody = OptionalIdentity<EntityInput>;
export const entityBodySchema = z.custom<EntityBody>(isJsonObject, 'must be a JSON object');

/** An unknown type has a code of its own, on every surface. */
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
      'The path of the entity, percent-encoded: the whole rest of the URL, slashes included. ' +
        '`//context7` and `/%2Fcontext7` both name the path `/context7`, and `//github%23issue_write` a tool of `/github`.',
    ),
});

const writeQuery = z.object({
  vectors: z
    .enum(['now', 'later'], 'must be now or later')
    .default('now')
    .describe('`now` waits a moment for the embedder; `later` leaves vectors to the background queue.'),
});

const warnings = z.array(z.string()).describe('What was accepted but not used, such as an unknown field.');
const count = z.int().min(0);
const timestamp = z.string().meta({ format: 'date-time' });

export const putResultSchema = z.object({
  entity_type: z.enum(ENTITY_TYPES),
  path: z.string(),
  created: z.boolean(),
  pending_vectors: count.describe('Parts of the entity that still wait for a vector.'),
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
  cursor: cursorSchema.optional().describe('The `cursor` of the page before.'),
  limit: z.coerce
    .number()
    .pipe(z.int(`must be a whole number from 1 to ${MAX_PAGE}`).min(1).max(MAX_PAGE))
    .default(100)
    .describe(`How many entities a page has, 1 to ${MAX_PAGE}.`),
});

const entityPageSchema = z.object({
  entities: z.array(entityRecordSchema).describe('In the order of type and path.'),
  cursor: z.string().exactOptional().describe('For the next page; absent on the last one.'),
});

export const healthSchema = z.object({
  status: z.enum(['ok', 'degraded']).describe('`degraded`: searches are answered, but not with everything there is.'),
  version: z.string(),
  store: z.object({ engine: z.string(), path: z.string().nullable(), bytes: z.number().nullable() }),
  index: z.object({
    entities: count,
    units: count,
    vectors: count,
    missing_vectors: count,
    stale_vectors: count.describe('Vectors of models that are neither served nor being built.'),
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
      .describe(
        'While the model is being changed: whose vectors are built beside those that answer, and how far that is.',
      ),
    reindexing: z
      .object({ done: count, total: count })
      .exactOptional()
      .describe('While every vector is computed anew: entities done, of all.'),
  }),
});

export const contract = {
  search: {
    ...ROUTES.search,
    tag: 'search',
    summary: 'Search everything by keyword and by meaning',
    description:
      'Send a query, tags or both. The answer has one list of all types, best first, and one list for each type.',
    body: searchRequestSchema,
    subject: 'search request',
    responses: { 200: searchResponseSchema },
    errors: ['EMPTY_SEARCH', 'UNKNOWN_PRESET'],
  },
  searchTools: {
    ...ROUTES.searchTools,
    tag: 'search',
    summary: "Search tools and answer as a model's own tool search does",
    description:
      'For a client that offers a model a tool search of its own: the answer goes back to the model as it is, and `origins` says which tool each name stands for.',
    body: searchToolsRequestSchema,
    subject: 'search request',
    responses: { 200: toolReferencesSchema },
    errors: ['EMPTY_SEARCH', 'UNKNOWN_PRESET'],
  },
  searchTags: {
    ...ROUTES.searchTags,
    tag: 'search',
    summary: 'Every tag in use, at most 500',
    description: 'Each once, whatever its case, in the first spelling; sorted.',
    responses: { 200: z.object({ tags: z.array(z.string()) }) },
    errors: [],
  },
  listEntities: {
    ...ROUTES.listEntities,
    tag: 'entities',
    summary: 'Read every entity, a page at a time',
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
      'The body may leave out `type` and `path`. If it has them they must agree with the URL, a leading slash of the path aside; then the body’s spelling is kept.',
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
    summary: 'Store what a reading of a source found',
    description:
      'What `dowser add` and `dowser refresh` send. Each entity remembers its source; what does not answer is marked as dead, and definitions that are not those last accepted as drift. A bad entity is refused alone.',
    body: observationSchema,
    subject: 'observation',
    responses: { 200: z.object({ results: z.array(observedSchema) }) },
    errors: ['STORE_FULL'],
  },
  listSources: {
    ...ROUTES.listSources,
    tag: 'sources',
    summary: 'Where entities came from, and whether they answered',
    responses: { 200: z.object({ sources: z.array(knownSourceSchema) }) },
    errors: [],
  },
  listDrift: {
    ...ROUTES.listDrift,
    tag: 'sources',
    summary: 'Entities whose definitions are not those last accepted',
    responses: { 200: z.object({ entities: z.array(driftedEntitySchema) }) },
    errors: [],
  },
  acceptDrift: {
    ...ROUTES.acceptDrift,
    tag: 'sources',
    summary: 'Accept what an entity says now',
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
    summary: 'How the service is doing',
    description: 'Answers 200 also when degraded: read `status`.',
    responses: { 200: healthSchema },
    errors: [],
  },
  openapi: {
    ...ROUTES.openapi,
    tag: 'service',
    summary: 'This description of the API, as OpenAPI 3.1',
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

/** What a handler is given: everything checked, defaults filled in. */
export type OperationInput<N extends OperationName> = {
  readonly [K in Parts<N>]: z.output<Part<N, K>>;
};
/** What a caller sends: whatever has a default may be left out. */
export type OperationRequest<N extends OperationName> = {
  readonly [K in Exclude<Parts<N>, 'query'>]: z.input<Part<N, K>>;
} & ('query' extends Parts<N> ? QueryRequest<z.input<Part<N, 'query'>>> : unknown);
/** A query string of which every part may be left out may be left out itself. */
type QueryRequest<Q> = Record<never, never> extends Q ? { readonly query?: Q } : { readonly query: Q };

type Responses<N extends OperationName> = Contract[N]['responses'];
type BodyOf<S> = S extends z.ZodType ? z.output<S> : undefined;
/** The status with its body, one member for each status of success. */
export type OperationReply<N extends OperationName> = {
  [S in keyof Responses<N>]: { readonly status: S; readonly body: BodyOf<Responses<N>[S]> };
}[keyof Responses<N>];
export type OperationResult<N extends OperationName> = OperationReply<N>['body'];

/** One function for each operation: the compiler names the one that is missing. */
export type Handlers = {
  readonly [N in OperationName]: (input: OperationInput<N>) => Promise<OperationReply<N>>;
};
