import type { DowserError } from '../../model/errors/errors.ts';
import type { Reply } from '../body/reply.ts';
import { RPC_ERRORS, rpcError } from './rpc-errors.ts';

/** The error format of a route: that of the official MCP registry, ARD, A2A's JSON-RPC, or our own. */
type Dialect = 'registry' | 'ard' | 'a2a' | 'well-known';

/** The exact headers that editors require of a registry, such as GitHub Copilot, VS Code and JetBrains. */
const REGISTRY_CORS = {
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Allow-Methods': 'GET, OPTIONS',
  'Access-Control-Allow-Headers': 'Authorization, Content-Type',
} as const;
/** Pages of any origin may read public data. */
const OPEN = { 'Access-Control-Allow-Origin': '*', 'Cross-Origin-Resource-Policy': 'cross-origin' } as const;

/** A client that appends `/v0.1/servers` to an address with a slash at its end asks for `//v0.1/servers`. */
export const singleSlashes = (path: string) => path.replaceAll(/\/{2,}/g, '/');

/** Whether a path with too many slashes means a route of the official registry. */
export const isMisspelled = (path: string) => /\/{2}/.test(path) && dialectOf(path) === 'registry';

/** Decided by the path, so that it also applies to errors before a route is found. */
function dialectOf(given: string): Dialect | undefined {
  const path = singleSlashes(given);
  if (path === '/v0.1' || path.startsWith('/v0.1/')) return 'registry';
  if (/^(?:\/api)?\/ard(?:\/|$)/.test(path)) return 'ard';
  if (path === '/a2a') return 'a2a';
  return path.startsWith('/.well-known/') || path === '/mcp/server-card' ? 'well-known' : undefined;
}

/**
 * The headers of every answer of a public server under a path, including errors and OPTIONS. Pages of other origins may only
 * read.
 */
export function standardHeaders(path: string): Readonly<Record<string, string>> {
  const dialect = dialectOf(path);
  if (dialect === 'registry') return { ...REGISTRY_CORS, 'Cross-Origin-Resource-Policy': 'cross-origin' };
  if (dialect === 'well-known') return OPEN;
  return dialect === 'ard' && /^\/ard\/(?:agents|artifacts)(?:\/|$)/.test(path) ? OPEN : {};
}

/** ARD appendix B. Other statuses keep their number, with the nearest code. */
const ARD_CODES: Readonly<Record<number, string>> = {
  401: 'UNAUTHENTICATED',
  403: 'PERMISSION_DENIED',
  404: 'NOT_FOUND',
  429: 'RATE_LIMIT_EXCEEDED',
  501: 'NOT_IMPLEMENTED',
};

/** An error in the format of the standard. Undefined for our own routes. */
export function toStandardError(path: string, error: DowserError): Reply | undefined {
  const dialect = dialectOf(path);
  if (dialect === undefined || dialect === 'well-known') return undefined;
  // These standards do not use 422.
  const status = error.httpStatus === 422 ? 400 : error.httpStatus;
  const message = error.ownHint === undefined ? error.message : `${error.message} ${error.ownHint}`;
  if (dialect === 'registry') return { status, body: { error: message } };
  if (dialect === 'ard') {
    const errorCode = ARD_CODES[status] ?? (status < 500 ? 'INVALID_ARGUMENT' : 'INTERNAL_ERROR');
    return { status, body: { errorCode, message } };
  }
  const code =
    error.code === 'MALFORMED_JSON' ? RPC_ERRORS.parse : status < 500 ? RPC_ERRORS.invalidRequest : RPC_ERRORS.internal;
  return { status, body: rpcError(code, message) };
}
