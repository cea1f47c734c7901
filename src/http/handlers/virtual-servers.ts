import type { Handlers, OperationInput, OperationResult } from '../../api/contract.ts';
import type { virtualServerOperations } from '../../api/operations/virtual-server-operations.ts';
import { idOf, type McpServer, type VirtualServer } from '../../model/entity.ts';
import { ENTITY_TYPE_TABLE, toolsOf } from '../../model/entity-types/table.ts';
import type { ToolMapping } from '../../model/entity-types/virtual-server.ts';
import { DowserError } from '../../model/errors/errors.ts';
import { showValue } from '../../model/parse/parse.ts';
import { barePath } from '../../model/text/bare-path.ts';
import { slugOf } from '../../model/text/slug.ts';
import { trimEndChars } from '../../model/text/trim-chars.ts';
import type { Fields } from '../../registry/contract/entity-operations.ts';
import type { ScopedRegistry } from '../../registry/contract/registry.ts';
import { withoutTools } from '../../registry/search/denied-tools.ts';
import { folded } from '../../registry/view/entity-view.ts';
import { virtualServerRecord } from '../../standards/gateway/virtual-server-record.ts';
import { ratedEntities, recordsOf } from './rated-entities.ts';
import { fromWire, toolList, type WireFields } from './wire-record.ts';

type Query = OperationInput<'listToolCatalog'>['query'];
type Catalog = OperationResult<'listToolCatalog'>;

function virtualServerFields(body: Fields): WireFields {
  const wire = fromWire(body, 'virtual_server', 'a virtual server', { server_name: 'name' });
  checkNames((wire.fields.tool_mappings ?? []) as readonly ToolMapping[]);
  return wire;
}

/** A caller could not tell two tools with the same name apart. */
function checkNames(mappings: readonly ToolMapping[]): void {
  const seen = new Map<string, number>();
  mappings.forEach(({ alias, tool_name }, at) => {
    const name = alias ?? tool_name;
    const earlier = seen.get(name);
    if (earlier !== undefined) {
      throw new DowserError(
        'INVALID_REQUEST',
        `Mappings ${earlier} and ${at} have the same tool name ${showValue(name)}.`,
        {
          field: `tool_mappings.${at}.alias`,
          hint: 'Set another alias for one of them.',
        },
      );
    }
    seen.set(name, at);
  });
}

const VIRTUAL_SERVERS = recordsOf(virtualServerRecord);

const PREFIX = ENTITY_TYPE_TABLE.virtual_server.pathPrefix;
const SLUG = /^[\p{L}\p{N}][\p{L}\p{M}\p{N}_.-]*$/u;

function placeOf(path: string | undefined, name: string): string {
  const slug = path === undefined ? slugOf(name) : trimEndChars(path.trim().replace(/^\/?(?:virtual\/)?/, ''), '/');
  if (SLUG.test(slug)) return `${PREFIX}${slug}`;
  throw new DowserError(
    'INVALID_REQUEST',
    `'path' of the virtual server is ${showValue(path ?? `made of ${name}`)}: must be ${PREFIX} and a slug.`,
    { field: 'path', hint: 'Use letters, digits, hyphens, dots and underscores, such as /virtual/dev-tools.' },
  );
}

function shownTools(server: VirtualServer) {
  return toolsOf(server).map(({ name, description, inputSchema = null }, i) => {
    const { tool_name, backend_server_path, backend_version = null, inherited } = server.tool_mappings[i]!;
    const available = inherited !== undefined;
    return { name, description, inputSchema, tool_name, backend_server_path, backend_version, available };
  });
}

export function virtualServerHandlers(registry: ScopedRegistry): Pick<Handlers, keyof typeof virtualServerOperations> {
  const entities = ratedEntities(registry, 'virtual_server', VIRTUAL_SERVERS);
  const { read, get, list, register, replace, patch, toggle, remove, rate, rating, duplicates } = entities;

  return {
    async createVirtualServer({ body: { overwrite, path, ...body } }) {
      const { server_name: name } = body;
      return register(name, placeOf(path, name), virtualServerFields(body), overwrite);
    },
    checkVirtualServerDuplicates: ({ body }) => duplicates(body),
    async listVirtualServers({ query: { enabled_only, tag, metadata_fields, ...query } }) {
      const filter = { ...query, enabled: enabled_only || undefined, tags: tag === undefined ? tag : [tag] };
      const { records, page } = await list(filter, { metadata_fields, toRecord: VIRTUAL_SERVERS });
      return { status: 200, body: { virtual_servers: records, total: page.total_count, ...page } };
    },
    async listVirtualServerTools({ params }) {
      const { entity } = await read(params.path);
      const denied = (await registry.deniedTools()).get(idOf(entity));
      return toolList(entity, shownTools(withoutTools(entity, denied)));
    },
    toggleVirtualServer: ({ params, body }) => toggle(params.path, body.enabled),
    rateVirtualServer: ({ params, body }) => rate(params.path, body),
    getVirtualServerRating: ({ params }) => rating(params.path),
    getVirtualServer: get,
    putVirtualServer: async ({ params, body }) => replace(params.path, virtualServerFields(body)),
    patchVirtualServer: async ({ params, body }) => patch(params.path, virtualServerFields(body)),
    deleteVirtualServer: ({ params }) => remove(params.path),
    listToolCatalog: async ({ query }) => ({ status: 200, body: await toolCatalog(registry, query) }),
  };
}

/** Every tool of enabled servers, by server path and then in the order of the server. */
async function toolCatalog(registry: ScopedRegistry, query: Query): Promise<Catalog> {
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
