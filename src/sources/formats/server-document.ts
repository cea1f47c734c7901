import { DowserError } from '../../model/errors/errors.ts';
import { isJsonObject, type JsonObject, stated } from '../../model/json/json-object.ts';
import { jsonChars } from '../../model/parse/check-json.ts';
import { LIMITS } from '../../model/parse/limits.ts';
import { showValue } from '../../model/parse/parse.ts';

const objects = (value: unknown): readonly JsonObject[] => (Array.isArray(value) ? value.filter(isJsonObject) : []);
const text = (value: unknown, max: number): string | undefined =>
  typeof value === 'string' && value.trim() !== '' && value.length <= max ? value : undefined;

/** The key of the official registry's own data. */
const OFFICIAL = 'io.modelcontextprotocol.registry/official';

export interface RegistryEntry {
  readonly name: string;
  readonly entity: JsonObject;
  readonly status: 'active' | 'deprecated' | 'deleted';
  readonly isLatest: boolean;
  readonly updatedAt?: string;
}

/**
 * Reads a `server.json`, or a server card, which has the same fields. Tolerant: an invalid field is dropped; only a missing
 * name is refused. `packages` and `remotes` are kept in the metadata, whatever else has no field of its own in `server_json`.
 */
export function readServerDocument(document: unknown): JsonObject {
  const name = isJsonObject(document) ? text(document.name, 512) : undefined;
  if (!isJsonObject(document) || name === undefined) {
    const found = isJsonObject(document) ? document.name : document;
    throw new DowserError('INVALID_FILE', `'name' of the server document is ${showValue(found)}: must be text.`, {
      field: 'name',
      hint: 'Use a name such as io.github.someone/some-server.',
    });
  }
  const packages = objects(document.packages);
  const remotes = objects(document.remotes);
  const endpoint = (type: string) => text(remotes.find((remote) => remote.type === type)?.url, 2048);
  const transports = [
    ...remotes.map(({ type }) => type),
    ...packages.map(({ transport }) => isJsonObject(transport) && transport.type),
  ];
  const repository = isJsonObject(document.repository)
    ? text(document.repository.url, 2048)
    : text(document.repository, 2048);
  return stated({
    type: 'mcp_server',
    path: `/${name}`,
    name: text(document.title, 1024) ?? name,
    description: text(document.description, 100_000),
    version: text(document.version, 128),
    homepage: text(document.websiteUrl, 2048),
    repository,
    mcp_endpoint: endpoint('streamable-http'),
    sse_endpoint: endpoint('sse'),
    supported_transports: [...new Set(transports.filter((type) => typeof type === 'string' && type !== ''))],
    deployment: remotes.length === 0 && packages.length > 0 ? 'local' : 'remote',
    metadata: stated({
      server_name: name,
      packages: packages.length === 0 ? undefined : packages,
      remotes: remotes.length === 0 ? undefined : remotes,
    }),
    server_json: publishedOf(document),
  });
}

function publishedOf(document: JsonObject): JsonObject {
  const { $schema, repository, icons, _meta, version } = document;
  const long = text(version, 128) === undefined ? text(version, 255) : undefined;
  const published = stated({
    $schema: text($schema, 2048),
    version: long,
    repository: isJsonObject(repository) ? repository : undefined,
    icons: Array.isArray(icons) ? icons : undefined,
    _meta: isJsonObject(_meta) ? _meta : undefined,
  });
  // Too much for one field of an entity: the server matters more than its icons.
  return jsonChars(published, LIMITS.object_chars.max) > LIMITS.object_chars.max ? {} : published;
}

/** Reads one entry of a registry's list: `{server, _meta}`, or a bare server document. */
export function readRegistryEntry(entry: unknown): RegistryEntry {
  const wrapped =
    isJsonObject(entry) && isJsonObject(entry.server)
      ? entry
      : { server: entry, _meta: isJsonObject(entry) ? entry._meta : {} };
  const entity = readServerDocument(wrapped.server);
  const meta = isJsonObject(wrapped._meta) && isJsonObject(wrapped._meta[OFFICIAL]) ? wrapped._meta[OFFICIAL] : {};
  const status = meta.status === 'deprecated' || meta.status === 'deleted' ? meta.status : 'active';
  const updatedAt = text(meta.updatedAt, 64);
  const status_message = text(meta.statusMessage, 500);
  return {
    name: (entity.metadata as { server_name: string }).server_name,
    entity: {
      ...entity,
      ...(status === 'deprecated' ? { status } : {}),
      ...(status_message === undefined ? {} : { status_message }),
    },
    status,
    isLatest: meta.isLatest !== false,
    ...(updatedAt === undefined ? {} : { updatedAt }),
  };
}
