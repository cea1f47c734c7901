import type { Reach } from '../../access/reach.ts';
import { REVISION_HEADER } from '../../api/wire/revision-header.ts';

const METHODS = 'GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS';
/** What clients of this server send: credentials, conditions, and the headers of MCP and A2A. */
const REQUEST_HEADERS = [
  ...['Accept', 'Authorization', 'Content-Type', 'If-Match', 'If-None-Match', 'X-Api-Key', 'X-Request-Id'],
  ...['Mcp-Session-Id', 'MCP-Protocol-Version', 'Mcp-Method', 'Mcp-Name', 'Last-Event-ID', 'A2A-Version'],
  ...['traceparent', 'tracestate', 'baggage', REVISION_HEADER],
].join(', ');
/** Answer headers that a page may read. Without this it sees only the most common ones. */
const EXPOSED_HEADERS = [
  ...['Allow', 'ETag', 'Location', 'Retry-After', 'Server-Timing', 'WWW-Authenticate', 'X-Request-Id'],
  ...['Mcp-Session-Id', 'MCP-Protocol-Version', REVISION_HEADER],
].join(', ');
const MAX_AGE_SECONDS = '600';

/** Whether the settings allow pages of this origin to send requests. */
export const isAllowedOrigin = (origin: string | null, { allowedOrigins = [] }: Reach): boolean =>
  origin !== null && allowedOrigins.includes(origin);

/** The headers of an answer to a page of an allowed origin. Its browser shows the page nothing without them. */
export function corsHeaders(request: Request, reach: Reach): Readonly<Record<string, string>> {
  if ((reach.allowedOrigins ?? []).length === 0) return {};
  const origin = request.headers.get('origin');
  // A cache must not give the answer for one page to another.
  if (!isAllowedOrigin(origin, reach)) return { Vary: 'Origin' };
  const shared = { 'Access-Control-Allow-Origin': origin!, Vary: 'Origin' };
  if (request.method !== 'OPTIONS') return { ...shared, 'Access-Control-Expose-Headers': EXPOSED_HEADERS };
  const isPrivate = request.headers.get('access-control-request-private-network') === 'true';
  return {
    ...shared,
    'Access-Control-Allow-Methods': METHODS,
    'Access-Control-Allow-Headers': REQUEST_HEADERS,
    'Access-Control-Max-Age': MAX_AGE_SECONDS,
    ...(isPrivate ? { 'Access-Control-Allow-Private-Network': 'true' } : {}),
  };
}
