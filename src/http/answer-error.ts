import { DowserError, type ErrorCode, toDowserError, toErrorBody } from '../model/errors/errors.ts';
import { showValue } from '../model/parse/parse.ts';
import { sendReply } from './body/send-reply.ts';
import { type AppContext, baseOf, hasCredentials } from './context/app-context.ts';
import type { AppOptions } from './context/app-options.ts';
import { challengeOf } from './edge/resource-metadata.ts';
import { isClosing, isFailure } from './load/refusal.ts';
import type { Logger } from './log/logger.ts';
import { isMisspelled, singleSlashes, toStandardError } from './standards/dialect.ts';

/** Long enough for the requests at work to end. */
const RETRY_AFTER_SECONDS = 1;
const RETRYABLE: ReadonlySet<ErrorCode> = new Set([
  'OVERLOADED',
  'SERVER_STOPPING',
  'AUTH_UNAVAILABLE',
  'REPLICA_BEHIND',
  'RECORD_UNAVAILABLE',
  'VECTORS_UNAVAILABLE',
]);
/** States of the server that `/api/health` reports. Every request meets them, so a stack for each would say nothing new. */
const REPORTED: ReadonlySet<ErrorCode> = new Set(['REPLICA_BEHIND', 'RECORD_UNAVAILABLE', 'VECTORS_UNAVAILABLE']);

/** A request without a route. */
export function answerNotFound(c: AppContext, logger: Logger): Response {
  const { pathname, search } = new URL(c.req.url);
  if (c.req.method === 'GET' && isMisspelled(pathname)) return c.redirect(`${singleSlashes(pathname)}${search}`, 308);
  const error = new DowserError('NOT_FOUND', `Unknown route: ${c.req.method} ${showValue(c.req.path)}.`, {
    hint: 'See GET /openapi.json for all routes.',
    details: { docs: '/openapi.json' },
  });
  return replyWith(c, error, logger);
}

/** A request that failed. Says how to sign in where credentials are missing. */
export function answerError(c: AppContext, thrown: unknown, options: AppOptions): Response {
  const challenge = challengeOf(toDowserError(thrown), {
    base: baseOf(c, options),
    path: c.req.path,
    issuer: options.access?.issuer ?? null,
    right: c.get('right'),
    wasTried: hasCredentials(c),
  });
  if (challenge !== undefined) c.header('WWW-Authenticate', challenge);
  return replyWith(c, thrown, options.logger);
}

/** Messages may quote the request, so log only the code and the field of a refused request. */
function replyWith(c: AppContext, thrown: unknown, logger: Logger): Response {
  const error = toDowserError(thrown);
  c.set('facts', { ...c.get('facts'), code: error.code, ...(error.field === undefined ? {} : { field: error.field }) });
  // A refused request is in the log already. A stack for each would make a busy server busier.
  if (REPORTED.has(error.code)) {
    logger.warn({ request_id: c.get('requestId'), code: error.code, reason: error.message }, 'request refused');
  } else if (isFailure(error)) {
    logger.error({ request_id: c.get('requestId'), err: thrown }, 'request failed');
  }
  const retryAfter = error.details?.retry_after ?? (RETRYABLE.has(error.code) ? RETRY_AFTER_SECONDS : undefined);
  if (retryAfter !== undefined) c.header('Retry-After', String(retryAfter));
  if (isClosing(error.code, c.req.raw)) c.header('Connection', 'close');
  const standard = toStandardError(c.req.path, error);
  if (standard !== undefined) return sendReply(c, standard);
  const body = toErrorBody(error, {
    hint: 'See GET /openapi.json for the fields of each request.',
    docs: '/openapi.json',
  });
  return c.json({ ...body, detail: error.message }, error.httpStatus as 500);
}
