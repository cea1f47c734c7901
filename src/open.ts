import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ToolCaller } from './calls/contract/tool-caller.ts';
import type { CallRuleFile } from './calls/rules/call-rules.ts';
import { parseSettings, type Settings, type SettingsInput } from './config.ts';
import {
  type EmbedderEvents,
  type EmbedderSettings,
  guardEmbedder,
  type OpenedEmbedder,
  openEmbedder,
} from './embedders/open/open-embedder.ts';
import type { OwnEmbedder } from './embedders/open/own-embedder.ts';
import type { AttachedVectorServer } from './engines/embedded/index/vector-space.ts';
import type { StoreUpkeep } from './engines/embedded/store-upkeep.ts';
import type { Engine } from './engines/engine.ts';
import { storeFolder } from './engines/shared/copy-folder.ts';
import type { MigrateOptions as EngineMigrateOptions, Migrated } from './engines/shared/migrate.ts';
import type { GraphStore } from './graph/graph-store.ts';
import type { MemoryService } from './memories/create-memories.ts';
import type { MemorySettings } from './memories/parts/memory-parts.ts';
import type { EmbedderIdentity } from './model/embedder-identity.ts';
import { DowserError } from './model/errors/errors.ts';
import { copyKeys, ownKeys } from './open-keys.ts';
import type { Peers } from './registry/contract/peers.ts';
import type { LocalRegistry } from './registry/contract/registry.ts';
import type { ReadDenied } from './registry/search/denied-tools.ts';
import type { Reranking } from './registry/search/read-tools.ts';
import type { Model } from './registry/vectors/served-model.ts';

export type MigrateOptions = Omit<EngineMigrateOptions, 'openRecord'>;

/** How to open a registry, besides its settings. */
export interface OpenOptions {
  /** A model of your own, in place of the embedder of the settings. The registry closes it. */
  readonly embedder?: OwnEmbedder | OpenedEmbedder;
  /**
   * Open for reading only: no lock, no writes. Works in a data folder that cannot be written. The folder must exist; writes
   * fail. Default false.
   */
  readonly readOnly?: boolean;
  /** Open for reading only if the disk is full: then writes fail with STORE_FULL. Default false: opening fails. */
  readonly readOnlyIfFull?: boolean;
  /** Embed missing vectors in the background. Default true. A bulk load turns it off and embeds at its end. */
  readonly background?: boolean;
  /** Called when background embedding fails, with the time until the next attempt. */
  readonly onEmbedError?: (error: unknown, retryInMs: number) => void;
  /** Called when the reranker begins to fail, when it fails for another reason, and when it works again (null). */
  readonly onRerankChange?: (error: DowserError | null) => void;
}

/** The version of this package. */
export function dowserVersion(): string {
  const manifest = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as { version: string };
  return manifest.version;
}

/**
 * Opens a registry. Missing settings have their defaults; neither the environment nor files are read (`loadSettings` does
 * that for the command line). Close it when done.
 */
export async function openRegistry(input: SettingsInput = {}, options: OpenOptions = {}): Promise<LocalRegistry> {
  const settings = parseSettings(input);
  const { readOnly = false } = options;
  const reranking = await openReranking(settings, options.onRerankChange);
  const { embedder, state } = await openGivenEmbedder(settings, options.embedder);
  let engine: Engine | undefined;
  let previous: Model | null;
  let full: DowserError | null = null as DowserError | null;
  let graph: GraphStore | null;
  // Loaded on use: the version and the embedder do not need it.
  const { createRegistry } = await import('./registry/create-registry.ts');
  const calls = await openCaller(settings, readOnly);
  try {
    engine = await openEngine(settings, embedder, readOnly).catch((thrown: unknown) => {
      const isFull = thrown instanceof DowserError && thrown.code === 'STORE_FULL';
      if (!isFull || options.readOnlyIfFull !== true) throw thrown;
      full = thrown;
      return openEngine(settings, embedder, true);
    });
    previous = await openPrevious(settings, engine);
    graph = await openGraph(settings);
  } catch (error) {
    await engine?.close();
    await embedder?.close();
    throw error;
  }
  return createRegistry({
    engine,
    ...(graph === null ? {} : { graph }),
    embedder,
    embedderState: state,
    previous,
    version: dowserVersion(),
    dataPath: settings.engine === 'memory' ? null : settings.data_dir,
    indexingWaitMs: settings.indexing_wait_ms,
    full,
    background: !readOnly && full === null && (options.background ?? true),
    defaultPreset: settings.preset,
    efSearch: settings.vector_search_ef_search,
    reranking,
    withholdDrifted: settings.withhold_drifted,
    duplicates: { threshold: settings.dedup_score_threshold, maxSuggestions: settings.dedup_max_suggestions },
    ...(options.onEmbedError === undefined ? {} : { onEmbedError: options.onEmbedError }),
    denied: deniedReader(settings),
    calls,
    callLimit: settings.call,
    learnsFromCalls: settings.call_learn,
    peers: await openPeersFor(settings, embedder, state),
  });
}

