import { type McpRouteOptions, mcpRoute } from './mcp-route.ts';

type Answer = ReturnType<typeof mcpRoute>;
type CollectionMcpOptions = Omit<McpRouteOptions, 'toolset'>;

/** Endpoints that are kept. Making one is cheap, and a collection may be removed. */
const MAX_ENDPOINTS = 100;

/** The MCP endpoints of collections, by name. A name without a collection is NOT_FOUND, with the one that was meant. */
export function collectionMcp(options: CollectionMcpOptions) {
  const endpoints = new Map<string, Answer>();
  return async (given: string, request: Request, body?: Uint8Array): Promise<Response> => {
    const { name } = await options.documents.collection(given);
    let answer = endpoints.get(name);
    if (answer === undefined) {
      answer = mcpRoute({ ...options, toolset: { collection: name } });
      if (endpoints.size >= MAX_ENDPOINTS) endpoints.clear();
      endpoints.set(name, answer);
    }
    return answer(request, body);
  };
}
