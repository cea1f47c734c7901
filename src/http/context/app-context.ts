import type { Context } from 'hono';
import type { Reach } from '../../access/reach.ts';
import type { Caller, Right } from '../../model/caller/caller.ts';
import type { ErrorCode } from '../../model/errors/errors.ts';
import { addressKey } from '../load/caller-limits.ts';
import type { TracedRequest } from '../log/tracing.ts';
import type { Surface } from './caller-surfaces.ts';

/** What is known about a request, filled in as it is answered. */
export interface Variables {
  requestId: string;
  /** Where the request comes from. Null where there is no connection, as in tests. */
  address: string | null;
  /** The template of the path. Set once the route is known. */
  route?: string;
  /** What the route needs. Set once the route is known. */
  right?: Right;
  /** What answers the caller. Set once the caller is known and has the right. */
  surface?: Surface;
  /** Counts more requests of the caller. Throws TOO_MANY_REQUESTS. Not set where the caller has no limits. */
  takeMore?: (requests: number) => void;
  /** Extra fields of this request's log line. */
  facts: Record<string, unknown>;
}
export type AppContext = Context<{ Variables: Variables }>;

/** A request after its answer. */
export const outcomeOf = (c: AppContext): TracedRequest => ({
  method: c.req.method,
  route: c.get('route'),
  status: c.res.status,
  code: c.get('facts').code as ErrorCode | undefined,
});

export const hasCredentials = ({ req }: Context): boolean =>
  req.raw.headers.has('authorization') || req.raw.headers.has('x-api-key');

/** The address under which clients know the server. */
export const baseOf = (c: AppContext, { publicUrl }: Reach): string => publicUrl ?? new URL(c.req.url).origin;

/** Whose requests are counted together. */
export const limitKey = ({ name }: Caller, c: AppContext): string =>
  name === undefined ? addressKey(c.get('address')) : `caller:${name}`;