/** Null: no other registry is asked. */
async function openPeersFor(
  { peers, peer_search, peer_timeout_ms: timeoutMs }: Settings,
  embedder: OpenedEmbedder['embedder'],
  embedderState: OpenedEmbedder['state'],
): Promise<Peers | null> {
  if (peers.length === 0) return null;
  const { openPeers } = await import('./peers/open-peers.ts');
  return openPeers({ peers, always: peer_search === 'always', timeoutMs, embedder, embedderState, env: process.env });
}

/** The rules for calls are loaded once there are any. */
function deniedReader({ engine, data_dir: dataDir }: Settings): ReadDenied {
  let rules: CallRuleFile | undefined;
  return async () => {
    if (engine === 'memory') return NO_RULES;
    if (rules === undefined && !existsSync(join(dataDir, 'calls.json'))) return NO_RULES;
    const { CallRuleFile, deniedTools } = await import('./calls/rules/call-rules.ts');
    rules ??= new CallRuleFile(dataDir);
    return deniedTools(rules.read());
  };
}

const NO_RULES: ReadonlyMap<string, readonly string[]> = new Map();

/** Null: no tools are called. */
async function openCaller(settings: Settings, readOnly: boolean): Promise<ToolCaller | null> {
  const { call } = settings;
  if (call === 'off' || readOnly) return null;
  const { callsOnUse } = await import('./calls/calls-on-use.ts');
  return callsOnUse(async () => {
    const { openCalls } = await import('./calls/open-calls.ts');
    return openCalls({ ...settings, call }, dowserVersion());
  });
}

/** The memories of a registry, with the settings of `memory_`. Call `flush` before you close the registry. */
export async function openMemories(registry: LocalRegistry, input: SettingsInput = {}): Promise<MemoryService> {
  const settings = memorySettings(parseSettings(input));
  const { createMemories } = await import('./memories/create-memories.ts');
  return createMemories(registry, { settings });
}

export function memorySettings(settings: Settings): MemorySettings {
  const { memory_hybrid, memory_fusion, memory_keyword_weight, memory_semantic_weight } = settings;
  if (memory_keyword_weight === 0 && memory_semantic_weight === 0) {
    throw new DowserError('INVALID_SETTING', "'memory_keyword_weight' and 'memory_semantic_weight' are both 0.", {
      field: 'memory_keyword_weight',
      hint: 'Set one of them above 0, or remove both.',
    });
  }
  return {
    hybrid: memory_hybrid,
    fusion: memory_fusion,
    keywordWeight: memory_keyword_weight,
    semanticWeight: memory_semantic_weight,
    certaintyDays: settings.memory_certainty_days,
    readers: settings.memory_readers,
  };
}

/**
 * The previous embedder of a store that is being re-embedded. If it cannot be used, the store serves the new vectors that
 * exist so far.
 */
async function openPrevious(settings: Settings, engine: Engine): Promise<Model | null> {
  if (engine.vectors.embedder === null || engine.vectors.building === null) return null;
  const { openPreviousEmbedder } = await import('./embedders/open/open-previous.ts');
  const { embedder = null, state } =
    (await openPreviousEmbedder(engine.vectors.embedder, embedderSettings(settings))) ?? {};
  if (embedder !== null && state !== undefined) return { embedder, state };
  await engine.vectors.serveBuilding(engine.vectors.building.id);
  return null;
}

export interface EmbedderOptions extends EmbedderEvents, Pick<EmbedderSettings, 'queryTimeoutMs'> {}

/** The embedder of the settings. It is loaded at first use. */
export function openEmbedderFor(
  settings: Settings,
  { queryTimeoutMs, ...events }: EmbedderOptions = {},
): Promise<OpenedEmbedder> {
  return openEmbedder({ ...embedderSettings(settings), queryTimeoutMs }, events);
}

async function openGivenEmbedder(settings: Settings, given: OpenOptions['embedder']): Promise<OpenedEmbedder> {
  if (given === undefined) return openEmbedderFor(settings);
  // Only what `openEmbedderFor` has opened has a state.
  if ('state' in given) return given;
  const { checkedEmbedder } = await import('./embedders/open/own-embedder.ts');
  return guardEmbedder(checkedEmbedder(given), embedderSettings(settings));
}

function embedderSettings(settings: Settings): EmbedderSettings {
  return {
    provider: settings.embeddings_provider,
    modelName: settings.embeddings_model_name,
    dimensions: settings.embeddings_dimensions,
    apiBase: settings.embeddings_api_base,
    apiKey: settings.embeddings_api_key,
    secretKey: settings.embeddings_secret_key,
    awsRegion: settings.embeddings_aws_region,
    responseFormat: settings.embeddings_response_format,
    workers: settings.embeddings_workers,
    modelsDir: settings.models_dir,
    cacheFile: settings.engine === 'memory' ? null : join(settings.data_dir, 'embeddings.sqlite'),
  };
}

