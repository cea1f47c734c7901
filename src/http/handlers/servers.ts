import type { Handlers, OperationResult } from '../../api/contract.ts';
import type { serverOperations } from '../../api/operations/server-operations.ts';
import type { McpServer } from '../../model/entity.ts';
import { withoutNulls } from '../../model/json-object.ts';
import type { Projection } from '../../model/projection.ts';
import type { Fields, RatedRecord } from '../../registry/operations/entity-operations.ts';
import type { ScopedRegistry } from '../../registry/registry.ts';
import { ratedEntities } from './rated-entities.ts';
import { checkAddresses, expectAddress } from './server-address.ts';
import { commonFields, fromWire, registeredMessage, registeredPath, toolList, type WireFields } from './wire-record.ts';

type ServerRecord = OperationResult<'getServer'>;

const ALIASES = {
  server_name: 'name',
  proxy_pass_url: 'url',
  tool_list: 'tools',
  tool_list_json: 'tools',
  provider_organization: 'provider',
} as const;

function serverFields({ transport, ...body }: Fields): WireFields {
  const { fields, warnings } = fromWire(body, 'mcp_server', 'a server', ALIASES);
  if (typeof transport !== 'string' || transport === '' || fields.supported_transports !== undefined) {
    return { fields, warnings };
  }
  return { fields: { ...fields, supported_transports: [transport] }, warnings };
}

function listedTools(server: McpServer) {
  return server.tools.map(({ examples, ...tool }) => ({ ...tool, ...(examples.length === 0 ? {} : { examples }) }));
}

function serverRecord(record: RatedRecord, projection: Projection | null, tools = true): ServerRecord {
  const server = record.entity as McpServer;
  return {
    server_name: server.name,
    display_name: server.name,
    ...commonFields(server, record, projection),
    proxy_pass_url: server.url ?? null,
    mcp_endpoint: server.mcp_endpoint ?? null,
    sse_endpoint: server.sse_endpoint ?? null,
    supported_transports: server.supported_transports,
    auth_scheme: server.auth_scheme ?? null,
    deployment: server.deployment,
    local_runtime: server.local_runtime ?? null,
    provider: server.provider ?? null,
    provider_url: server.provider_url ?? null,
    homepage: server.homepage ?? null,
    repository: server.repository ?? null,
    num_tools: server.tools.length,
    ...(tools ? { tool_list: listedTools(server) } : {}),
  };
}

export function serverHandlers(registry: ScopedRegistry): Pick<Handlers, keyof typeof serverOperations> {
  const entities = ratedEntities(registry, 'mcp_server', serverRecord);
  const { read, get, list, replace, patch, toggle, remove, rate, rating, duplicates } = entities;

  async function changesTo(path: string, body: Fields): Promise<WireFields> {
    const wire = serverFields(body);
    checkAddresses(wire.fields, (await read(path)).entity);
    return wire;
  }

  return {
    async registerServer({ body }) {
      const { fields, warnings } = serverFields(body);
      expectAddress(fields);
      checkAddresses(fields);
      const entity = { ...withoutNulls(fields), type: 'mcp_server', path: registeredPath(body.path) };
      const result = await registry.register(entity, { overwrite: body.overwrite });
      const message = registeredMessage(body.name, result);
      return {
        status: 201,
        body: { path: result.path, name: body.name, message, warnings: [...warnings, ...result.warnings] },
      };
    },
    async toggleServer({ body }) {
      const { body: done } = await toggle(body.path, body.new_state);
      return { status: 200, body: { ...done, service_path: done.path, new_enabled_state: done.is_enabled } };
    },
    async removeServer({ body }) {
      const { entity } = await read(body.path);
      await registry.delete('mcp_server', entity.path);
      return { status: 200, body: { message: `${entity.path} is deleted.`, path: entity.path } };
    },
    checkServerDuplicates: ({ body }) => duplicates(body),
    async listMcpServers({ query: { status, enabled_only, include_tools, metadata_fields, ...query } }) {
      const filter = { ...query, statuses: status && [status], enabled: enabled_only || undefined };
      const { records: servers, page } = await list(filter, {
        metadata_fields,
        toRecord: (record, projection) => serverRecord(record, projection, include_tools),
      });
      return { status: 200, body: { servers, ...page } };
    },
    async listServerTools({ params }) {
      const { entity } = await read(params.path);
      return toolList(entity, listedTools(entity));
    },
    rateServer: ({ params, body }) => rate(params.path, body),
    getServerRating: ({ params }) => rating(params.path),
    getServer: ({ params }) => get(params.path),
    putServer: async ({ params: { path }, body }) => replace(path, await changesTo(path, body)),
    patchServer: async ({ params: { path }, body }) => patch(path, await changesTo(path, body)),
    deleteServer: ({ params }) => remove(params.path),
  };
}
