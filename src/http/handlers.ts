import type { Access } from '../access/open-access.ts';
import type { Handlers } from '../api/contract.ts';
import type { Unchanged } from '../api/operation.ts';
import type { Evaluation } from '../api/operations/evaluation-operations.ts';
import { searchToolsFormat, withoutUnusedFields } from '../api/search-tools.ts';
import { toToolReferences } from '../api/tool-references.ts';
import { collectionPath } from '../documents/document-parts.ts';
import type { Documents } from '../documents/documents.ts';
import type { Memories } from '../memories/memories.ts';
import { type Caller, hasRight } from '../model/caller.ts';
import type { McpServer } from '../model/entity.ts';
import { DowserError } from '../model/errors.ts';
import { parseWith } from '../model/parse.ts';
import type { Observed } from '../registry/provenance/observation.ts';
import type { EntityRecord, Replica, ScopedRegistry, VectorServer } from '../registry/registry.ts';
import { checkInstalled, toRegistered } from '../standards/client-check.ts';
import { namespaceOf } from '../standards/official-name.ts';
import type { ToolDiscovery } from './discovery/tool-discovery.ts';
import { checkReady } from './follow-revision.ts';
import { type AdminParts, adminHandlers } from './handlers/admin.ts';
import type { AgentJobs } from './handlers/agent-batches.ts';
import { agentHandlers } from './handlers/agents.ts';
import { documentHandlers } from './handlers/documents.ts';
import { embeddingHandlers } from './handlers/embeddings.ts';
import { withToolHint } from './handlers/entity-url.ts';
import { gatewayHandlers } from './handlers/gateway.ts';
import { memoryHandlers } from './handlers/memories.ts';
import { registryHandlers, tagOf } from './handlers/registry-handlers.ts';
import { serverHandlers } from './handlers/servers.ts';
import { skillHandlers } from './handlers/skills.ts';
import { virtualServerHandlers } from './handlers/virtual-servers.ts';
import type { ServerMetrics } from './metrics/server-metrics.ts';
import { openApiDocument } from './openapi-document.ts';
import { rememberRecords } from './remembered-records.ts';
import type { ServerLoad } from './server-load.ts';

export interface HandlerParts extends Pick<AdminParts, 'activity' | 'loaded' | 'openKeys'> {
  /** Whose registry it is. */
  readonly caller: Caller;
  /** Who may ask, and the audit log. Default: everyone, and there is none. */
  readonly access?: Pick<Access, 'required' | 'anonymousRead' | 'trail' | 'readAudit'> | undefined;
  readonly registry: ScopedRegistry;
  readonly memories: Memories;
  readonly replica: Replica | null;
  readonly damage: () => DowserError | null;
  readonly vectorServer: VectorServer | null;
  readonly documents: Documents;
  readonly version: string;
  /** Loads the example catalog. Default: there is none. */
  readonly loadExamples?: ((registry: ScopedRegistry) => Promise<readonly Observed[]>) | undefined;
  /** The figures of the last `dowser eval`. Default: there are none. */
  readonly readEvaluation?: (() => Promise<Evaluation>) | undefined;
  readonly load: ServerLoad;
  readonly metrics: Pick<ServerMetrics, 'text' | 'contentType'>;
  /** The public address of this server. Default: none. */
  readonly publicUrl?: string | undefined;
  /** The batches of the caller. Default: none so far. */
  readonly jobs?: AgentJobs | undefined;
  /** Whether tools of registered servers may be called. Default false. */
  readonly calls?: boolean | undefined;
  /** Reads registered servers at their addresses. Default: nothing does. */
  readonly discovery?: Pick<ToolDiscovery, 'registered' | 'refresh' | 'readCard' | 'readSkill'> | undefined;
}

/** Records of entities that were listed: most lists show what they showed before. */
const REMEMBERED = rememberRecords((record: Unchanged<EntityRecord>) => record);

