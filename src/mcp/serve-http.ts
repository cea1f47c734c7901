import { createMcpHandler } from '@modelcontextprotocol/server';
import type { Scope } from '../model/caller.ts';
import type { McpOptions } from './create-mcp-server.ts';
import { makerOf, type ServedTools } from './toolsets.ts';

export interface McpEndpoint {
  /** The scope that each tool needs, by its name. */
  readonly rights: ReadonlyMap<string, Scope>;
  fetch(request: Request): Promise<Response>;
  /** Ends open subscriptions. Later requests are still answered. */
  close(): Promise<void>;
}

export interface McpEndpointOptions extends McpOptions {
  readonly bodyLimitBytes: number;
  readonly toolset: ServedTools;
}

/** How often to check the catalog for changes while a client subscribes to them. */
const WATCH_MS = 10_000;

/**
 * One endpoint for every revision of the protocol. None has sessions, so that with several processes any can answer any
 * request.
 */
export function createMcpEndpoint({ bodyLimitBytes, toolset, ...options }: McpEndpointOptions): McpEndpoint {
  const { rights, make, summary } = makerOf(toolset, options);
  const handler = createMcpHandler(async () => (await make()).server, { maxRequestBodySize: bodyLimitBytes });
  let last: string | undefined;
  let watch: NodeJS.Timeout | undefined;
  const notify = async () => {
    const about = await summary();
    if (last !== undefined && last !== about) {
      handler.notify.toolsChanged();
      handler.notify.resourcesChanged();
    }
    last = about;
  };
  return {
    rights,
    async fetch(request) {
      await notify();
      if (request.headers.get('mcp-method') === 'subscriptions/listen') {
        watch ??= setInterval(() => void notify(), WATCH_MS).unref();
      }
      return handler.fetch(request);
    },
    close() {
      clearInterval(watch);
      return handler.close();
    },
  };
}
