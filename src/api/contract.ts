import { z } from 'zod';
import { ENTITY_TYPES, type EntityInput, type EntityType, entitySchema, parseEntityType } from '../model/entity.ts';
import type { ErrorCode } from '../model/errors.ts';
import { searchRequestSchema } from '../model/query.ts';
import { searchResponseSchema } from '../model/result.ts';
import { MAX_BATCH } from '../registry/registry.ts';
import { type OperationName, ROUTES, type Route } from './routes.ts';

/** One operation as data. The server, the client's types, OpenAPI and the tests of the documents are all read from it. */
export interface Operation extends Route {
  readonly tag: string;
  readonly summary: string;
  readonly description?: string;
  readonly params?: z.ZodObject;
  readonly query?: z.ZodObject;
  readonly body?: z.ZodType;
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
export const BODY_ERRORS = ['MALFORMED_JSON', 'BODY_TOO_LARGE'] as const satisfies ErrorCode[];

const isObject = (value: unknown) => value !== null && typeof value === 'object' && !Array.isArray(value);

/**
 * An entity goes to the registry as it came: the registry checks it and warns about fields it does not know, which a
 * schema here would have dropped before it could see them. OpenAPI describes it with `entitySchema`.
 */
export const entityInBatchSchema = z.custom<EntityInput>(isObject, 'must be a JSON object');
type OptionalIdentity<E> = E extends EntityInput
  ? Omit<E, 'type' | 'path'> & { readonly type?: E['type']; readonly path?: string }
  : never;
/** The URL already says type and path, so the body may leave them out. */
export type EntityBody = OptionalIdentity<EntityInput>;
export const entityBodySchema = z.custom<EntityBody>(isObject, 'must be a JSON object');

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
        '`//context7` and `/%2Fcontext7` both name the path `/context7`.',
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

export const healthSchema = z.object({
  status: z.enum(['ok', 'degraded']).describe('`degraded`: searches are answered, but not with everything there is.'),
  version: z.string(),
  store: z.object({ engine: z.string(), path: z.string().nullable(), bytes: z.number().nullable() }),
  index: z.object({
    entities: count,
    units: count,
    vectors: count,
    missing_vectors: count,
    by_type: z.partialRecord(z.enum(ENTITY_TYPES), count),
  }),
  embedder: z.object({
    id: z.string().nullable(),
    state: z.enum(['ready', 'loading', 'down', 'off']),
    error: z.string().exactOptional(),
    retry_at: z.string().exactOptional(),
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
} & { readonly [K in Extract<Parts<N>, 'query'>]?: z.input<Part<N, K>> };

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
