import type { EntityInput, EntityType, Status } from '../../model/entity.ts';
import type { Registry, WriteCondition } from '../../registry/contract/registry.ts';
import type { OperationRequest, OperationResult } from '../contract.ts';
import type { Unchanged } from '../routes/operation.ts';
import type { OperationName } from '../routes/routes.ts';
import { toConditions } from '../wire/if-match.ts';
import { BODY, type Call, NOTHING } from './call.ts';

/** Methods that are more than one request, or part of an answer: see `client/remote-registry.ts`. */
type ComposedMethod = 'all' | 'tags' | 'embedPending' | 'reindex';
export type CalledMethod = Exclude<keyof Registry, ComposedMethod>;

type Returned<M extends CalledMethod> = Awaited<ReturnType<Registry[M]>>;
type Result<M extends CalledMethod> = Returned<M> extends object ? Returned<M> : undefined;

/** Whether a body of this type can carry the result, in both directions. */
type Carries<Body, R> = [Body] extends [R] ? ([R] extends [Unchanged<Body>] ? true : false) : false;
/** The fields of a body that can carry the result. */
type FieldsFor<Body, R> = { [F in keyof Body]: Carries<Body[F], R> extends true ? F : never }[keyof Body];

/** One method as one operation. The types check both directions: request and arguments, answer and result. */
interface RegistryCall<M extends CalledMethod, N extends OperationName> extends Call<Parameters<Registry[M]>, N> {
  /** The field of the answer that has the result. Absent: the answer is the result. */
  readonly field?: Carries<OperationResult<N>, Result<M>> extends true
    ? undefined
    : FieldsFor<OperationResult<N>, Result<M>>;
  /** The fields of the answer that are the result. The others are for clients of the MCP gateway registry. */
  readonly own?: readonly string[];
}
type Carrier<M extends CalledMethod, N extends OperationName> =
  Carries<OperationResult<N>, Result<M>> extends true
    ? RegistryCall<M, N>
    : RegistryCall<M, N> & { readonly field: string };
type AnyCall<M extends CalledMethod> = { [N in OperationName]: Carrier<M, N> }[OperationName];

type Path = { readonly params: { readonly type: EntityType; readonly path: string } };
const toPath = (type: EntityType, path: string): Path => ({ params: { type, path } });
const fromPath = ({ params: { type, path } }: Path): [EntityType, string] => [type, path];

/** `tagList` of `wire-fields.ts` reads it. */
const joinTags = (tags: readonly string[]): string => tags.map((tag) => tag.replaceAll(/[\\,]/g, '\\$&')).join();

/** Mappings that several methods share. */
const QUERY = {
  toRequest: <Q>(query?: Q) => ({ query: query ?? {} }),
  toArguments: <Q>({ query }: { readonly query: Q }): [Q] => [query],
};
const PATH = { toRequest: toPath, toArguments: fromPath };
const PATH_AND_BODY = {
  toRequest: <B>(type: EntityType, path: string, body: B) => ({ ...toPath(type, path), body }),
  toArguments: <B>({ body, params }: Path & { readonly body: B }): [EntityType, string, B] => [
    ...fromPath({ params }),
    body,
  ],
};
/** The registry takes unknown input and parses it; the typed client has a type for it. */
const ENTITY = {
  toRequest: <Q>(body: unknown, query?: Q) => ({ body: body as EntityInput, query: query ?? {} }),
  toArguments: <Q>({ body, query }: { readonly body: unknown; readonly query: Q }): [unknown, Q] => [body, query],
};
/** The registry parses whatever a caller sends. */
const CALL = {
  toRequest: (request: unknown) => ({ body: request as OperationRequest<'callTool'>['body'] }),
  toArguments: ({ body }: { readonly body: unknown }): [unknown] => [body],
};
/** The condition of a write is a header. The server checks it for every operation: see `caller-surfaces.ts`. */
const toCondition = (condition: WriteCondition | undefined) => ({ headers: toConditions(condition) });

