import type { Handlers } from '../../api/contract.ts';
import type { serverOperations } from '../../api/operations/server-operations.ts';
import { ifFound } from '../../api/wire/if-found.ts';
import { idOf } from '../../model/entity.ts';
import { withoutNulls } from '../../model/json/json-object.ts';
import { parseProjection } from '../../model/parse/projection.ts';
import { serverVersion } from '../../model/server-version.ts';
import type { Fields } from '../../registry/contract/entity-operations.ts';
import type { ScopedRegistry } from '../../registry/contract/registry.ts';
import { withoutTools } from '../../registry/search/denied-tools.ts';
import { listedTools, type ServerRecord, serverRecord } from '../../standards/gateway/server-record.ts';
import { toServerVersions } from '../../standards/gateway/server-versions.ts';
import { ratedEntities, recordsOf } from './rated-entities.ts';
import { checkAddresses, expectAddress } from './server-address.ts';
import { fromWire, registeredMessage, registeredPath, toolList, type WireFields } from './wire-record.ts';

const ALIASES = {
  server_name: 'name',
  proxy_pass_url: 'url',
  tool_list: 'tools',
  tool_list_json: 'tools',
  provider_organization: 'provider',
} as const;

/** The word for the status of a released version. */
const STABLE = 'stable';

function serverFields({ transport, status, ...body }: Fields): WireFields {
  const isStable = typeof status === 'string' && status.trim().toLowerCase() === STABLE;
  const sent = status === undefined ? body : { ...body, status: isStable ? 'active' : status };
  const { fields, warnings } = fromWire(sent, 'mcp_server', 'a server', ALIASES);
  if (typeof transport !== 'string' || transport === '' || fields.supported_transports !== undefined) {
    return { fields, warnings };
  }
  return { fields: { ...fields, supported_transports: [transport] }, warnings };
}

const SERVERS = recordsOf(serverRecord);
const SERVERS_WITHOUT_TOOLS = recordsOf<'mcp_server', ServerRecord>((server, facts, projection) =>
  serverRecord(server, facts, projection, false),
);
/** Servers that have no version besides their own. */
const SERVERS_OF_ONE_VERSION = recordsOf<'mcp_server', ServerRecord>((server, facts, projection) => {
  const own = { version: serverVersion(server), is_default: true, entity: server, added_at: facts.created_at };
  return { ...serverRecord(server, facts, projection), versions: toServerVersions([own]).versions };
});

/** Calls `onRegistered` for every server that was registered again or got another default version. */
export function serverHandlers(
  registry: ScopedRegistry,
  onRegistered: (path: string) => void = () => {},
): Pick<Handlers, keyof typeof serverOperations> {
  const entities = ratedEntities(registry, 'mcp_server', SERVERS);
  const { read, list, replace, patch, toggle, remove, rate, rating, duplicates } = entities;

  async function changed(path: string, body: Fields, change: typeof patch) {
    const wire = serverFields(body);
    checkAddresses(wire.fields, (await read(path)).entity);
    return withVersions(await change(path, wire));
  }

  async function withVersions<R extends { readonly body: { readonly path: string } }>(reply: R) {
    const { versions } = toServerVersions(await registry.versions(reply.body.path));
    return { ...reply, body: { ...reply.body, versions } };
  }

  /** Whether a registration names another version than that of the stored server. An example is replaced whole. */
  async function isOtherVersion(path: string, version: unknown): Promise<boolean> {
    if (typeof version !== 'string' || version === '') return false;
    const [current] = (await ifFound(registry.versions(path))) ?? [];
    return current !== undefined && current.version !== version && !(await registry.isExample('mcp_server', path));
  }

  async function versionChanged(path: string, version: string, message: string) {
    const { path: at, default_version } = toServerVersions(await registry.versions(path));
    return { status: 200 as const, body: { status: 'success' as const, message, path: at, version, default_version } };
  }

  return {
    async registerServer({ body }) {
      const { fields, warnings } = serverFields(body);
      expectAddress(fields);
      checkAddresses(fields);
      const entity = { ...withoutNulls(fields), type: 'mcp_server', path: registeredPath(body.path) };
      if (await isOtherVersion(entity.path, fields.version)) {
        await registry.addVersion(entity, { overwrite: body.overwrite });
        const { path } = entity;
        const message = `Version ${fields.version} of ${body.name} is added at ${path}.`;
        return { status: 201, body: { path, name: body.name, message, warnings: [...warnings] } };
      }
      const result = await registry.register(entity, { overwrite: body.overwrite });
      onRegistered(result.path);
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
        toRecord: include_tools ? SERVERS : SERVERS_WITHOUT_TOOLS,
      });
      return { status: 200, body: { servers, ...page } };
    },
    async listServerTools({ params }) {
      const { entity } = await read(params.path);
      const denied = (await registry.deniedTools()).get(idOf(entity));
      return toolList(entity, listedTools(withoutTools(entity, denied)));
    },
    async getServerVersions({ params }) {
      return { status: 200, body: toServerVersions(await registry.versions(params.path)) };
    },
    async setDefaultServerVersion({ params, body: { version } }) {
      const { path } = await registry.setDefaultVersion(params.path, version);
      onRegistered(path);
      return versionChanged(path, version, `${version} is the default version of ${path}.`);
    },
    async removeServerVersion({ params: { path, version } }) {
      await registry.removeVersion(path, version);
      return versionChanged(path, version, `Version ${version} of ${path} is removed.`);
    },
    rateServer: ({ params, body }) => rate(params.path, body),
    getServerRating: ({ params }) => rating(params.path),
    async getServer({ params, query }) {
      const projection = parseProjection(query.metadata_fields ?? null);
      const { entity, rated, headers } = await read(params.path);
      const { versions } = toServerVersions(await registry.versions(entity.path));
      const body =
        versions.length === 1 ? SERVERS_OF_ONE_VERSION(rated, projection) : { ...SERVERS(rated, projection), versions };
      return { status: 200, body, headers };
    },
    putServer: ({ params, body }) => changed(params.path, body, replace),
    patchServer: ({ params, body }) => changed(params.path, body, patch),
    deleteServer: ({ params }) => remove(params.path),
  };
}
