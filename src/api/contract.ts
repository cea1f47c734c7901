import { z } from 'zod';
import { healthSchema } from '../registry/contract/answers.ts';
import { adminOperations } from './operations/admin-operations.ts';
import { agentOperations } from './operations/agent-operations.ts';
import { auditOperations } from './operations/audit-operations.ts';
import { callOperations } from './operations/call-operations.ts';
import { documentOperations } from './operations/document-operations.ts';
import { embeddingOperations } from './operations/embedding-operations.ts';
import { evaluationOperations } from './operations/evaluation-operations.ts';
import { gatewayOperations } from './operations/gateway-operations.ts';
import { graphOperations } from './operations/graph-operations.ts';
import { memoryOperations } from './operations/memory-operations.ts';
import { entityOperations, searchOperations, sourceOperations } from './operations/registry-operations.ts';
import { serverOperations } from './operations/server-operations.ts';
import { skillOperations } from './operations/skill-operations.ts';
import { virtualServerOperations } from './operations/virtual-server-operations.ts';
import { conditionHeaders } from './operations/wire-fields.ts';
import {
  type BodyOf,
  type InputOf,
  type Operation,
  type OperationDetails,
  type PartsOf,
  type ReplyOf,
  type RequestPart,
  withRoutes,
} from './routes/operation.ts';
import { OPERATION_RIGHTS } from './routes/rights.ts';
import { type OperationName, ROUTES } from './routes/routes.ts';

/** Writes that change no entity: the graph, and a new reading of a server. */
const UNCONDITIONAL = ['reportOutcome', 'refreshServer'] as const satisfies readonly OperationName[];

/** It changes an entity, and only an admin may. */
const CONDITIONAL_FOR_ADMINS = ['reviewEntity'] as const satisfies readonly OperationName[];

type Write = {
  [N in OperationName]: (typeof OPERATION_RIGHTS)[N] extends 'write' ? N : never;
}[OperationName];
type ConditionalName = Exclude<Write, (typeof UNCONDITIONAL)[number]> | (typeof CONDITIONAL_FOR_ADMINS)[number];

const isConditional = (name: string): name is ConditionalName =>
  (CONDITIONAL_FOR_ADMINS as readonly string[]).includes(name) ||
  (OPERATION_RIGHTS[name as OperationName] === 'write' && !(UNCONDITIONAL as readonly string[]).includes(name));

type Conditional<T> = {
  readonly [N in keyof T]: N extends ConditionalName ? T[N] & { readonly headers: typeof conditionHeaders } : T[N];
};

/**
 * Operations that change entities take `If-Match` and `If-None-Match`. The registry of the request checks them, whatever the
 * operation writes: see `CallerOptions`.
 */
function withConditions<T extends Readonly<Record<string, Operation>>>(operations: T): Conditional<T> {
  const rows = Object.entries(operations).map(([name, operation]) => {
    if (!isConditional(name)) return [name, operation];
    const errors = [...(operation.errors ?? []), 'PRECONDITION_FAILED'];
    return [name, { ...operation, headers: conditionHeaders, errors }];
  });
  return Object.fromEntries(rows) as Conditional<T>;
}

const serviceOperations = {
  health: {
    summary: 'Health report',
    description: 'Status 200 even when degraded: read `status`.',
    responses: { 200: healthSchema },
  },
  ready: {
    summary: 'Answer whether this node should get requests',
    description:
      'For load balancers. 503 while a node of a shared record has not read it or is too far behind, and until the vector server was reached.',
    responses: { 200: z.object({ status: z.literal('ready') }) },
    errors: ['REPLICA_BEHIND', 'VECTORS_UNAVAILABLE'],
  },
  metrics: {
    summary: 'Metrics in the text format of Prometheus',
    responses: { 200: z.string() },
  },
  openapi: {
    summary: 'The OpenAPI 3.1 description of this API',
    responses: { 200: z.record(z.string(), z.unknown()) },
  },
} as const satisfies Record<string, OperationDetails>;

/** Every operation of our own API. */
export const contract = withConditions({
  ...withRoutes('search', searchOperations, ROUTES),
  ...withRoutes('entities', entityOperations, ROUTES),
  ...withRoutes('sources', sourceOperations, ROUTES),
  ...withRoutes('graph', graphOperations, ROUTES),
  ...withRoutes('calls', callOperations, ROUTES),
  ...withRoutes('servers', serverOperations, ROUTES),
  ...withRoutes('agents', agentOperations, ROUTES),
  ...withRoutes('skills', skillOperations, ROUTES),
  ...withRoutes('virtual servers', virtualServerOperations, ROUTES),
  ...withRoutes('gateway', gatewayOperations, ROUTES),
  ...withRoutes('admin', embeddingOperations, ROUTES),
  ...withRoutes('admin', auditOperations, ROUTES),
  ...withRoutes('admin', adminOperations, ROUTES),
  ...withRoutes('search', evaluationOperations, ROUTES),
  ...withRoutes('memories', memoryOperations, ROUTES),
  ...withRoutes('documents', documentOperations, ROUTES),
  ...withRoutes('service', serviceOperations, ROUTES),
} satisfies Record<OperationName, Operation>);

export type Contract = typeof contract;
/** The parsed input of a handler, with defaults. A raw body is not parsed. */
export type OperationInput<N extends OperationName> = InputOf<Contract[N]>;
/** The request of a caller. Fields with a default are optional. */
export type OperationRequest<N extends OperationName> = {
  readonly [K in Exclude<PartsOf<Contract[N]>, 'query' | 'headers'>]: RequestPart<Contract[N], K>;
} & ('query' extends PartsOf<Contract[N]> ? QueryRequest<RequestPart<Contract[N], 'query'>> : unknown) &
  ('headers' extends PartsOf<Contract[N]> ? { readonly headers?: RequestPart<Contract[N], 'headers'> } : unknown);
/** A query string without required parts is optional. */
type QueryRequest<Q> = Record<never, never> extends Q ? { readonly query?: Q } : { readonly query: Q };

type Responses<N extends OperationName> = Contract[N]['responses'];
export type OperationResult<N extends OperationName> = {
  [S in keyof Responses<N>]: BodyOf<Responses<N>[S]>;
}[keyof Responses<N>];

/** One function for each operation. The compiler reports a missing one. */
export type Handlers = {
  readonly [N in OperationName]: (input: OperationInput<N>) => Promise<ReplyOf<Contract[N]>>;
};