/** The handlers of operations. They convert between HTTP and the registry. */
export function createHandlers(parts: HandlerParts): Handlers {
  const {
    caller,
    registry,
    memories,
    documents,
    replica,
    damage,
    vectorServer,
    version,
    load,
    metrics,
    publicUrl,
    discovery,
    access,
    calls = false,
  } = parts;
  const ofRegistry = registryHandlers(registry);
  const ofMemories = memoryHandlers(memories);
  const ofDocuments = documentHandlers(documents);
  const namespace = namespaceOf(publicUrl);
  const signIn = access ?? { required: false, anonymousRead: true };
  const onRegistered = (path: string) => discovery?.registered(path);
  const servers = serverHandlers(registry, onRegistered);
  const refresh = async (path: string) => {
    if (discovery !== undefined) {
      // Discovery sees everything: the caller must see the server too.
      await registry.get('mcp_server', path);
      return discovery.refresh(path);
    }
    throw new DowserError('NOT_IMPLEMENTED', 'This server does not read other servers.');
  };
  return {
    ...ofRegistry,
    async listEntities(input) {
      const { status, body } = await ofRegistry.listEntities(input);
      return { status, body: { ...body, entities: body.entities.map(REMEMBERED) } };
    },
    getEntity: (input) => ofRegistry.getEntity(input).catch(withToolHint(registry, input.params)),
    deleteEntity: (input) => ofRegistry.deleteEntity(input).catch(withToolHint(registry, input.params)),
    async putEntity({ params: { type, path }, query, body }) {
      const result = await registry.putAt(type, path, body, query);
      return { status: result.created ? (201 as const) : (200 as const), body: result, ...tagOf(result) };
    },
    async searchTools({ body }) {
      const { format, ...asked } = parseWith(searchToolsFormat, body, 'search request');
      const { request, warnings: unused } = withoutUnusedFields(asked);
      const { tools, warnings } = await registry.search({ ...request, entity_types: ['tool'] });
      return { status: 200, body: { ...toToolReferences(tools, format), warnings: [...unused, ...warnings] } };
    },
    async searchTags({ query: { limit } }) {
      const all = await registry.tags();
      const counts = all.slice(0, limit);
      return { status: 200, body: { tags: counts.map(({ tag }) => tag), counts, total_count: all.length } };
    },
    ...servers,
    ...gatewayHandlers({ caller, signIn, calls, registry, memories, version, namespace, servers, refresh }),
    ...agentHandlers(registry, discovery && ((address) => discovery.readCard(address)), parts.jobs),
    ...skillHandlers(registry, discovery && ((address) => discovery.readSkill(address))),
    ...virtualServerHandlers(registry),
    ...ofMemories,
    async getMemory(input) {
      const reply = await ofMemories.getMemory(input);
      return { ...reply, ...tagOf(await registry.get('memory', reply.body.path)) };
    },
    ...ofDocuments,
    async getCollection(input) {
      const reply = await ofDocuments.getCollection(input);
      return { ...reply, ...tagOf(await registry.get('document', collectionPath(reply.body.name))) };
    },
    ...embeddingHandlers(registry),
    ...adminHandlers(parts),
    async listAudit({ query: { since, ...query } }) {
      const isOn = access !== undefined && access.trail !== null;
      return {
        status: 200,
        body: {
          enabled: isOn,
          records: isOn
            ? [...(await access.readAudit({ ...query, since: since && new Date(since).toISOString() }))]
            : [],
        },
      };
    },
    async loadExamples() {
      if (parts.loadExamples === undefined) {
        throw new DowserError('NOT_IMPLEMENTED', 'This server has no example catalog.', {
          hint: 'Load it with `dowser examples load`.',
        });
      }
      const results = await parts.loadExamples(registry);
      const kept = results.filter(({ state }) => state === 'kept').length;
      return { status: 200, body: { loaded: results.length - kept, kept } };
    },
    async checkClientServers({ body }) {
      const servers: McpServer[] = [];
      for await (const { entity } of registry.all(['mcp_server'])) servers.push(entity as McpServer);
      return { status: 200, body: checkInstalled(body.servers, toRegistered(servers, namespace)) };
    },
    getEvaluation: async () => ({
      status: 200,
      body: (await parts.readEvaluation?.()) ?? { measured_at: null, sets: [] },
    }),
    async health() {
      const { store, ...health } = await registry.health();
      const { body_bytes, ...server } = load.report();
      // Where the data is, and how much others send, concerns those who run the server.
      if (!hasRight(caller, 'admin') && caller.readers !== null)
        return { status: 200, body: { ...health, store: { ...store, path: null, bytes: null }, server } };
      return { status: 200, body: { ...health, store, server: { ...server, body_bytes } } };
    },
    async ready() {
      checkReady({ damage, replica, vectorServer });
      return { status: 200, body: { status: 'ready' } };
    },
    async metrics() {
      return { status: 200, body: await metrics.text(), headers: { 'Content-Type': metrics.contentType } };
    },
    async openapi() {
      return { status: 200, body: await openApiDocument(version) };
    },
  };
}
