import { z } from 'zod';
import type { VirtualServer } from '../../model/entity.ts';
import { toolMappingSchema } from '../../model/entity-types/virtual-server.ts';
import type { Projection } from '../../model/parse/projection.ts';
import { type AssetFacts, assetFields, assetRecord, warnings } from './asset-record.ts';

export const scopeOverrides = z
  .array(z.object({ tool_alias: z.string(), required_scopes: z.array(z.string()) }))
  .max(500);

export const virtualServerRecordSchema = z.object({
  server_name: z.string(),
  ...assetFields,
  tool_mappings: z.array(toolMappingSchema.omit({ inherited: true })),
  num_tools: z.int(),
  tool_count: z.int(),
  backend_count: z.int(),
  backend_paths: z.array(z.string()),
  required_scopes: z.array(z.string()),
  tool_scope_overrides: scopeOverrides,
  supported_transports: z.array(z.string()),
  created_by: z.string().nullable(),
  warnings: warnings.exactOptional(),
});
export type VirtualServerRecord = z.output<typeof virtualServerRecordSchema>;

export function virtualServerRecord(
  server: VirtualServer,
  facts: AssetFacts,
  projection: Projection | null,
): VirtualServerRecord {
  const backends = [...new Set(server.tool_mappings.map((mapping) => mapping.backend_server_path))];
  return assetRecord(server, facts, projection, {
    server_name: server.name,
    tool_mappings: server.tool_mappings.map(({ inherited: _, ...mapping }) => mapping),
    num_tools: server.tool_mappings.length,
    tool_count: server.tool_mappings.length,
    backend_count: backends.length,
    backend_paths: backends,
    required_scopes: server.required_scopes,
    tool_scope_overrides: server.tool_scope_overrides,
    supported_transports: server.supported_transports,
    created_by: server.created_by ?? null,
  });
}