/** Null: the first tools of a search are not read. Makes no request yet. */
async function openReranking(settings: Settings, onChange: OpenOptions['onRerankChange']): Promise<Reranking | null> {
  const { rerank: mode, rerank_api_base: apiBase, rerank_timeout_ms: timeoutMs } = settings;
  if (mode === 'off') return null;
  if (apiBase === undefined) {
    throw new DowserError('INVALID_SETTING', `The setting rerank is '${mode}', and there is no rerank endpoint.`, {
      field: 'rerank_api_base',
      hint: 'Set RERANK_API_BASE to the address of one, or DOWSER_RERANK=off.',
    });
  }
  const [{ openRerankEndpoint }, { GuardedReranker }] = await Promise.all([
    import('./embedders/rerankers/rerank-endpoint.ts'),
    import('./embedders/rerankers/guarded-reranker.ts'),
  ]);
  const { rerank_model_name: model, rerank_api_key: apiKey } = settings;
  const endpoint = openRerankEndpoint({ apiBase, model, apiKey });
  return { reranker: new GuardedReranker(endpoint, { timeoutMs, onChange }), mode };
}

/** Null: the engine keeps the edges. */
async function openGraph(settings: Settings): Promise<GraphStore | null> {
  const { graph_url: url, graph_user: user, graph_password: password, graph_database: database } = settings;
  if (url === undefined) return null;
  const { BoltGraphStore } = await import('./graph/bolt-graph-store.ts');
  return BoltGraphStore.open({ url, user, password, database });
}

async function openEngine(settings: Settings, embedder: EmbedderIdentity | null, readOnly: boolean): Promise<Engine> {
  const identity = embedder === null ? null : { id: embedder.id, dimensions: embedder.dimensions };
  if (settings.engine === 'memory') {
    const { MemoryEngine } = await import('./engines/memory/memory-engine.ts');
    return new MemoryEngine({ embedder: identity });
  }
  const { store } = settings;
  const dir = storeFolder(settings.data_dir, store !== undefined);
  const vectorServer = await openVectorServer(settings);
  if (store !== undefined && !readOnly) {
    const { openReplica } = await import('./engines/shared/open-replica.ts');
    const { PostgresRecord } = await import('./engines/shared/postgres/postgres-record.ts');
    return openReplica({
      dir,
      embedder: identity,
      record: new PostgresRecord(store),
      maxBehindMs: settings.replica_max_behind * 1000,
      whenLost: settings.replica_when_lost,
      vectorServer,
      ownKeys: await ownKeys(settings.data_dir),
    });
  }
  const { openEmbedded } = await import('./engines/embedded/open-embedded.ts');
  return openEmbedded({ dir, embedder: identity, readOnly, vectorServer });
}

/** Undefined: vectors are searched in this process. */
async function openVectorServer(settings: Settings): Promise<AttachedVectorServer | undefined> {
  if (settings.vectors === undefined) return undefined;
  const { QdrantVectors } = await import('./engines/qdrant/qdrant-vectors.ts');
  return new QdrantVectors({
    address: settings.vectors,
    apiKey: settings.vectors_api_key,
    m: settings.vectors_m,
    efConstruct: settings.vectors_ef_construct,
    ef: settings.vectors_ef,
    isQuantized: settings.vectors_int8,
    shards: settings.vectors_shards,
    replication: settings.vectors_replication,
    writeConsistency: settings.vectors_write_consistency,
  });
}

/** Moves everything from a data folder into an empty database, or back. One of the two is the address of a database. */
export async function migrateStore(options: MigrateOptions): Promise<Migrated> {
  const { migrate } = await import('./engines/shared/migrate.ts');
  const { PostgresRecord } = await import('./engines/shared/postgres/postgres-record.ts');
  const move = () => migrate({ ...options, openRecord: (url) => new PostgresRecord(url) });
  // A folder may refuse the keys, and a record must be empty before the move.
  if (options.from.includes('://')) await copyKeys(options);
  const moved = await move();
  if (!options.from.includes('://')) await copyKeys(options);
  return moved;
}

/** Backup, restore, check and repair of the data folder. */
export async function openUpkeep({ engine, data_dir: dir, store }: Settings): Promise<StoreUpkeep> {
  if (engine === 'memory') {
    throw new DowserError('INVALID_SETTING', "The engine 'memory' keeps no files.", { field: 'engine' });
  }
  if (store !== undefined) {
    throw new DowserError('INVALID_SETTING', "With 'store', the data folder is a copy of the database.", {
      field: 'store',
      hint: 'Back up, restore and check the database. A copy can be deleted: the next start reads it again.',
    });
  }
  const { storeUpkeep } = await import('./engines/embedded/store-upkeep.ts');
  const { toIndexed } = await import('./registry/write/publish.ts');
  return storeUpkeep(dir, toIndexed);
}
