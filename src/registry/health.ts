import type { EmbedderState } from '../embedders/embedder.ts';
import type { IndexStats } from '../engines/index-port.ts';
import type { ReplicaStatus } from '../engines/replica.ts';
import type { VectorServerStatus } from '../engines/vector-server.ts';
import { ENTITY_TYPES, type EntityType } from '../model/entity.ts';
import type { DowserError } from '../model/errors/errors.ts';
import type { Health, ReindexProgress } from './contract/answers.ts';
import type { PeerStatus } from './contract/peers.ts';
import type { GuardedEngine } from './guarded-engine.ts';
import type { ServedModel } from './vectors/served-model.ts';

export interface HealthParts {
  readonly engine: GuardedEngine;
  readonly model: ServedModel | null;
  readonly embedderState: () => EmbedderState;
  readonly version: string;
  readonly dataPath: string | null;
  /** The progress of a run of `reindex` for everything. */
  readonly reindexing: () => ReindexProgress | null;
}

/** The progress of a change of the model. */
function changeOf(model: ServedModel | null, { building }: IndexStats): Pick<Health['embedder'], 'building'> {
  if (model === null || model.next === null || building === null) return {};
  const { id, vectors, missingVectors } = building;
  const { error } = model.next.state();
  const progress = { id, done: vectors, total: vectors + missingVectors };
  return { building: error === undefined ? progress : { ...progress, error } };
}

/** In the order of the types: the order in which an index met them would tell of hidden entities. */
function inOrder(byType: IndexStats['byType']): Health['index']['by_type'] {
  const counts: [EntityType, number][] = [];
  for (const type of ENTITY_TYPES) {
    const count = byType[type];
    if (count !== undefined) counts.push([type, count]);
  }
  return Object.fromEntries(counts);
}

/** How many writes there are is for those who read everything. */
function replicaReport(
  { revision, head, behindMs, isReady, error }: ReplicaStatus,
  readers: readonly string[] | undefined,
): NonNullable<Health['replica']> {
  const counts = readers === undefined ? { revision, head } : {};
  return { ready: isReady, ...counts, behind_ms: behindMs, ...errorReport(error) };
}

/** The same for vectors that are pending. */
function serverReport(
  { state, pending, error }: VectorServerStatus,
  readers: readonly string[] | undefined,
): NonNullable<Health['vector_server']> {
  return { state, ...(readers === undefined ? { pending } : {}), ...errorReport(error) };
}

function errorReport(error: DowserError | null) {
  if (error === null) return {};
  const { code, message, hint } = error;
  return { error: { code, message, ...(hint === undefined ? {} : { hint }) } };
}

/** With `readers`, counts include only what they may read. */
export async function healthOf(
  parts: HealthParts,
  readers: readonly string[] | undefined,
  peers: readonly PeerStatus[],
): Promise<Health> {
  const { engine, model } = parts;
  const stats = await engine.index.stats(undefined, readers);
  const storeError = engine.damage ?? engine.full;
  const state = (model?.serving.state ?? parts.embedderState)();
  const lacksVectors = stats.missingVectors > 0 || stats.unloadedVectors > 0;
  const replica = engine.replica?.status() ?? null;
  const lacksWrites = replica !== null && (!replica.isReady || replica.error !== null);
  const vectorServer = engine.vectorServer?.status() ?? null;
  const isUnsearched = vectorServer !== null && vectorServer.state !== 'ready';
  const degraded =
    storeError !== null || state.state === 'down' || lacksWrites || isUnsearched || (model !== null && lacksVectors);
  const reindexing = readers === undefined ? parts.reindexing() : null;
  return {
    status: degraded ? 'degraded' : 'healthy',
    version: parts.version,
    store: {
      engine: engine.name,
      path: parts.dataPath,
      bytes: stats.bytes ?? null,
      ...errorReport(readers === undefined ? storeError : null),
    },
    index: {
      entities: stats.entities,
      units: stats.units,
      vectors: stats.vectors,
      missing_vectors: stats.missingVectors,
      stale_vectors: stats.staleVectors,
      ...(stats.unloadedVectors === 0 ? {} : { unloaded_vectors: stats.unloadedVectors }),
      by_type: inOrder(stats.byType),
    },
    embedder: {
      id: model?.serving.embedder.id ?? null,
      state: state.state,
      ...(state.error === undefined ? {} : { error: state.error }),
      ...(state.retryAt === undefined ? {} : { retry_at: state.retryAt }),
      ...changeOf(model, stats),
      ...(reindexing === null ? {} : { reindexing }),
    },
    ...(replica === null ? {} : { replica: replicaReport(replica, readers) }),
    ...(vectorServer === null ? {} : { vector_server: serverReport(vectorServer, readers) }),
    ...(peers.length === 0 ? {} : { peers }),
  };
}
