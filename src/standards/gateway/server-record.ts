import { z } from 'zod';
import type { McpServer } from '../../model/entity.ts';
import type { Projection } from '../../model/parse/projection.ts';
import { FIRST_VERSION, serverVersion } from '../../model/server-version.ts';
import { type AssetFacts, anyObject, assetFields, assetRecord, warnings } from './asset-record.ts';
import { versionSchema } from './server-versions.ts';

export const toolSchema = z.object({
  name: z.string(),
  description: z.string(),
  inputSchema: anyObject.exactOptional(),
  examples: z.array(z.string()).exactOptional().describe('Example requests.'),
});

export const serverRecordSchema = z.object({
  server_name: z.string(),
  display_name: z.string(),
  ...assetFields,
  default_version: z.string().describe(`The version that search finds. \`${FIRST_VERSION}\` if the server names none.`),
  proxy_pass_url: z.string().nullable(),
  mcp_endpoint: z.string().nullable(),
  sse_endpoint: z.string().nullable(),
  transport: z.string().nullable().describe('The first of `supported_transports`.'),
  supported_transports: z.array(z.string()),
  auth_scheme: z.string().nullable(),
  deployment: z.enum(['remote', 'local']),
  local_runtime: anyObject.nullable(),
  provider: z.string().nullable(),
  provider_url: z.string().nullable(),
  homepage: z.string().nullable(),
  repository: z.string().nullable(),
  num_tools: z.int(),
  tool_list: z.array(toolSchema).exactOptional(),
  versions: z
    .array(versionSchema)
    .exactOptional()
    .describe('Only where one server is read. The default version first.'),
  warnings: warnings.exactOptional(),
});
export type ServerRecord = z.output<typeof serverRecordSchema>;

export function listedTools(server: McpServer) {
  return server.tools.map(({ examples, ...tool }) => ({ ...tool, ...(examples.length === 0 ? {} : { examples }) }));
}

export function serverRecord(
  server: McpServer,
  facts: AssetFacts,
  projection: Projection | null,
  tools = true,
): ServerRecord {
  return assetRecord(server, facts, projection, {
    server_name: server.name,
    display_name: server.name,
    default_version: serverVersion(server),
    proxy_pass_url: server.url ?? null,
    mcp_endpoint: server.mcp_endpoint ?? null,
    sse_endpoint: server.sse_endpoint ?? null,
    transport: server.supported_transports[0] ?? null,
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
  });
}
