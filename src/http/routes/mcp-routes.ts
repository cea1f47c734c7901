import { COLLECTION_PATH, TOOLSET_PATHS, type ToolsetName } from '../../mcp/toolset-names.ts';
import type { SurfaceAnswer } from '../as-caller.ts';
import type { RouteParts } from './route-parts.ts';

/** The MCP endpoints: one for each set of tools, and one for each collection of documents. */
export function addMcpRoutes({ route, asCaller }: RouteParts): void {
  for (const [toolset, path] of Object.entries(TOOLSET_PATHS) as [ToolsetName, `/${string}`][]) {
    const answer: SurfaceAnswer = (c, { mcp }, body) => mcp[toolset].answer(c.req.raw, body, c.get('takeMore'));
    route({ method: 'POST', path }, asCaller(path, 'read', 'any', answer));
  }
  const ofCollection: SurfaceAnswer = (c, { collectionMcp }, body) =>
    collectionMcp.answer(c.req.param('collection') ?? '', c.req.raw, body, c.get('takeMore'));
  route({ method: 'POST', path: COLLECTION_PATH }, asCaller(COLLECTION_PATH, 'read', 'any', ofCollection));
}
