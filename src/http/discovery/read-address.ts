import type { McpServer } from '../../model/entity.ts';

/** The address where a server is read. Undefined: it has none, or it runs on the machine of its user. */
export function readAddress({ deployment, mcp_endpoint, url, sse_endpoint }: McpServer): string | undefined {
  return deployment === 'remote' ? (mcp_endpoint ?? url ?? sse_endpoint) : undefined;
}
