import type { OperationInput, OperationResult } from '../../api/contract.ts';
import { barePath } from '../../model/bare-path.ts';
import { idOf, type McpServer } from '../../model/entity.ts';
import { folded } from '../../registry/operations/entity-view.ts';
import type { ScopedRegistry } from '../../registry/registry.ts';
import { withoutTools } from '../../registry/search/denied-tools.ts';

type Query = OperationInput<'listToolCatalog'>['query'];
type Catalog = OperationResult<'listToolCatalog'>;

/** Every tool of enabled servers, by server path and then in the order of the server. */
export async function toolCatalog(registry: ScopedRegistry, query: Query): Promise<Catalog> {
  const { server_path, limit, offset } = query;
  const needle = folded(query.query.trim());
  const found: Catalog['tools'] = [];
  const servers = new Set<string>();
  const denied = await registry.deniedTools();
  for await (const { entity } of registry.all(['mcp_server'])) {
    const server = withoutTools(entity as McpServer, denied.get(idOf(entity)));
    if (!server.is_enabled || (server_path !== undefined && barePath(server_path) !== barePath(server.path))) continue;
    for (const { name, description, inputSchema = {} } of server.tools) {
      if (needle !== '' && !folded(`${name} ${description}`).includes(needle)) continue;
      servers.add(server.path);
      found.push({
        tool_name: name,
        server_path: server.path,
        server_name: server.name,
        description,
        input_schema: inputSchema,
        available_versions: server.version === undefined ? [] : [server.version],
      });
    }
  }
  const tools = found.slice(offset, offset + limit);
  return {
    tools,
    server_count: servers.size,
    total_count: found.length,
    limit,
    offset,
    has_next: offset + tools.length < found.length,
  };
}
