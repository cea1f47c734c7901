import { createMcpHandler } from '@modelcontextprotocol/server';
import type { Scope } from '../model/caller.ts';
import type { ListStates, McpOptions } from './create-mcp-server.ts';
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
  const { rights, make, lists } = makerOf(toolset, options);
  // A client of an older revision has no stream here on which it could be told.
  const handler = createMcpHandler(async ({ era }) => (await make({ notifies: era === 'modern' })).server, {
    maxRequestBodySize: bodyLimitBytes,
  });
  let last: ListStates | undefined;
  let watch: NodeJS.Timeout | undefined;
  const notify = async () => {
    const before = last;
    last = await lists();
    if (before === undefined) return;
    if (before.tools !== last.tools) handler.notify.toolsChanged();
    if (before.resources !== last.resources) handler.notify.resourcesChanged();
  };
  return {
    rights,
    async fetch(request) {
      if (request.headers.get('mcp-method') === 'subscriptions/listen') {
        watch ??= setInterval(() => void notify(), WATCH_MS).unref();
      }
      if (watch !== undefined) await notify();
      return handler.fetch(request);
    },
    close() {
      clearInterval(watch);
      return handler.close();
    },
  };
}
