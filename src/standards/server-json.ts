import { z } from 'zod';
import type { McpServer } from '../model/entity.ts';
import type { DiscoverableRecord } from './ard-entry.ts';
import { clipText, webUrl } from './fitting-text.ts';
import { packagesOf } from './server-packages.ts';
import { remotesOf } from './server-remotes.ts';

/** The schema of our documents. */
const SERVER_JSON_SCHEMA = 'https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json';
/** The key of the official registry's own data. Its schema allows no other fields. */
export const OFFICIAL_META = 'io.modelcontextprotocol.registry/official';
/** The key of our own data. */
const DOWSER_META = 'local.dowser/entity';

/** The version of a server without one. */
const DEFAULT_VERSION = '1.0.0';
const MAX_DESCRIPTION_CHARS = 100;
const MAX_TITLE_CHARS = 100;
const MAX_VERSION_CHARS = 255;

const looseObject = z.record(z.string(), z.unknown());
const timestamp = z.string().meta({ format: 'date-time' });

export const serverDetailSchema = z.object({
  $schema: z.string(),
  name: z.string().describe('`namespace/name`, unique for each entity.'),
  title: z.string().optional(),
  description: z.string().describe('1 to 100 characters.'),
  version: z.string(),
  repository: z.object({ url: z.string(), source: z.string() }).optional(),
  websiteUrl: z.string().optional(),
  packages: z.array(looseObject).optional().describe('How to run it locally.'),
  remotes: z.array(looseObject).optional().describe('Where it is hosted.'),
});
export type ServerDetail = z.output<typeof serverDetailSchema>;

const OFFICIAL_STATUSES = ['active', 'deprecated', 'deleted'] as const;

export const serverResponseSchema = z.object({
  server: serverDetailSchema,
  _meta: z.object({
    [OFFICIAL_META]: z.object({
      status: z.enum(OFFICIAL_STATUSES),
      statusChangedAt: timestamp,
      publishedAt: timestamp,
      updatedAt: timestamp,
      isLatest: z.boolean(),
    }),
    [DOWSER_META]: z.object({
      path: z.string(),
      status: z.string(),
      tags: z.array(z.string()),
      tools: z.int().describe('The number of its tools.'),
    }),
  }),
});
export type ServerResponse = z.output<typeof serverResponseSchema>;

export const serverListSchema = z.object({
  servers: z.array(serverResponseSchema),
  metadata: z.object({ nextCursor: z.string().optional(), count: z.int().min(0) }),
});
export type ServerList = z.output<typeof serverListSchema>;

/** `^1.2`, `>=1`, `1.x`, `*`, `1 - 2`, `latest`: versions that the official registry refuses. */
const NO_VERSION = /^[\^~]|[<>=|*]|\s-\s|(?:^|\.)[xX](?:\.|$)|^latest$/;

/** The version of an entity. A range is not a version. */
export function versionOf(version: string | undefined): string {
  const said = version?.trim() ?? '';
  return said === '' || said.length > MAX_VERSION_CHARS || NO_VERSION.test(said) ? DEFAULT_VERSION : said;
}

export function toServerDetail(server: McpServer, name: string): ServerDetail {
  const packages = packagesOf(server);
  const remotes = remotesOf(server);
  const websiteUrl = webUrl(server.homepage);
  const repository = repositoryOf(server.repository);
  const title = clipText(server.name, MAX_TITLE_CHARS);
  const description = clipText(server.description, MAX_DESCRIPTION_CHARS);
  return {
    $schema: SERVER_JSON_SCHEMA,
    name,
    ...(title === '' ? {} : { title }),
    description: [description, title].find((text) => text !== '') ?? clipText(name, MAX_DESCRIPTION_CHARS),
    version: versionOf(server.version),
    ...(repository === undefined ? {} : { repository }),
    ...(websiteUrl === undefined ? {} : { websiteUrl }),
    ...(packages.length === 0 ? {} : { packages: [...packages] }),
    ...(remotes.length === 0 ? {} : { remotes: [...remotes] }),
  };
}

/** A server in the format of the official registry's API. The time of the last write is used as that of its status. */
export function toServerResponse(
  { entity, created_at, updated_at }: DiscoverableRecord<McpServer>,
  name: string,
): ServerResponse {
  return {
    server: toServerDetail(entity, name),
    _meta: {
      [OFFICIAL_META]: {
        status: entity.status === 'deprecated' ? 'deprecated' : 'active',
        statusChangedAt: updated_at,
        publishedAt: created_at,
        updatedAt: updated_at,
        isLatest: true,
      },
      [DOWSER_META]: { path: entity.path, status: entity.status, tags: entity.tags, tools: entity.tools.length },
    },
  };
}

const HOSTS: Readonly<Record<string, string>> = { 'github.com': 'github', 'gitlab.com': 'gitlab' };

function repositoryOf(repository: string | undefined): ServerDetail['repository'] {
  const url = webUrl(repository);
  if (url === undefined) return undefined;
  const host = new URL(url).hostname.replace(/^www\./, '');
  return { url, source: HOSTS[host] ?? host };
}
