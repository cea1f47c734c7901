import type { Handlers, OperationResult } from '../../api/contract.ts';
import type { serverOperations } from '../../api/operations/server-operations.ts';
import type { McpServer } from '../../model/entity.ts';
import { withoutNulls } from '../../model/json-object.ts';
import type { Projection } from '../../model/projection.ts';
import type { Fields, RatedRecord } from '../../registry/operations/entity-operations.ts';
import type { ScopedRegistry } from '../../registry/registry.ts';
import { ratedEntities } from './rated-entities.ts';
import { checkAddresses, expectAddress } from './server-address.ts';
import {
  commonFields,
  fromWire,
  registeredMessage,
  registeredPath,
  SAME_NAMES,
  type WireFields,
} from './wire-record.ts';

type ServerRecord = OperationResult<'getServer'>;

const NAMES = {
  ...SAME_NAMES,
  name: 'name',
  server_name: 'name',
  url: 'url',
  proxy_pass_url: 'url',
  supported_transports: 'supported_transports',
  tools: 'tools',
  tool_list: 'tools',
  tool_list_json: 'tools',
  mcp_endpoint: 'mcp_endpoint',
  sse_endpoint: 'sse_endpoint',
  provider: 'provider',
  provider_organization: 'provider',
  provider_url: 'provider_url',
  auth_scheme: 'auth_scheme',
  deployment: 'deployment',
  local_runtime: 'local_runtime',
} as const;

function serverFields({ transport, ...body }: Fields): WireFields {
  const { fields, warnings } = fromWire(body, NAMES, 'a server');
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
  const { read, get, list, toggle, remove, rate, rating, duplicates } = entities;

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
      const tools = listedTools(entity);
      return {
        status: 200,
        body: { path: entity.path, server_name: entity.name, num_tools: tools.length, tools },
      };
    },
    rateServer: ({ params, body }) => rate(params.path, body),
    getServerRating: ({ params }) => rating(params.path),
    getServer: ({ params }) => get(params.path),
    async putServer({ params, body }) {
      const { fields, warnings } = serverFields(body);
      checkAddresses(fields, (await read(params.path)).entity);
      const result = await registry.change('mcp_server', params.path, () => fields);
      return get(result.path, [...warnings, ...result.warnings]);
    },
    async patchServer({ params, body }) {
      const { fields, warnings } = serverFields(body);
      checkAddresses(fields, (await read(params.path)).entity);
      const result = await registry.patch('mcp_server', params.path, fields);
      return get(result.path, [...warnings, ...result.warnings]);
    },
    deleteServer: ({ params }) => remove(params.path),
  };
}
