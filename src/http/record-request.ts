import { randomUUID } from 'node:crypto';
import type { MiddlewareHandler } from 'hono';
import { type AuditTrail, auditContext, isRefusal } from '../access/audit-trail.ts';
import { isPublic } from '../access/reach.ts';
import type { ErrorCode } from '../model/errors/errors.ts';
import { type AppContext, hasCredentials, outcomeOf, type Variables } from './context/app-context.ts';
import type { AppOptions } from './context/app-options.ts';
import { clientAddresses } from './context/client-address.ts';
import { corsHeaders } from './edge/cors.ts';
import { loggedPath } from './edge/request-caller.ts';
import type { LoggedSearches } from './log/log-searches.ts';
import type { ServerMetrics } from './metrics/server-metrics.ts';
import { standardHeaders } from './standards/dialect.ts';

const SECURITY_HEADERS = Object.entries({
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Content-Security-Policy': "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; base-uri 'none'",
  'Cache-Control': 'no-store',
});

/** A caller's own request id is kept if it is safe in a header and a log line. */
const REQUEST_ID = /^[\w.:-]{1,128}$/;

/** Around every request: its id, the headers of its answer, its line in the log, its metrics, its span and its audit record. */
export function recordRequest(
  options: AppOptions,
  { metrics, during }: { readonly metrics: ServerMetrics; readonly during: LoggedSearches['during'] },
): MiddlewareHandler<{ Variables: Variables }> {
  const { logger, access, tracing = null } = options;
  const addressOf = clientAddresses(options.trustedProxies ?? []);
  const isOpen = isPublic(options);
  /** What is closest to the request wins: its own headers, those of its route, those of its page. */
  const addHeaders = (c: AppContext): Headers => {
    const { headers } = c.res;
    const add = (name: string, value: string) => {
      if (!headers.has(name)) headers.set(name, value);
    };
    const more = { ...corsHeaders(c.req.raw, options), ...(isOpen ? standardHeaders(c.req.path) : {}) };
    for (const name in more) add(name, more[name as keyof typeof more]!);
    for (const [name, value] of SECURITY_HEADERS) add(name, value);
    return headers;
  };
  return async (c, next) => {
    const started = performance.now();
    const sent = c.req.header('x-request-id') ?? '';
    const requestId = REQUEST_ID.test(sent) ? sent : randomUUID();
    c.set('requestId', requestId);
    c.set('facts', {});
    c.set('address', addressOf(c));
    const work = () => during(requestId, () => audited(c, access?.trail ?? null, next));
    if (tracing === null) await work();
    else await tracing.request(c.req.raw.headers, () => work().then(() => outcomeOf(c)));
    const ms = Math.round((performance.now() - started) * 100) / 100;
    const headers = addHeaders(c);
    headers.set('X-Request-Id', requestId);
    headers.set('Server-Timing', `total;dur=${ms}`);
    if (options.isClosing?.() === true) headers.set('Connection', 'close');
    const { method, route, status, code } = outcomeOf(c);
    metrics.answered({ method, route, status, ms });
    options.activity?.answered(status);
    if (access?.required === true && c.get('right') !== 'none') {
      metrics.checked({ code, hasCredentials: hasCredentials(c), isAccepted: c.get('surface') !== undefined });
    }
    const line = {
      request_id: requestId,
      method,
      path: loggedPath(c.req.path),
      status,
      ms,
    };
    logger.info({ ...line, ...c.get('facts') }, 'request');
  };
}

/** Records what a request writes, how it ends, and that it was refused. */
async function audited(c: AppContext, trail: AuditTrail | null, next: () => Promise<void>): Promise<void> {
  if (trail === null) return next();
  const context = auditContext({
    request: c.get('requestId'),
    from: c.get('address'),
    action: `${c.req.method} ${loggedPath(c.req.path)}`,
  });
  await trail.run(context, next);
  const code = c.get('facts').code as ErrorCode | undefined;
  if (code === undefined) return trail.finish(context);
  if (isRefusal(code)) trail.refused(context, code);
  trail.finish(context, code);
}
