import type { z } from 'zod';
import type { ErrorCode } from '../../model/errors/errors.ts';
import type { Route } from './routes.ts';

/** One operation as data, without its route. */
export interface OperationDetails {
  readonly summary: string;
  readonly description?: string;
  readonly params?: z.ZodObject;
  readonly query?: z.ZodObject;
  /** By lowercase name. */
  readonly headers?: z.ZodObject;
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
  readonly errors?: readonly ErrorCode[];
}

/** The server, the client's types, OpenAPI and the docs tests are based on it. */
export interface Operation extends Route, OperationDetails {
  /** The group of the operation in the OpenAPI document. */
  readonly tag: string;
}

/** Error codes of every route. */
export const SHARED_ERRORS = ['INVALID_REQUEST', 'ENGINE_UNAVAILABLE', 'INTERNAL'] as const satisfies ErrorCode[];
/** More error codes of every route with a body. */
export const BODY_ERRORS = [
  'MALFORMED_JSON',
  'UNSUPPORTED_MEDIA_TYPE',
  'BODY_TOO_LARGE',
] as const satisfies ErrorCode[];

type Routed<T, R> = { readonly [N in keyof T & keyof R]: T[N] & R[N] & { readonly tag: string } };

/** The operations of one tag, with their routes. */
export function withRoutes<T extends Readonly<Record<string, OperationDetails>>, R extends Record<keyof T, Route>>(
  tag: string,
  operations: T,
  routes: R,
): Routed<T, R> {
  const rows = Object.entries(operations).map(([name, operation]) => [name, { ...routes[name]!, tag, ...operation }]);
  return Object.fromEntries(rows) as Routed<T, R>;
}

type Part = 'params' | 'query' | 'headers' | 'body';
/** The parts of a request that an operation has. */
export type PartsOf<O> = Extract<keyof O, Part>;
type RawPart<O> = O extends { readonly raw: true } ? 'body' : never;
type Schema<O, K extends keyof O> = Extract<O[K], z.ZodType>;

/** The request of a caller, by part. Fields with a default are optional. */
export type RequestPart<O, K extends PartsOf<O>> = z.input<Schema<O, K>>;
/** The parsed input of a handler, with defaults. A raw body is not parsed. */
export type InputOf<O> = {
  readonly [K in PartsOf<O>]: K extends RawPart<O> ? z.input<Schema<O, K>> : z.output<Schema<O, K>>;
} & {
  /** Aborts when the caller no longer waits for the answer. */
  readonly signal?: AbortSignal | undefined;
};

export type BodyOf<S> = S extends z.ZodType ? z.output<S> : undefined;
/** Deeply read-only: handlers return the answers of a registry unchanged. */
export type Unchanged<T> = T extends object ? { readonly [K in keyof T]: Unchanged<T[K]> } : T;
/** The status with its body, one member for each success status. */
export type ReplyOf<O extends OperationDetails> = {
  [S in keyof O['responses']]: {
    readonly status: S;
    readonly body: Unchanged<BodyOf<O['responses'][S]>>;
    readonly headers?: Readonly<Record<string, string>>;
  };
}[keyof O['responses']];
