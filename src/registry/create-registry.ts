import type { CallEvent, ToolCaller } from '../calls/contract/tool-caller.ts';
import type { CallLimit } from '../calls/rules/call-class.ts';
import type { Embedder, EmbedderState } from '../embedders/embedder.ts';
import type { Engine } from '../engines/engine.ts';
import { EmbeddedGraphStore } from '../graph/embedded-graph-store.ts';
import type { GraphStore } from '../graph/graph-store.ts';
import { parseCaller, UNRESTRICTED } from '../model/caller/caller.ts';
import type { DowserError } from '../model/errors/errors.ts';
import { DailyLimit } from '../recommend/co-use.ts';
import { Sessions } from '../recommend/sessions.ts';
import { DEFAULT_PRESET } from '../search/plan/presets.ts';
import { DEFAULT_EF_SEARCH } from '../search/vector/ef-search.ts';
import { FollowedAnnotation } from './contract/followed-annotation.ts';
import type { Peers } from './contract/peers.ts';
import type { LocalRegistry, StoredChange } from './contract/registry.ts';
import type { TimedSearch } from './contract/search-steps.ts';
import { GraphView } from './graph/graph-view.ts';
import { guardEngine } from './guarded-engine.ts';
import { createMaintenance } from './maintenance/maintenance-work.ts';
import { CatalogMaps } from './map/catalog-maps.ts';
import { changedNames } from './notes/drift.ts';
import { INSTRUCTIONS_KEY, type InstructionLike } from './notes/instruction-note.ts';
import { LivenessView } from './notes/liveness.ts';
import { ANNOTATIONS } from './notes/source-note.ts';
import type { DuplicateSettings } from './operations/duplicates.ts';
import { calledTools } from './recommend/learn-from-calls.ts';
import { type SharedParts, scopedRegistry } from './scoped-registry.ts';
import { DeniedToolView, type ReadDenied } from './search/denied-tools.ts';
import type { Reranking } from './search/read-tools.ts';
import { EmbedQueue } from './vectors/embed-queue.ts';
import { type Model, ServedModel } from './vectors/served-model.ts';
import { EntityView } from './view/entity-view.ts';

export interface RegistryParts {
  readonly engine: Engine;
  /** Where imported and reported edges are kept. Default: the engine, and memory. */
  readonly graph?: GraphStore;
  /** Null: keyword search only. */
  readonly embedder: Embedder | null;
  readonly embedderState: () => EmbedderState;
  /** The embedder that the engine still serves while it builds the vectors of `embedder`. Default: none. */
  readonly previous?: Model | null;
  readonly version: string;
  /** Where the data is, for health reports. */
  readonly dataPath: string | null;
  readonly indexingWaitMs: number;
  /** Embed missing vectors in the background, and prepare lists at the start. */
  readonly background: boolean;
  readonly onEmbedError?: (error: unknown, retryInMs: number) => void;
  /** The preset of a search without one. Default: `hybrid`. */
  readonly defaultPreset?: string;
  /** See the setting `vector_search_ef_search`. */
  readonly efSearch?: number;
  /** Reads the first tools of a search. Closed with the registry. Default: nothing does. */
  readonly reranking?: Reranking | null;
  /** Milliseconds since 1970, for what decays. Default: the clock. */
  readonly now?: () => number;
  /** See the setting `withhold_drifted`. Default false. */
  readonly withholdDrifted?: boolean;
  /** STORE_FULL, if the store could only be opened for reading. Default: null. */
  readonly full?: DowserError | null;
  /** Default: the defaults of the settings. */
  readonly duplicates?: DuplicateSettings;
  /** Calls the tools of registered servers. Default: nothing does. */
  readonly calls?: ToolCaller | null;
  /** The tools that the operator denies. Default: none. */
  readonly denied?: ReadDenied;
  /** What it may call at most. Default: nothing. */
  readonly callLimit?: CallLimit;
  /** See the setting `call_learn`. Default false. */
  readonly learnsFromCalls?: boolean;
  /** Other registries that a search may ask too. Default: there are none. */
  readonly peers?: Peers | null;
}

/** Recommendations that may still be answered. ToolPilot keeps them for half an hour. */
const MAX_SESSIONS = 1000;
const SESSION_MS = 30 * 60_000;

