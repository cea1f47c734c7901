import { randomUUID } from 'node:crypto';
import type { WebSignIn } from '../../access/open-access.ts';
import type { Handlers } from '../../api/contract.ts';
import type { gatewayOperations } from '../../api/operations/gateway-operations.ts';
import type { Memories } from '../../memories/memories.ts';
import type { Caller } from '../../model/caller/caller.ts';
import { idOf, type McpServer } from '../../model/entity.ts';
import { MAX_LIST_LIMIT } from '../../registry/contract/entity-operations.ts';
import type { RatedRecord, ScopedRegistry } from '../../registry/contract/registry.ts';
import { withoutTools } from '../../registry/search/denied-tools.ts';
import { toConnectConfig } from '../../standards/gateway/connect-config.ts';
import {
  NO_SIGN_IN,
  type SignInFacts,
  toConfig,
  toServerHealth,
  toStats,
  toUser,
} from '../../standards/gateway/front-end.ts';
import { listedTools, serverRecord } from '../../standards/gateway/server-record.ts';
import { officialNameOf } from '../../standards/official/official-name.ts';
import { toServerDetail } from '../../standards/official/server-json.ts';
import { counts } from '../memory-service/service-routes.ts';

/** The word for every server, in place of a path. */
const ALL = 'all';

interface GatewayParts {
  readonly caller: Caller;
  readonly signIn: SignInFacts;
  /** How people sign in on the web page. Null: with a key only. */
  readonly webSignIn: WebSignIn | null;
  /** Whether tools of registered servers may be called. */
  readonly calls: boolean;
  readonly registry: ScopedRegistry;
  readonly memories: Memories;
  readonly version: string;
  /** The namespace of names in the format of the official MCP registry. */
  readonly namespace: string;
  /** The routes of servers, which forms share. */
  readonly servers: Pick<Handlers, 'registerServer' | 'patchServer' | 'toggleServer'>;
  /** Reads a server at its address. */
  readonly refresh: (path: string) => Promise<RatedRecord>;
}

/** The routes that only the clients and the web page of the MCP gateway registry use. */
export function gatewayHandlers(parts: GatewayParts): Pick<Handlers, keyof typeof gatewayOperations> {
  const { registry, memories, version, namespace, servers, refresh } = parts;
  const startedAt = new Date();
  const serverAt = async (path: string) => (await registry.rated('mcp_server', path)).record.entity as McpServer;

  async function* allServers(): AsyncGenerator<RatedRecord> {
    for (let offset = 0; ; offset += MAX_LIST_LIMIT) {
      const page = await registry.list({ type: 'mcp_server', limit: MAX_LIST_LIMIT, offset });
      yield* page.records;
      if (!page.has_next) return;
    }
  }

  return {
    async listServerHealth() {
      const health: Parameters<typeof toServerHealth>[0] = [];
      for await (const { entity, health_status, health_error, last_checked_at } of allServers()) {
        const { path, name, is_enabled, tools } = entity as McpServer;
        const checked = { status: health_status, health_error, last_checked_iso: last_checked_at };
        health.push({ path, server_name: name, is_enabled, ...checked, num_tools: tools.length });
      }
      return { status: 200, body: toServerHealth(health) };
    },
    getConnectConfig: async ({ params }) => ({ status: 200, body: toConnectConfig(await serverAt(params.path)) }),
    async getServerJson({ params }) {
      const server = await serverAt(params.path);
      return { status: 200, body: toServerDetail(server, officialNameOf(server, namespace)) };
    },
    getConfig: async () => ({ status: 200, body: toConfig(parts.signIn, parts.calls) }),
    getVersion: async () => ({ status: 200, body: { version } }),
    async getStats() {
      const { index, store, status } = await registry.health();
      const facts = { version, startedAt, now: new Date(), engine: store.engine, isHealthy: status === 'healthy' };
      // Clients of the memory service ask the same route for their counts.
      return { status: 200, body: { ...(await counts(memories)), ...toStats({ ...facts, byType: index.by_type }) } };
    },
    getUser: async () => ({ status: 200, body: toUser(parts.caller) }),
    getCsrfToken: async () => ({ status: 200, body: { csrf_token: randomUUID() } }),
    getAuthConfig: async () => ({ status: 200, body: { ...NO_SIGN_IN, sign_in: await signInOf(parts.webSignIn) } }),
    listAuthProviders: async () => ({ status: 200, body: { providers: [] } }),
    async getServerDetails({ params: { path } }) {
      const recordOf = (rated: RatedRecord) => serverRecord(rated.entity as McpServer, rated, null);
      if (path !== ALL) return { status: 200, body: recordOf((await registry.rated('mcp_server', path)).record) };
      const records = new Map<string, ReturnType<typeof recordOf>>();
      for await (const record of allServers()) records.set(record.entity.path, recordOf(record));
      return { status: 200, body: Object.fromEntries(records) };
    },
    async getServerTools({ params: { path } }) {
      const asked: McpServer[] = [];
      if (path !== ALL) asked.push(await serverAt(path));
      else for await (const { entity } of allServers()) asked.push(entity as McpServer);
      const denied = await registry.deniedTools();
      const tools = asked.flatMap((server) =>
        listedTools(withoutTools(server, denied.get(idOf(server)))).map((tool) => ({
          ...tool,
          server_path: server.path,
        })),
      );
      const service_path = path === ALL ? ALL : asked[0]!.path;
      return { status: 200, body: { service_path, tools, num_tools: tools.length } };
    },
    async refreshServer({ params }) {
      const { entity, health_status, health_error, last_checked_at } = await refresh(params.path);
      const { path, tools } = entity as McpServer;
      const found = `${path} has ${tools.length} tools.`;
      const message = health_error === null ? found : `${path} does not answer: ${health_error}`;
      const checked = { status: health_status, health_error, last_checked_iso: last_checked_at };
      return { status: 200, body: { message, service_path: path, ...checked, num_tools: tools.length } };
    },
    toggleServerByForm: ({ params: { path }, body: { enabled }, headers }) =>
      servers.toggleServer({ body: { path, new_state: enabled }, headers }),
    editServer: (input) => servers.patchServer(input),
    registerServerByForm: (input) => servers.registerServer(input),
    ping: async () => ({ status: 200, body: { status: 'healthy', service: 'dowser', version } }),
  };
}

async function signInOf(web: WebSignIn | null) {
  if (web === null) return null;
  const { issuer, clientId: client_id, scopes, resource } = web;
  return { issuer, client_id, scope: scopes.join(' '), resource, endpoints: await web.endpoints(true) };
}
