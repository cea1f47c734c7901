import { randomUUID } from 'node:crypto';
import type { CallEvent, RefusedCall, ToolCaller } from '../calls/contract/tool-caller.ts';
import type { Embedder, EmbedderState } from '../embedders/embedder.ts';
import type { GraphStore } from '../graph/graph-store.ts';
import { callsAreOff } from '../model/caller/access-errors.ts';
import { type Caller, callerKey, mayRead } from '../model/caller/caller.ts';
import { type EntityOf, type EntityType, type McpServer, parseEntity, parseEntityType } from '../model/entity.ts';
import { parseWith } from '../model/parse/parse.ts';
import type { SearchRequestInput } from '../model/query/query.ts';
import type { DailyLimit } from '../recommend/co-use.ts';
import type { Sessions } from '../recommend/sessions.ts';
import { asSearch } from '../turns/search-turns.ts';
import { callView } from './call-view.ts';
import type { EntityRecord } from './contract/answers.ts';
import { edgesWhichSchema } from './contract/edge-operations.ts';
import type { Peers } from './contract/peers.ts';
import type { CallerOptions, EmbedPendingOptions, ScopedRegistry } from './contract/registry.ts';
import { findRecord, findStored } from './find-entity.ts';
import type { GraphView } from './graph/graph-view.ts';
import { importEdges } from './graph/import-edges.ts';
import { listRelations, listTypeEdges } from './graph/list-relations.ts';
import { type HealthParts, healthOf } from './health.ts';
import type { MaintenanceWork } from './maintenance/maintenance-work.ts';
import type { CatalogMaps } from './map/catalog-maps.ts';
import { answerWarnings, entitiesNamed } from './notes/instruction-note.ts';
import { bulkAccess } from './operations/bulk-access.ts';
import { createOperations } from './operations/create-operations.ts';
import type { DuplicateSettings } from './operations/duplicates.ts';
import { listDrift, listSources } from './provenance/list-sources.ts';
import { acceptDrift, observe, observeStored } from './provenance/provenance.ts';
import { readPage } from './read-page.ts';
import { readableRows, readableStore } from './readable.ts';
import { type CalledTools, learnFromCalls } from './recommend/learn-from-calls.ts';
import { type RecommendSession, recommendOperations } from './recommend/recommend.ts';
import { HeldSearches } from './search/held-searches.ts';
import { type SearchParts, search } from './search/search.ts';
import { searchWithPeers } from './search/with-peers.ts';
import { noModel } from './vectors/served-model.ts';
import type { EntityRows } from './view/entity-view.ts';
import { scanRecords, toRecord } from './view/scan-records.ts';
import { deleteOne, type PublishParts, putMany, putOne } from './write/publish.ts';
import { reviewEntity } from './write/review.ts';
import { addVersion, listVersions, removeVersion, setDefaultVersion } from './write/server-versions.ts';
import type { TurnRecords } from './write/write-checks.ts';
import { writeRuleOf } from './write/write-rule.ts';

/** The parts that the registries of all callers share. */
export interface SharedParts extends Omit<PublishParts, 'readable' | 'rule' | 'engine'>, HealthParts {
  readonly view: EntityRows;
  readonly maintenance: MaintenanceWork;
  readonly duplicates: DuplicateSettings;
  readonly searching: Pick<
    SearchParts,
    | 'liveness'
    | 'drift'
    | 'instructions'
    | 'denied'
    | 'withholdDrifted'
    | 'defaultPreset'
    | 'efSearch'
    | 'reranking'
    | 'now'
    | 'onSearched'
  >;
  readonly graph: GraphView;
  readonly maps: CatalogMaps;
  readonly edges: GraphStore;
  readonly sessions: Sessions<RecommendSession>;
  readonly reports: DailyLimit;
  /** Null: no tools are called. */
  readonly calls: ToolCaller | null;
  /** Null: this registry asks no others. */
  readonly peers: Peers | null;
  /** Called when a call has ended. */
  readonly onCalled: (event: CallEvent) => void;
  /** What sessions have called. Null: nothing is learned from calls. */
  readonly called: CalledTools | null;
}

