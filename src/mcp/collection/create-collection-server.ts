import { McpServer } from '@modelcontextprotocol/server';
import { serveToolList } from '../catalog/lists.ts';
import {
  type McpOptions,
  type McpServerMaker,
  NO_CHANGES,
  registerTool,
  toListedTool,
} from '../server/create-mcp-server.ts';
import { collectionTools } from './collection-tools.ts';

/** A server with the tools of one collection. */
export function createCollectionServerMaker(
  { catalog, version, mayUse, onCalled = () => {}, onError = () => {} }: McpOptions,
  collection: string,
): McpServerMaker {
  const all = collectionTools(catalog.documents, collection);
  const tools = all.filter(({ right }) => mayUse?.(right) ?? true);
  return {
    rights: new Map(all.map(({ name, right }) => [name, right])),
    lists: async () => NO_CHANGES,
    async make() {
      const { project, description, sources } = await catalog.documents.stats(collection);
      const about = `The document collection ${project}: ${sources} files. ${description}`.trim();
      const server = new McpServer(
        { name: `dowser-${project}`, title: project, version },
        {
          instructions: `${about} Search it, and cite the path with its page or lines.`,
          capabilities: { tools: { listChanged: false } },
        },
      );
      for (const tool of tools) registerTool(server, tool, { catalog, onCalled, onError });
      serveToolList(server, () => tools.map((tool) => toListedTool(tool, '', 'full')));
      return { server, update: () => {} };
    },
  };
}
