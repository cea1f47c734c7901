import { z } from 'zod';
import type { McpServer } from '../../model/entity.ts';
import { isJsonObject, type JsonObject } from '../../model/json/json-object.ts';
import type { DiscoverableRecord } from '../ard/ard-entry.ts';
import { clipText, fittingText, webUrl } from '../text/fitting-text.ts';
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
  $schema: z.string().optional(),
  name: z.string().describe('`namespace/name`, unique for each entity.'),
  title: z.string().optional(),
  description: z.string().describe('1 to 100 characters.'),
  version: z.string(),
  repository: z
    .object({ url: z.string(), source: z.string(), id: z.string().optional(), subfolder: z.string().optional() })
    .optional(),
  websiteUrl: z.string().optional(),
  icons: z.array(looseObject).optional(),
  packages: z.array(looseObject).optional().describe('How to run it locally.'),
  remotes: z.array(looseObject).optional().describe('Where it is hosted.'),
  _meta: looseObject.optional().describe('Data of the publisher.'),
});
export type ServerDetail = z.output<typeof serverDetailSchema>;

const OFFICIAL_STATUSES = ['active', 'deprecated', 'deleted'] as const;

export const serverResponseSchema = z.object({
  server: serverDetailSchema,
  _meta: z.object({
    [OFFICIAL_META]: z.object({
      status: z.enum(OFFICIAL_STATUSES),
      statusMessage: z.string().optional(),
      statusChangedAt: timestamp,
      publishedAt: timestamp,
      updatedAt: timestamp,
      isLatest: z.boolean(),
    }),
    [DOWSER_META]: z
      .object({
        path: z.string(),
        status: z.string(),
        tags: z.array(z.string()),
        tools: z.int().describe('The number of its tools.'),
      })
      .optional()
      .describe('Absent for a server that is no longer listed.'),
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

/** A server as `server.json`. What its publisher wrote comes back unchanged; only a text that is too long is clipped. */
export function toServerDetail(server: McpServer, name: string): ServerDetail {
  const { server_json: published, metadata } = server;
  const packages = packagesOf(server);
  const remotes = remotesOf(server);
  const websiteUrl = webUrl(server.homepage);
  const repository = repositoryOf(server.repository, published?.repository);
  const isTitle = server.name !== name && server.name !== metadata.server_name;
  const title = isTitle ? fittingText(server.name, MAX_TITLE_CHARS) : '';
  const description = fittingText(server.description, MAX_DESCRIPTION_CHARS);
  const $schema = schemaOf(published);
  const icons = (Array.isArray(published?.icons) ? published.icons : []).filter(isIcon);
  const meta = publisherMeta(published?._meta);
  return {
    ...($schema === undefined ? {} : { $schema }),
    name,
    ...(title === '' ? {} : { title }),
    description:
      [description, clipText(server.name, MAX_TITLE_CHARS)].find((text) => text !== '') ??
      clipText(name, MAX_DESCRIPTION_CHARS),
    version: versionOf(server.version ?? textOf(published?.version)),
    ...(repository === undefined ? {} : { repository }),
    ...(websiteUrl === undefined ? {} : { websiteUrl }),
    ...(icons.length === 0 ? {} : { icons }),
    ...(packages.length === 0 ? {} : { packages: [...packages] }),
    ...(remotes.length === 0 ? {} : { remotes: [...remotes] }),
    ...(meta === undefined ? {} : { _meta: meta }),
  };
}

/** A document of another format, such as a server card, is served in this one. */
function schemaOf(published: JsonObject | undefined): string | undefined {
  const said = published === undefined ? SERVER_JSON_SCHEMA : textOf(published.$schema);
  return said === undefined || /\/server\.schema\.json$/.test(said) ? said : SERVER_JSON_SCHEMA;
}

const textOf = (value: unknown) => (typeof value === 'string' && value.trim() !== '' ? value : undefined);

const isIcon = (icon: unknown): icon is Record<string, unknown> =>
  isJsonObject(icon) && typeof icon.src === 'string' && webUrl(icon.src) !== undefined;

/** The registry's own data is ours to say. */
function publisherMeta(said: unknown): Record<string, unknown> | undefined {
  if (!isJsonObject(said)) return undefined;
  const { [OFFICIAL_META]: _, ...meta } = said;
  return Object.keys(meta).length === 0 ? undefined : meta;
}

/** A server in the format of the official registry's API. The time of the last write is used as that of its status. */
export function toServerResponse(
  { entity, created_at, updated_at }: DiscoverableRecord<McpServer>,
  name: string,
  isLatest = true,
): ServerResponse {
  return {
    server: toServerDetail(entity, name),
    _meta: {
      [OFFICIAL_META]: {
        status: entity.status === 'deprecated' ? 'deprecated' : 'active',
        ...(entity.status_message === undefined ? {} : { statusMessage: entity.status_message }),
        statusChangedAt: updated_at,
        publishedAt: created_at,
        updatedAt: updated_at,
        isLatest,
      },
      [DOWSER_META]: { path: entity.path, status: entity.status, tags: entity.tags, tools: entity.tools.length },
    },
  };
}

/** A server that was listed before: its name and version, and since when it is gone. */
export function toDeletedResponse(name: string, version: string, at: string): ServerResponse {
  const server = { $schema: SERVER_JSON_SCHEMA, name, description: 'No longer listed here.', version };
  const times = { statusChangedAt: at, publishedAt: at, updatedAt: at };
  return { server, _meta: { [OFFICIAL_META]: { status: 'deleted', ...times, isLatest: true } } };
}

const HOSTS: Readonly<Record<string, string>> = { 'github.com': 'github', 'gitlab.com': 'gitlab' };

/** The published repository, with its id and folder, unless the entity has got another one since. */
function repositoryOf(repository: string | undefined, published: unknown): ServerDetail['repository'] {
  const url = webUrl(repository);
  if (url === undefined) return undefined;
  const said: JsonObject = isJsonObject(published) && published.url === repository ? published : {};
  const host = new URL(url).hostname.replace(/^www\./, '');
  const { id, subfolder } = said;
  return {
    url,
    source: textOf(said.source) ?? HOSTS[host] ?? host,
    ...(typeof id === 'string' ? { id } : {}),
    ...(typeof subfolder === 'string' ? { subfolder } : {}),
  };
}