/** Puts a registry together from its parts. Closing it closes the engine and the embedder. */
export function createRegistry(parts: RegistryParts): LocalRegistry {
  const { embedder, embedderState, version, dataPath } = parts;
  const engine = guardEngine(parts.engine, parts.full ?? null);
  const { store } = engine;
  const model =
    embedder === null
      ? null
      : new ServedModel({ engine, wanted: { embedder, state: embedderState }, previous: parts.previous ?? null });
  const queue =
    model === null
      ? null
      : new EmbedQueue({ engine, model, background: parts.background, onError: parts.onEmbedError });
  const maintenance = createMaintenance({
    engine,
    model,
    background: parts.background,
    onError: (error) => parts.onEmbedError?.(error, 0),
  });
  const view = new EntityView(store);
  const edges = parts.graph ?? new EmbeddedGraphStore(engine.edges);
  const graph = new GraphView(store, edges);
  if (parts.background) void view.prepare().then(() => graph.prepare());
  const searchWatchers = new Set<(timed: TimedSearch) => void>();
  const writeWatchers = new Set<(changes: readonly StoredChange[]) => void>();
  const callWatchers = new Set<(event: CallEvent) => void>();
  const shared: SharedParts = {
    engine,
    queue,
    model,
    embedderState,
    version,
    dataPath,
    waitMs: parts.indexingWaitMs,
    view,
    graph,
    maps: new CatalogMaps(engine),
    edges,
    reports: new DailyLimit(),
    sessions: new Sessions({ max: MAX_SESSIONS, ttlMs: SESSION_MS }),
    onStored: (changes) => {
      for (const watcher of writeWatchers) watcher(changes);
    },
    calls: parts.calls ?? null,
    called: parts.learnsFromCalls === true ? calledTools() : null,
    onCalled: (event) => {
      for (const watcher of callWatchers) watcher(event);
    },
    peers: parts.peers ?? null,
    maintenance,
    reindexing: maintenance.progress,
    duplicates: parts.duplicates ?? { threshold: 0.7, maxSuggestions: 3 },
    searching: {
      liveness: new LivenessView(store),
      drift: new FollowedAnnotation(store, ANNOTATIONS.drift, changedNames),
      instructions: new FollowedAnnotation(store, INSTRUCTIONS_KEY, (found) => found as readonly InstructionLike[]),
      denied: new DeniedToolView(store, parts.denied ?? (async () => new Map())),
      withholdDrifted: parts.withholdDrifted ?? false,
      defaultPreset: parts.defaultPreset ?? DEFAULT_PRESET,
      efSearch: parts.efSearch ?? DEFAULT_EF_SEARCH,
      reranking: parts.reranking ?? null,
      now: parts.now ?? Date.now,
      onSearched: (timed) => {
        for (const watcher of searchWatchers) watcher(timed);
      },
    },
  };
  let closing: Promise<void> | null = null;

  /** One after the other. A part that fails keeps none from closing: the engine gives the data folder back. */
  async function close(): Promise<void> {
    const all = [parts.calls, maintenance, shared.maps, queue, model, parts.reranking?.reranker, edges, engine];
    const errors: unknown[] = [];
    for (const part of all) await part?.close().catch((error: unknown) => errors.push(error));
    if (errors.length > 0) throw errors[0];
  }

  engine.replica?.watch(() => {
    model?.follow();
    queue?.kick();
    maintenance.follow();
  });
  queue?.kick();
  maintenance.follow();
  return {
    ...scopedRegistry(shared, UNRESTRICTED),
    as: (caller, options) => scopedRegistry(shared, parseCaller(caller), options),
    changes: (since) => store.changes(since),
    follow: (key, toValue) => new FollowedAnnotation(store, key, toValue),
    callLimit: parts.calls == null ? 'off' : (parts.callLimit ?? 'off'),
    replica: engine.replica,
    damage: () => engine.damage,
    vectorServer: engine.vectorServer,
    watchSearches: (watcher) => {
      searchWatchers.add(watcher);
      return () => searchWatchers.delete(watcher);
    },
    watchWrites: (watcher) => {
      writeWatchers.add(watcher);
      return () => writeWatchers.delete(watcher);
    },
    watchCalls: (watcher) => {
      callWatchers.add(watcher);
      return () => callWatchers.delete(watcher);
    },
    embeddingCache: () => model?.serving.embedder.cacheCounts?.() ?? null,
    close: () => {
      closing ??= close();
      return closing;
    },
  };
}
