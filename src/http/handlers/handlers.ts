import type { Access } from '../../access/open-access.ts';
import { DOCUMENT_CALLS, type DocumentOperation } from '../../api/calls/document-calls.ts';
import { MEMORY_CALLS, type MemoryOperation } from '../../api/calls/memory-calls.ts';
import type { Handlers } from '../../api/contract.ts';
import { toOpenApi } from '../../api/openapi.ts';
import type { Unchanged } from '../../api/routes/operation.ts';
import { searchToolsFormat, withoutUnusedFields } from '../../api/tool-search/search-tools.ts';
import { toToolReferences } from '../../api/tool-search/tool-references.ts';
import { collectionPath } from '../../documents/collections/document-parts.ts';
import type { Documents } from '../../documents/contract/documents.ts';
import { chunkInCollection, searchCollection } from '../../documents/search/search-collection.ts';
import type { Memories } from '../../memories/memories.ts';
import { type Caller, hasRight } from '../../model/caller/caller.ts';
import type { McpServer } from '../../model/entity.ts';
import { DowserError } from '../../model/errors/errors.ts';
import { isJsonObject } from '../../model/json/json-object.ts';
import { parseWith } from '../../model/parse/parse.ts';
import type { Observed } from '../../registry/contract/observation.ts';
import type { EntityRecord, Replica, ScopedRegistry, VectorServer } from '../../registry/contract/registry.ts';
import { checkInstalled, toRegistered } from '../../standards/official/client-check.ts';
import { namespaceOf } from '../../standards/official/official-name.ts';
import { inTurns } from '../body/in-turns.ts';
import { rememberRecords } from '../body/remembered-records.ts';
import type { ToolDiscovery } from '../discovery/tool-discovery.ts';
import type { ServerLoad } from '../load/server-load.ts';
import type { ServerMetrics } from '../metrics/server-metrics.ts';
import { type AdminParts, adminHandlers } from './admin.ts';
import type { AgentJobs } from './agent-batches.ts';
import { agentHandlers } from './agents.ts';
import { embeddingHandlers } from './embeddings.ts';
import { withToolHint } from './entity-url.ts';
import { type Evaluations, evaluationHandlers } from './evaluation.ts';
import { gatewayHandlers } from './gateway.ts';
import { registryHandlers, tagOf } from './registry-handlers.ts';
import { serverHandlers } from './servers.ts';
import { skillHandlers } from './skills.ts';
import { virtualServerHandlers } from './virtual-servers.ts';

type OpenApiDocument = Readonly<Record<string, unknown>>;

const documents = new Map<string, Promise<OpenApiDocument>>();

