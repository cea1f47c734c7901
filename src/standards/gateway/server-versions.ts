import { z } from 'zod';
import { type McpServer, STATUSES } from '../../model/entity.ts';

export const versionSchema = z.object({
  version: z.string(),
  is_default: z.boolean().describe('Search finds the default version.'),
  status: z.enum(STATUSES),
  description: z.string(),
  proxy_pass_url: z.string().nullable(),
  num_tools: z.int(),
  added_at: z.string().meta({ format: 'date-time' }),
});

export const serverVersionsSchema = z.object({
  path: z.string(),
  default_version: z.string(),
  versions: z.array(versionSchema).describe('The default version first.'),
});

export const versionChangedSchema = z.object({
  status: z.literal('success'),
  message: z.string(),
  path: z.string(),
  version: z.string(),
  default_version: z.string(),
});

interface Version {
  readonly version: string;
  readonly is_default: boolean;
  readonly entity: McpServer;
  readonly added_at: string;
}

/** `versions` begins with the default one. */
export function toServerVersions(versions: readonly Version[]): z.output<typeof serverVersionsSchema> {
  const [current] = versions;
  return {
    path: current?.entity.path ?? '',
    default_version: current?.version ?? '',
    versions: versions.map(({ version, is_default, entity, added_at }) => ({
      version,
      is_default,
      status: entity.status,
      description: entity.description,
      proxy_pass_url: entity.url ?? null,
      num_tools: entity.tools.length,
      added_at,
    })),
  };
}
