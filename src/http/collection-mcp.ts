import { type McpAnswer, type McpRoute, type McpRouteOptions, mcpRoute } from './mcp-route.ts';

type CollectionMcpOptions = Omit<McpRouteOptions, 'toolset'>;

/** Endpoints that are kept. Making one is cheap, and a collection may be removed. */
const MAX_ENDPOINTS = 100;

/** The MCP endpoints of collections, by name. */
export interface CollectionMcp {
  /** A name without a collection is NOT_FOUND, with the one that was meant. */
  answer(given: string, ...request: Parameters<McpAnswer>): Promise<Response>;
  /** Ends open subscriptions. */
  close(): Promise<void>;
}

export function collectionMcp(options: CollectionMcpOptions): CollectionMcp {
  const routes = new Map<string, McpRoute>();
  const close = async () => {
    const closing = [...routes.values()];
    routes.clear();
    await Promise.all(closing.map((route) => route.close()));
  };
  return {
    async answer(given, ...request) {
      const { name } = await options.documents.collection(given);
      let route = routes.get(name);
      if (route === undefined) {
        route = mcpRoute({ ...options, toolset: { collection: name } });
        if (routes.size >= MAX_ENDPOINTS) await close();
        routes.set(name, route);
      }
      return route.answer(...request);
    },
    close,
  };
}
