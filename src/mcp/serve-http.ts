import { createMcpHandler } from '@modelcontextprotocol/server';
import { whenBodyEnds } from '../api/wire/when-body-ends.ts';
import type { Scope } from '../model/caller/caller.ts';
import { refuseParams } from './server/check-params.ts';
import type { ListStates, McpOptions } from './server/create-mcp-server.ts';
import { makerOf, type ServedTools } from './toolsets.ts';

export interface McpEndpoint {
  /** The scope that each tool needs, by its name. */
  readonly rights: ReadonlyMap<string, Scope>;
  /** `message` is the parsed body. Without it, the protocol's library reads the body of the request. */
  fetch(request: Request, message?: unknown): Promise<Response>;
  /** Ends open subscriptions. Calls at work and later requests are still answered. */
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
  const createHandler = () =>
    createMcpHandler(async ({ era }) => (await make({ notifies: era === 'modern' })).server, {
      maxRequestBodySize: bodyLimitBytes,
    });
  const handler = createHandler();
  // To close a handler also ends its calls, so subscriptions have their own.
  let listener = createHandler();
  let last: ListStates | undefined;
  let watch: NodeJS.Timeout | undefined;
  let subscribers = 0;
  const notify = async () => {
    const before = last;
    last = await lists();
    if (before === undefined) return;
    if (before.tools !== last.tools) listener.notify.toolsChanged();
    if (before.resources !== last.resources) listener.notify.resourcesChanged();
  };
  const unsubscribe = () => {
    subscribers--;
    if (subscribers > 0) return;
    clearInterval(watch);
    watch = undefined;
  };
  return {
    rights,
    async fetch(request, message) {
      const refusal = refuseParams(message);
      if (refusal !== undefined) return Response.json(refusal);
      const options = message === undefined ? {} : { parsedBody: message };
      const isSubscription = request.headers.get('mcp-method') === 'subscriptions/listen';
      if (isSubscription || watch !== undefined) await notify();
      if (!isSubscription) return handler.fetch(request, options);
      const response = await listener.fetch(request, options);
      if (!response.ok) return response;
      subscribers++;
      watch ??= setInterval(() => void notify(), WATCH_MS).unref();
      return whenBodyEnds(request, response, unsubscribe);
    },
    close() {
      const closing = listener;
      listener = createHandler();
      return closing.close();
    },
  };
}