/**
 * The registry for one caller. Every read goes through `store`, `view` or the `readers` of the filter, and every write asks
 * `rule`.
 */
export function scopedRegistry(shared: SharedParts, caller: Caller, options?: CallerOptions): ScopedRegistry {
  const { engine, queue, model } = shared;
  const { index } = engine;
  const readers = caller.readers ?? undefined;
  const rule = writeRuleOf(caller, options);
  const store = readableStore(engine.store, caller);
  const view = readableRows(shared.view, caller);
  const find = (type: EntityType, path: string, records: TurnRecords = store) => findStored(records, type, path);
  const { graph } = shared;
  const { now } = shared.searching;
  const partsWith = (
    embedder: Embedder | null,
    embedderState: () => EmbedderState,
    onSearched: SearchParts['onSearched'],
  ): SearchParts => {
    return { store, index, readers, embedder, embedderState, graph, ...shared.searching, onSearched };
  };
  const held = new HeldSearches(shared);
  const searched = (request: SearchRequestInput) =>
    held.note(request, (onSearched) =>
      asSearch(() =>
        model === null
          ? search(partsWith(null, shared.embedderState, onSearched), request)
          : model.use(({ embedder, state }) => search(partsWith(embedder, state, onSearched), request)),
      ),
    );

  async function* all(types?: readonly EntityType[]): AsyncGenerator<EntityRecord> {
    for await (const stored of scanRecords(store, types?.map(parseEntityType))) yield toRecord(stored);
  }

  async function embedPending({ onProgress, signal }: EmbedPendingOptions = {}) {
    rule.needsEverything();
    if (queue === null) throw noModel();
    const embedded = await queue.drain(onProgress, signal);
    const { missingVectors, building } = await index.stats();
    return { embedded, remaining: building?.missingVectors ?? missingVectors };
  }

  const graphParts = { store, graph, readers, now };
  const recommending = {
    ...graphParts,
    view,
    search: searched,
    sessions: shared.sessions,
    edges: shared.edges,
    limit: shared.reports,
    newId: randomUUID,
    callerKey: callerKey(caller),
  };
  const recommends = recommendOperations(recommending);
  const maintenance = shared.maintenance.within(store, readers);
  const get = (type: EntityType, path: string) =>
    findRecord({ ...partsWith(null, shared.embedderState, shared.searching.onSearched), view }, type, path);
  const provenance = {
    engine,
    readable: store,
    view,
    onStored: () => queue?.kick(),
    now: () => new Date(now()).toISOString(),
  };
  const publish = { engine, readable: store, rule, queue, waitMs: shared.waitMs, onStored: shared.onStored };
  const versions = {
    ...publish,
    find: (path: string) => find('mcp_server', path),
    canRead: (version: McpServer) => mayRead(caller, version),
    now: provenance.now,
  };
  const operations = {
    ...shared,
    ...publish,
    callerName: caller.name,
    store,
    view,
    find,
    search: searched,
    settings: shared.duplicates,
  };
  const { reportOutcome: report } = recommends;
  const learn =
    shared.called === null
      ? undefined
      : learnFromCalls({ called: shared.called, callerKey: recommending.callerKey, now, report });
  const onCall = (event: CallEvent | RefusedCall) => {
    if (event.phase === 'done') {
      shared.onCalled(event);
      learn?.(event);
    }
    options?.onCall?.(event);
  };
  const denied = async () => (await shared.searching.denied.read()).byServer;
  const by = { caller, view: callView({ engine, store, view, search: searched, denied }), onCall };
  const calls = (): ToolCaller => {
    if (shared.calls === null) throw callsAreOff();
    return shared.calls;
  };
  return {
    call: async (request, callOptions) => calls().call(request, by, callOptions),
    checkCall: async (request) => calls().check(request, by),
    preflight: async (paths) => calls().preflight(paths, by),
    readResult: async (request) => calls().readResult(request, by),
    upstreams: async () => {
      rule.needs('admin');
      return shared.calls?.status() ?? [];
    },
    stopUpstreams: async (path) => {
      rule.needs('admin');
      return { stopped: (await shared.calls?.stop(path)) ?? 0 };
    },
    deniedTools: denied,
    search: (request) => searchWithPeers({ peers: shared.peers, caller, index, view, search: searched }, request),
    heldSearch: (answer) => held.of(answer),
    put: (entity, options) => putOne(publish, entity, options),
    putMany: (entities, options) => putMany(publish, entities, options),
    get,
    putEdges: async (batch) => {
      rule.needs('admin');
      return importEdges(store, shared.edges, batch);
    },
    deleteEdges: async (which) => {
      rule.needsEverything();
      const { provenance: of } = parseWith(edgesWhichSchema, which, 'request');
      return { deleted: await shared.edges.delete({ provenance: of }) };
    },
    ...recommends,
    reportOutcome: async (outcome) => {
      rule.needs('write');
      return recommends.reportOutcome(outcome);
    },
    relations: (type, path) => listRelations(graphParts, get, type, path),
    edgesOf: (type, paths) => listTypeEdges(graphParts, type, paths),
    delete: (type, path, condition) => deleteOne(publish, () => find(type, path), condition),
    page: (query) => readPage({ store, index, view, readers }, query),
    all,
    ...createOperations(operations),
    versions: (path) => listVersions(versions, path),
    addVersion: async (server, { overwrite = false } = {}) => addVersion(versions, parseEntity(server), overwrite),
    setDefaultVersion: (path, version) => setDefaultVersion(versions, path, version),
    removeVersion: (path, version) => removeVersion(versions, path, version),
    checkTag: (type, path) =>
      store.inTurn(async () => {
        const stored = await find(type, path);
        rule.checkTags([stored.id], [stored]);
      }),
    ...bulkAccess(publish, store, view),
    instructionWarnings: async (answer) => {
      const noted = await shared.searching.instructions.read();
      const named = entitiesNamed(answer, noted);
      if (named.length === 0) return [];
      const readable = await store.getMany(named);
      return answerWarnings(
        readable.map(({ entity }) => entity),
        noted,
      );
    },
    embedPending,
    observe: async (observation) => {
      rule.needs('admin');
      return observe({ ...provenance, onStore: rule.touches }, observation);
    },
    observeStored: async (type, path, make) => {
      rule.needs('admin');
      const stored = async () => make((await find(type, path)).entity as EntityOf<typeof type>);
      return observeStored({ ...provenance, onStore: rule.touches }, stored);
    },
    sources: () => listSources(store),
    drift: () => listDrift(store),
    acceptDrift: (type, path) =>
      store.inTurn(async () => {
        const stored = await find(type, path);
        const { id, entity } = stored;
        rule.checkChange([entity]);
        rule.starts([id], [stored]);
        return acceptDrift(store, id);
      }),
    review: async (type, path, request) => {
      rule.needs('admin');
      const by = { name: caller.name ?? 'local', at: provenance.now() };
      return reviewEntity(publish, () => find(type, path), request, by);
    },
    ...maintenance,
    reindex: async (...asked) => {
      rule.needs('admin');
      return maintenance.reindex(...asked);
    },
    cleanUpStaleVectors: async (...asked) => {
      rule.needs('admin');
      return maintenance.cleanUpStaleVectors(...asked);
    },
    map: ({ signal } = {}) => {
      const of = (embedder: Embedder | null) => shared.maps.of({ store, view, readers }, embedder, signal);
      return model === null ? of(null) : model.use(({ embedder }) => of(embedder));
    },
    health: () => healthOf(shared, readers, shared.peers?.status(caller) ?? []),
  };
}
