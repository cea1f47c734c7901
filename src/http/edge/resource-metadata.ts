import { TOOLSET_PATHS } from '../../mcp/toolset-names.ts';
import { LEVELS, type Right } from '../../model/caller/caller.ts';
import type { DowserError } from '../../model/errors/errors.ts';

/** Where clients learn which issuer gives tokens for this server (RFC 9728). */
const METADATA_PATH = '/.well-known/oauth-protected-resource';

const MCP_PATHS: readonly string[] = Object.values(TOOLSET_PATHS);

/** The document of the server itself, and that of each MCP endpoint at its own address. */
export const METADATA_ROUTES = ['', ...MCP_PATHS].map((resource) => ({
  method: 'GET' as const,
  path: `${METADATA_PATH}${resource}` as const,
  resource,
}));

/** The addresses that a token may be for. */
export const resourcesOf = (base: string): readonly string[] => ['', ...MCP_PATHS].map((path) => `${base}${path}`);

export function resourceMetadata(base: string, resource: string, issuer: string) {
  return {
    resource: `${base}${resource}`,
    authorization_servers: [issuer],
    scopes_supported: LEVELS,
    bearer_methods_supported: ['header'],
    resource_name: 'Dowser',
  };
}

export interface Challenge {
  readonly base: string;
  readonly path: string;
  /** Null: there is no issuer to ask for a token. */
  readonly issuer: string | null;
  /** What the request needs. A client asks for this scope and no more. */
  readonly right: Right | undefined;
  /** The request had credentials. */
  readonly wasTried: boolean;
}

/** The header that tells a refused client what to do (RFC 6750). Undefined for errors that credentials do not change. */
export function challengeOf(
  error: DowserError,
  { base, path, issuer, right, wasTried }: Challenge,
): string | undefined {
  if (error.code !== 'INSUFFICIENT_SCOPE' && error.code !== 'UNAUTHENTICATED') return undefined;
  const parts = ['realm="dowser"'];
  if (error.code === 'INSUFFICIENT_SCOPE') parts.push('error="insufficient_scope"');
  else if (wasTried)
    parts.push('error="invalid_token"', `error_description="${error.message.replaceAll(/["\\]/g, "'")}"`);
  const scope = error.details?.scope ?? right;
  if (scope !== undefined) parts.push(`scope="${scope}"`);
  const resource = MCP_PATHS.includes(path) ? path : '';
  if (issuer !== null) parts.push(`resource_metadata="${base}${METADATA_PATH}${resource}"`);
  return `Bearer ${parts.join(', ')}`;
}
