import type { McpEndpoint } from '../mcp/serve-http.ts';
import type { Registry } from '../registry/registry.ts';
import type { Logger } from './logger.ts';

export interface McpRouteOptions {
  readonly registry: Registry;
  readonly version: string;
  readonly logger: Logger;
  readonly bodyLimitBytes: number;
  /** Aborts when the server begins to stop. */
  readonly stopping?: AbortSignal;
}

/** The MCP endpoint as a handler of requests. The protocol's library is loaded by the first of them. */
export function mcpRoute(options: McpRouteOptions): (request: Request) => Promise<Response> {
  let endpoint: Promise<McpEndpoint> | undefined;
  const { registry, version, logger, bodyLimitBytes, stopping } = options;
  const open = async () => {
    const { createMcpEndpoint, toCatalog } = await import('../mcp/serve-http.ts');
    const opened = createMcpEndpoint({
      catalog: toCatalog(registry),
      version,
      bodyLimitBytes,
      onError: (err) => logger.error({ err }, 'mcp'),
    });
    // A subscription is a request without an end: the server would wait for it until its patience is over.
    stopping?.addEventListener('abort', () => void opened.close(), { once: true });
    if (stopping?.aborted === true) await opened.close();
    return opened;
  };
  return async (request) => {
    endpoint ??= open();
    return (await endpoint).fetch(request);
  };
}
