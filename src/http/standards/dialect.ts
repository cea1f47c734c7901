import type { Dialect } from '../../api/standards-contract.ts';
import type { DowserError } from '../../model/errors.ts';
import { RPC_ERRORS, rpcError } from './a2a.ts';

/** What editors ask of a registry, to the letter: GitHub Copilot, VS Code, JetBrains and others check these. */
const REGISTRY_CORS = {
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Allow-Methods': 'GET, OPTIONS',
  'Access-Control-Allow-Headers': 'Authorization, Content-Type',
} as const;
/** Anyone may read what is public, from any page. */
const OPEN = { 'Access-Control-Allow-Origin': '*', 'Cross-Origin-Resource-Policy': 'cross-origin' } as const;

/** Told by the path, so that it holds for whatever goes wrong there, also before a route is found. */
function dialectOf(path: string): Dialect | undefined {
  if (path === '/v0.1' || path.startsWith('/v0.1/')) return 'registry';
  if (path === '/ard' || path.startsWith('/ard/')) return 'ard';
  if (path === '/a2a') return 'a2a';
  return path.startsWith('/.well-known/') || path === '/mcp/server-card' ? 'well-known' : undefined;
}

/**
 * Headers of every answer of a public server under a path, errors and OPTIONS included. Only reads are open to pages of
 * other sites.
 */
export function standardHeaders(path: string): Readonly<Record<string, string>> {
  const dialect = dialectOf(path);
  if (dialect === 'registry') return { ...REGISTRY_CORS, 'Cross-Origin-Resource-Policy': 'cross-origin' };
  if (dialect === 'well-known') return OPEN;
  return dialect === 'ard' && /^\/ard\/(?:agents|artifacts)(?:\/|$)/.test(path) ? OPEN : {};
}

export interface StandardError {
  readonly status: number;
  readonly body: unknown;
}

/** ARD appendix B; what it does not list keeps its status under the nearest code. */
const ARD_CODES: Readonly<Record<number, string>> = {
  401: 'UNAUTHENTICATED',
  403: 'PERMISSION_DENIED',
  404: 'NOT_FOUND',
  429: 'RATE_LIMIT_EXCEEDED',
  501: 'NOT_IMPLEMENTED',
};

/** An error in the words of whoever specified the route; undefined where they are our own. */
export function toStandardError(path: string, error: DowserError): StandardError | undefined {
  const dialect = dialectOf(path);
  if (dialect === undefined || dialect === 'well-known') return undefined;
  // Our 422 is a distinction that these three do not make.
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
