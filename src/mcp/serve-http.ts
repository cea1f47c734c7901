import { createMcpHandler } from '@modelcontextprotocol/server';
import { createMcpServerMaker, type McpOptions } from './create-mcp-server.ts';

export interface McpEndpoint {
  fetch(request: Request): Promise<Response>;
  /** Ends open subscriptions; requests that come later are still answered. */
  close(): Promise<void>;
}

export interface McpEndpointOptions extends McpOptions {
  readonly bodyLimitBytes: number;
}

/** How often a changed catalog is looked for once somebody has asked to be told. */
const WATCH_MS = 10_000;

/**
 * One endpoint for every revision of the protocol: the current one is stateless, and the ones before are served without
 * sessions too, so that any process of several may answer any request.
 */
export function createMcpEndpoint({ bodyLimitBytes, ...options }: McpEndpointOptions): McpEndpoint {
  const { make, summary } = createMcpServerMaker(options);
  const handler = createMcpHandler(async () => (await make()).server, { maxRequestBodySize: bodyLimitBytes });
  let told: string | undefined;
  let watch: NodeJS.Timeout | undefined;
  const tell = async () => {
    const about = await summary();
    if (told !== undefined && told !== about) {
      handler.notify.toolsChanged();
      handler.notify.resourcesChanged();
    }
    told = about;
  };
  return {
    async fetch(request) {
      await tell();
      if (request.headers.get('mcp-method') === 'subscriptions/listen') {
        watch ??= setInterval(() => void tell(), WATCH_MS).unref();
      }
      return handler.fetch(request);
    },
    close() {
      clearInterval(watch);
      return handler.close();
    },
  };
}
