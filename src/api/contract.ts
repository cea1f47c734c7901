import { z } from 'zod';
import type { ErrorCode } from '../model/errors.ts';
import { agentOperations } from './operations/agent-operations.ts';
import { embeddingOperations } from './operations/embedding-operations.ts';
import { registryOperations } from './operations/registry-operations.ts';
import { serverOperations } from './operations/server-operations.ts';
import { skillOperations } from './operations/skill-operations.ts';
import { virtualServerOperations } from './operations/virtual-server-operations.ts';
import { type OperationName, ROUTES, type Route } from './routes.ts';

/** One operation as data. The server, the client's types, OpenAPI and the docs tests are based on it. */
export interface Operation extends Route {
  readonly tag: string;
  readonly summary: string;
  readonly description?: string;
  readonly params?: z.ZodObject;
  readonly query?: z.ZodObject;
  readonly body?: z.ZodType;
  /** The body is passed on as it is: the registry parses it. The schema is for types and documentation. */
  readonly raw?: true;
  /** The body may also be a form, whose fields are all text. */
  readonly form?: true;
  /** The name of the body in errors. Default: `request`. */
  readonly subject?: string;
  /** By success status. Null for an answer without a body. */
  readonly responses: Readonly<Record<number, z.ZodType | null>>;
  /** Its error codes, besides those of every route (`SHARED_ERRORS`). */
  readonly errors: readonly ErrorCode[];
}

/** Error codes of every route. */
export const SHARED_ERRORS = ['INVALID_REQUEST', 'ENGINE_UNAVAILABLE', 'INTERNAL'] as const satisfies ErrorCode[];
/** More error codes of every route with a body. */
export const BODY_ERRORS = [
  'MALFORMED_JSON',
  'UNSUPPORTED_MEDIA_TYPE',
  'BODY_TOO_LARGE',
] as const satisfies ErrorCode[];

export const contract = {
  ...registryOperations,
  ...serverOperations,
  ...agentOperations,
  ...skillOperations,
  ...virtualServerOperations,
  ...embeddingOperations,
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

/** The parsed input of a handler, with defaults. A raw body is not parsed. */
export type OperationInput<N extends OperationName> = {
  readonly [K in Parts<N>]: K extends RawParts<N> ? z.input<Part<N, K>> : z.output<Part<N, K>>;
};
type RawParts<N extends OperationName> = Contract[N] extends { readonly raw: true } ? 'body' : never;
/** The request of a caller. Fields with a default are optional. */
export type OperationRequest<N extends OperationName> = {
  readonly [K in Exclude<Parts<N>, 'query'>]: z.input<Part<N, K>>;
} & ('query' extends Parts<N> ? QueryRequest<z.input<Part<N, 'query'>>> : unknown);
/** A query string without required parts is optional. */
type QueryRequest<Q> = Record<never, never> extends Q ? { readonly query?: Q } : { readonly query: Q };

type Responses<N extends OperationName> = Contract[N]['responses'];
type BodyOf<S> = S extends z.ZodType ? z.output<S> : undefined;
export type OperationResult<N extends OperationName> = {
  [S in keyof Responses<N>]: BodyOf<Responses<N>[S]>;
}[keyof Responses<N>];
/** The same, deeply read-only: handlers return the answers of a registry unchanged. */
export type Unchanged<T> = T extends object ? { readonly [K in keyof T]: Unchanged<T[K]> } : T;
/** The status with its body, one member for each success status. */
export type OperationReply<N extends OperationName> = {
  [S in keyof Responses<N>]: { readonly status: S; readonly body: Unchanged<BodyOf<Responses<N>[S]>> };
}[keyof Responses<N>];

/** One function for each operation. The compiler reports a missing one. */
export type Handlers = {
  readonly [N in OperationName]: (input: OperationInput<N>) => Promise<OperationReply<N>>;
};
