import { COLLECTION_PATH, PROFILE_PATH, TOOLSET_PATHS, type ToolsetName } from '../../mcp/toolset-names.ts';
import type { SurfaceAnswer } from '../context/as-caller.ts';
import { isStill } from '../edge/request-caller.ts';
import { whileAllowed } from '../edge/while-allowed.ts';
import { endless, isEndless } from '../load/endless-streams.ts';
import type { RouteParts } from './route-parts.ts';

/** The MCP endpoints: one for each set of tools, and one for each collection of documents. */
export function addMcpRoutes({ options, route, asCaller, callerOf }: RouteParts): void {
  /** A subscription ends with the rights of its caller. */
  const limited =
    (answer: SurfaceAnswer): SurfaceAnswer =>
    async (c, surface, body) => {
      options.load.countMcp();
      const response = await answer(c, surface, body);
      if (!isEndless(response)) return response;
      return endless(whileAllowed(response, () => isStill(surface.caller, () => callerOf(c.req.raw, 'read'))));
    };
  for (const [toolset, path] of Object.entries(TOOLSET_PATHS) as [ToolsetName, `/${string}`][]) {
    const answer: SurfaceAnswer = (c, { mcp }, body) => mcp[toolset].answer(c.req.raw, body, c.get('takeMore'));
    route({ method: 'POST', path }, asCaller(path, 'read', 'any', limited(answer)));
  }
  const ofCollection: SurfaceAnswer = (c, { collectionMcp }, body) =>
    collectionMcp.answer(c.req.param('collection') ?? '', c.req.raw, body, c.get('takeMore'));
  route({ method: 'POST', path: COLLECTION_PATH }, asCaller(COLLECTION_PATH, 'read', 'any', limited(ofCollection)));
  const ofProfile: SurfaceAnswer = (c, { profileMcp }, body) =>
    profileMcp.answer(c.req.param('profile') ?? '', c.req.raw, body, c.get('takeMore'));
  route({ method: 'POST', path: PROFILE_PATH }, asCaller(PROFILE_PATH, 'read', 'any', limited(ofProfile)));
}