export interface HandlerParts extends Pick<AdminParts, 'activity' | 'loaded' | 'openKeys'> {
  /** Whose registry it is. */
  readonly caller: Caller;
  /** Who may ask, and the audit log. Default: everyone, and there is none. */
  readonly access?: Pick<Access, 'required' | 'anonymousRead' | 'webSignIn' | 'trail' | 'readAudit'> | undefined;
  readonly registry: ScopedRegistry;
  readonly memories: Memories;
  readonly replica: Replica | null;
  readonly damage: () => DowserError | null;
  readonly vectorServer: VectorServer | null;
  readonly documents: Documents;
  readonly version: string;
  /** Loads the example catalog. Default: there is none. */
  readonly loadExamples?: ((registry: ScopedRegistry) => Promise<readonly Observed[]>) | undefined;
  /** What `dowser eval` measured. Default: nothing. */
  readonly evaluations?: Evaluations | undefined;
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
  const { required = false, anonymousRead = true } = access ?? {};
  const webSignIn = required ? (access?.webSignIn ?? null) : null;
  const signIn = { required, anonymousRead, accounts: webSignIn !== null };
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
    async search({ body }) {
      const answer = await registry.search(asSet(body));
      const reply = { status: 200 as const, body: answer, held: registry.heldSearch(answer) };
      return reply;
    },
    async searchTools({ body }) {
      const { format, ...asked } = parseWith(searchToolsFormat, body, 'search request');
      const { request, warnings: unused } = withoutUnusedFields(asked);
      const { tools, warnings } = await registry.search({ ...request, entity_types: ['tool'] });
      return { status: 200, body: { ...toToolReferences(tools, format), warnings: [...unused, ...warnings] } };
    },
    getMap: async ({ signal }) => ({ status: 200, body: await registry.map({ signal }) }),
    async searchTags({ query: { limit } }) {
      const all = await registry.tags();
      const counts = all.slice(0, limit);
      return { status: 200, body: { tags: counts.map(({ tag }) => tag), counts, total_count: all.length } };
    },
    ...servers,
    ...gatewayHandlers({ caller, signIn, webSignIn, calls, registry, memories, version, namespace, servers, refresh }),
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
    ...evaluationHandlers(parts.evaluations),
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

/** A search that does not say whether to ask peers leaves it to the setting. Whatever else is wrong with it, the registry says. */
const asSet = <B>(body: B): B =>
  isJsonObject(body) && body.peers === undefined ? { ...body, peers: 'setting' as const } : body;

/** Throws while a load balancer should ask another node. A vector server that is lost later is lost to all nodes. */
function checkReady({
  damage,
  replica,
  vectorServer,
}: Pick<HandlerParts, 'damage' | 'replica' | 'vectorServer'>): void {
  if (damage() !== null) {
    // Everyone may ask this, so it does not say where the data is.
    throw new DowserError('STORE_CORRUPT', 'The store of this node is damaged.', {
      hint: 'See its health report or its log. Restore a backup with `dowser restore`.',
    });
  }
  checkReplica(replica);
  const status = vectorServer?.status();
  if (status === undefined || status.isReady) return;
  throw (
    status.error ??
    new DowserError('VECTORS_UNAVAILABLE', `Connecting to the vector server at ${status.address}.`, {
      hint: 'Try again in a moment.',
    })
  );
}

const FROM_COPY = 'Searches are answered from the copy of this node meanwhile.';
const REFUSED = 'Searches are refused until the record has been read once.';

function checkReplica(replica: Replica | null): void {
  const status = replica?.status();
  if (status === undefined || status.isReady) return;
  const { error, behindMs, isUsable, isRebuilding } = status;
  // Without the number of writes: everyone may ask whether a node is ready.
  const state = isRebuilding
    ? 'The shared record went back in time, and this node rebuilds its copy of it.'
    : `This node is ${Math.round(behindMs / 1000)} seconds behind the shared record.`;
  throw new DowserError('REPLICA_BEHIND', error === null ? state : error.message, {
    hint: `${error?.hint ?? 'It catches up by itself.'} ${isUsable ? FROM_COPY : REFUSED}`,
  });
}

/** Made once for all callers, in several turns of the event loop. */
function openApiDocument(version: string): Promise<OpenApiDocument> {
  const known = documents.get(version) ?? inTurns(toOpenApi(version));
  documents.set(version, known);
  return known;
}

/** A handler for every operation of `MEMORY_CALLS`. */
function memoryHandlers(memories: Memories): Pick<Handlers, MemoryOperation> {
  const handlers = Object.entries(MEMORY_CALLS).map(([method, call]) => {
    const ask = memories[method as keyof Memories] as (...args: readonly unknown[]) => Promise<unknown>;
    const toArguments = call.toArguments as (input: unknown) => readonly unknown[];
    return [call.operation, async (input: unknown) => ({ status: 200, body: await ask(...toArguments(input)) })];
  });
  return Object.fromEntries(handlers);
}

/** A handler for every operation of `DOCUMENT_CALLS`, and for the routes of one collection. */
function documentHandlers(documents: Documents): Pick<Handlers, DocumentOperation> {
  const handlers = Object.entries(DOCUMENT_CALLS).map(([method, call]) => {
    const ask = documents[method as keyof Documents] as (...args: readonly unknown[]) => Promise<unknown>;
    const toArguments = call.toArguments as (input: unknown) => readonly unknown[];
    return [call.operation, async (input: unknown) => ({ status: 200, body: await ask(...toArguments(input)) })];
  });
  const ofCollection: Pick<Handlers, 'searchCollection' | 'getCollectionChunk' | 'getDocument'> = {
    async searchCollection({ params, body }) {
      return { status: 200, body: await searchCollection(documents, params.name, body) };
    },
    async getCollectionChunk({ params: { name, chunk_id } }) {
      return { status: 200, body: await chunkInCollection(documents, name, chunk_id) };
    },
    async getDocument({ params: { name, path }, query }) {
      await documents.collection(name);
      return { status: 200, body: await documents.read(`${name}/${path}`, query) };
    },
  };
  return { ...Object.fromEntries(handlers), ...ofCollection };
}
