import { checkJsonSize } from '../api/json-text.ts';
import type { Documents } from '../documents/documents.ts';
import type { McpEndpoint } from '../mcp/serve-http.ts';
import type { ServedTools } from '../mcp/toolsets.ts';
import type { Memories } from '../memories/memories.ts';
import type { Registry } from '../registry/registry.ts';
import type { Logger } from './logger.ts';
import { decodeUtf8 } from './read-body.ts';

export interface McpRouteOptions {
  readonly registry: Registry;
  readonly memories: Memories;
  readonly documents: Documents;
  readonly toolset: ServedTools;
  readonly version: string;
  readonly logger: Logger;
  readonly bodyLimitBytes: number;
  /** Aborts when the server begins to stop. */
  readonly stopping?: AbortSignal;
}

/** The MCP endpoint. The first request loads the protocol's library, which parses the body. */
export function mcpRoute(options: McpRouteOptions): (request: Request, body?: Uint8Array) => Promise<Response> {
  let endpoint: Promise<McpEndpoint> | undefined;
  const { registry, memories, documents, toolset, version, logger, bodyLimitBytes, stopping } = options;
  const open = async () => {
    const { createMcpEndpoint } = await import('../mcp/serve-http.ts');
    const opened = createMcpEndpoint({
      catalog: { ...registry, memories, documents },
      toolset,
      version,
      bodyLimitBytes,
      onError: (err) => logger.error({ err }, 'mcp'),
    });
    // A subscription never ends by itself, and would delay the shutdown.
    stopping?.addEventListener('abort', () => void opened.close(), { once: true });
    if (stopping?.aborted === true) await opened.close();
    return opened;
  };
  return async (request, bytes = new Uint8Array()) => {
    const { method, headers, url, signal } = request;
    const text = decodeUtf8(bytes);
    checkJsonSize(text, 'request body');
    endpoint ??= open();
    return (await endpoint).fetch(new Request(url, { method, headers, body: text, signal }));
  };
}