/** How each method of a registry maps to an operation. The handlers of the server and the remote registry are made from it. */
export const REGISTRY_CALLS = {
  search: { operation: 'search', ...BODY },
  put: {
    operation: 'addEntity',
    toRequest: (entity, { ifMatch, ifNoneMatch, ...query } = {}) => ({
      ...ENTITY.toRequest(entity, query),
      ...toCondition({ ifMatch, ifNoneMatch }),
    }),
    toArguments: ({ body, query }) => [body, query],
  },
  putMany: {
    operation: 'putEntities',
    toRequest: (entities, query = {}) => ({ body: { entities: entities as readonly EntityInput[] }, query }),
    toArguments: ({ body, query }) => [body.entities, query],
    slow: true,
  },
  get: { operation: 'getEntity', ...PATH },
  delete: {
    operation: 'deleteEntity',
    toRequest: (type, path, condition) => ({ ...toPath(type, path), ...toCondition(condition) }),
    toArguments: fromPath,
  },
  page: {
    operation: 'listEntities',
    toRequest: ({ types, statuses, tags, after, ...query } = {}) => ({
      query: { ...query, type: types?.join(), status: statuses?.join(), tags: tags && joinTags(tags), cursor: after },
    }),
    toArguments: ({ query: { type: types, status, cursor: after, ...query } }) => [
      { ...query, types, statuses: status as readonly Status[] | undefined, after },
    ],
  },
  register: { operation: 'registerEntity', ...ENTITY },
  patch: {
    operation: 'patchEntity',
    toRequest: (type, path, fields, condition) => ({
      ...PATH_AND_BODY.toRequest(type, path, fields),
      ...toCondition(condition),
    }),
    toArguments: PATH_AND_BODY.toArguments,
  },
  list: { operation: 'queryEntities', ...BODY },
  searchSkills: { operation: 'findSkills', ...BODY, field: 'results' },
  discoverAgents: { operation: 'findAgents', ...BODY, field: 'results' },
  rate: { operation: 'rateEntity', ...PATH_AND_BODY },
  rating: { operation: 'getEntityRating', ...PATH },
  findDuplicates: { operation: 'findDuplicates', ...BODY },
  observe: { operation: 'observe', ...BODY, field: 'results', slow: true },
  sources: { operation: 'listSources', ...NOTHING, field: 'sources' },
  drift: { operation: 'listDrift', ...NOTHING, field: 'entities' },
  acceptDrift: { operation: 'acceptDrift', ...PATH },
  review: { operation: 'reviewEntity', ...PATH_AND_BODY },
  putEdges: { operation: 'putEdges', ...BODY, slow: true },
  deleteEdges: { operation: 'deleteEdges', ...BODY },
  relations: { operation: 'listRelations', ...PATH },
  recommend: { operation: 'recommend', ...BODY },
  getStack: { operation: 'getStack', ...BODY },
  compare: { operation: 'compareEntities', ...BODY },
  compatible: { operation: 'checkCompatibility', ...BODY },
  reportOutcome: { operation: 'reportOutcome', ...BODY },
  recommendRespond: { operation: 'recommendRespond', ...BODY },
  missingVectors: {
    operation: 'missingVectors',
    ...QUERY,
    own: ['embedder', 'total', 'total_entities', 'entities'],
  },
  staleVectors: { operation: 'staleVectors', ...QUERY, own: ['total', 'total_entities', 'entities'] },
  cleanUpStaleVectors: {
    operation: 'cleanUpStaleVectors',
    ...BODY,
    own: ['removed', 'not_found'],
    slow: true,
  },
  call: {
    operation: 'callTool',
    toRequest: (request) => ({ body: request as OperationRequest<'callTool'>['body'] }),
    toArguments: ({ body, signal }) => [body, { signal }],
    slow: true,
  },
  checkCall: { operation: 'checkCall', ...CALL },
  preflight: {
    operation: 'preflightCalls',
    toRequest: (paths) => ({ body: { paths } }),
    toArguments: ({ body: { paths } }) => [paths],
    field: 'tools',
  },
  readResult: {
    operation: 'readCallResult',
    toRequest: (request) => ({ body: request as OperationRequest<'readCallResult'>['body'] }),
    toArguments: ({ body }) => [body],
  },
  upstreams: { operation: 'listUpstreams', ...NOTHING, field: 'upstreams' },
  stopUpstreams: {
    operation: 'stopUpstreams',
    toRequest: (path) => ({ body: path === undefined ? {} : { path } }),
    toArguments: ({ body: { path } }) => [path],
  },
  health: { operation: 'health', ...NOTHING },
} as const satisfies { readonly [M in CalledMethod]: AnyCall<M> };

export type CalledOperation = (typeof REGISTRY_CALLS)[CalledMethod]['operation'];
