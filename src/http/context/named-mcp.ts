import { type Profile, ProfileFile } from '../../mcp/profiles/profile-file.ts';
import type { ServedTools } from '../../mcp/toolsets.ts';
import { DowserError } from '../../model/errors/errors.ts';
import { showValue } from '../../model/parse/parse.ts';
import { type McpAnswer, type McpRoute, type McpRouteOptions, mcpRoute } from './mcp-route.ts';

type NamedMcpOptions = Omit<McpRouteOptions, 'toolset'>;

/** Endpoints that are kept. Making one is cheap, and what it is made of may be removed. */
const MAX_ENDPOINTS = 100;

/** MCP endpoints by name: one for each collection of documents, or for each profile. */
export interface NamedMcp {
  /** A name without an endpoint is NOT_FOUND, with the one that was meant. */
  answer(given: string, ...request: Parameters<McpAnswer>): Promise<Response>;
  /** Ends open subscriptions. */
  close(): Promise<void>;
}

/** `find` gives the tools of a name, and a key that is another one when they are others. */
function namedMcp(
  options: NamedMcpOptions,
  find: (given: string) => Promise<{ readonly key: string; readonly toolset: ServedTools }>,
): NamedMcp {
  const routes = new Map<string, McpRoute>();
  const close = async () => {
    const closing = [...routes.values()];
    routes.clear();
    await Promise.all(closing.map((route) => route.close()));
  };
  return {
    async answer(given, ...request) {
      const { key, toolset } = await find(given);
      let route = routes.get(key);
      if (route === undefined) {
        route = mcpRoute({ ...options, toolset });
        if (routes.size >= MAX_ENDPOINTS) await close();
        routes.set(key, route);
      }
      return route.answer(...request);
    },
    close,
  };
}

/** The MCP endpoints of collections. */
export const collectionMcp = (options: NamedMcpOptions): NamedMcp =>
  namedMcp(options, async (given) => {
    const { name } = await options.documents.collection(given);
    return { key: name, toolset: { collection: name } };
  });

/** Gives the profile of a name. Throws NOT_FOUND. */
export type FindProfile = (name: string) => Profile;

/** The profiles of a data folder, which may change at any time. */
export function profilesOf(dataDir: string): FindProfile {
  const file = new ProfileFile(dataDir);
  return (name) => file.get(name);
}

/** The MCP endpoints of profiles. Undefined: there is no data folder to keep them. */
export const profileMcp = (options: NamedMcpOptions, find: FindProfile | undefined): NamedMcp =>
  namedMcp(options, async (name) => {
    if (find === undefined) throw new DowserError('NOT_FOUND', `There is no profile ${showValue(name)}.`);
    const profile = find(name);
    return { key: JSON.stringify(profile), toolset: { profile } };
  });
