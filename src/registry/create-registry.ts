import { z } from 'zod';
import type { Embedder, EmbedderState } from '../embedders/embedder.ts';
import type { Engine } from '../engines/engine.ts';
import type { IndexStats } from '../engines/index-port.ts';
import { cursorSchema, ENTITY_TYPES, type EntityType } from '../model/entity.ts';
import { DowserError } from '../model/errors.ts';
import { parseWith } from '../model/parse.ts';
import type { SearchRequestInput } from '../model/query.ts';
import type { SearchScope } from '../search/plan.ts';
import { DEFAULT_PRESET } from '../search/presets.ts';
import { DEFAULT_EF_SEARCH } from '../search/vector/ef-search.ts';
import { findRecord, findStored } from './find-entity.ts';
import { guardEngine } from './guarded-engine.ts';
import { createOperations } from './operations/create-operations.ts';
import type { DuplicateSettings } from './operations/duplicates.ts';
import { EntityView } from './operations/entity-view.ts';
import { filteredPage } from './operations/list.ts';
import { scanRecords, toRecord } from './operations/scan-records.ts';
import { listDrift, listSources } from './provenance/list-sources.ts';
import { LivenessView } from './provenance/liveness.ts';
import type { ObservationInput } from './provenance/observation.ts';
import { acceptDrift, observe } from './provenance/provenance.ts';
import {
  type EmbedPendingOptions,
  type EntityPage,
  type EntityRecord,
  type Health,
  MAX_PAGE,
  type PageQuery,
  type PutOptions,
  type Registry,
} from './registry.ts';
import { search } from './search/search.ts';
import { EmbedQueue } from './vectors/embed-queue.ts';
import { createMaintenance } from './vectors/maintenance.ts';
import { type Model, ServedModel } from './vectors/served-model.ts';
import { deleteOne, type PublishParts, putMany, putOne } from './write/publish.ts';

export interface RegistryParts {
  readonly engine: Engine;
  /** null: a registry by keyword only. */
  readonly embedder: Embedder | null;
  readonly embedderState: () => EmbedderState;
  /** The embedder that the engine still serves while it builds the vectors of `embedder`. Default: none. */
  readonly previous?: Model | null;
  readonly version: string;
  /** Where the data is, for health reports. */
  readonly dataPath: string | null;
  readonly indexingWaitMs: number;
  /** Embed what is missing in the background. */
  readonly background: boolean;
  readonly onEmbedError?: (error: unknown, retryInMs: number) => void;
  /** The ranking of a search that names none. Default: `hybrid`. */
  readonly defaultPreset?: string;
  /** See the setting `vector_search_ef_search`. */
  readonly efSearch?: number;
  /** When something counts as a duplicate. Default: the defaults of the settings. */
  readonly duplicates?: DuplicateSettings;
}

/** How far a change of the model is, for health reports. */
function changeOf(model: ServedModel | null, { building }: IndexStats): Pick<Health['embedder'], 'building'> {
  if (model === null || model.next === null || building === null) return {};
  const { id, vectors, missingVectors } = building;
  const { error } = model.next.state();
  const progress = { id, done: vectors, total: vectors + missingVectors };
  return { building: error === undefined ? progress : { ...progress, error } };
}

const pageSchema = z.object({ after: cursorSchema.optional() });

/** Puts a registry together from its parts. Closing it closes the engine and the embedder. */
export function createRegistry(parts: RegistryParts): Registry {
  const { embedder } = parts;
  const engine = guardEngine(parts.engine);
  const { store, index } = engine;
  const model =
    embedder === null
      ? null
      : new ServedModel({
          engine,
          wanted: { embedder, state: parts.embedderState },
          previous: parts.previous ?? null,
        });
  const queue =
    model === null
      ? null
      : new EmbedQueue({
          engine,
          model,
          background: parts.background,
          ...(parts.onEmbedError === undefined ? {} : { onError: parts.onEmbedError }),
        });
  const publish: PublishParts = { engine, queue, waitMs: parts.indexingWaitMs };
  const maintenance = createMaintenance({
    engine,
    model,
    onError: (error) => parts.onEmbedError?.(error, 0),
  });
  let closing: Promise<void> | null = null;

  const find = (type: EntityType, path: string) => findStored(store, type, path);

  async function* all(types?: readonly EntityType[]): AsyncGenerator<EntityRecord> {
    for await (const stored of scanRecords(store, types)) yield toRecord(stored);
  }

  async function page({ limit: wanted = 100, ...query }: PageQuery = {}): Promise<EntityPage> {
    parseWith(pageSchema, query, 'page');
    const { types, tags, statuses, query: text } = query;
    const limit = Math.max(1, Math.min(wanted, MAX_PAGE));
    if ([tags, statuses, text].some((filter) => filter !== undefined))
      return filteredPage(store, view, { ...query, limit });
    const { byType } = await index.stats();
    const { entities, cursor } = await store.scan({ ...query, limit });
    const total_count = (types ?? ENTITY_TYPES).reduce((sum, type) => sum + (byType[type] ?? 0), 0);
    return { entities: entities.map(toRecord), total_count, ...(cursor === undefined ? {} : { cursor }) };
  }

  async function health(): Promise<Health> {
    const stats = await index.stats();
    const state = (model?.serving.state ?? parts.embedderState)();
    const degraded = state.state === 'down' || (embedder !== null && stats.missingVectors > 0);
    return {
      status: degraded ? 'degraded' : 'ok',
      version: parts.version,
      store: { engine: engine.name, path: parts.dataPath, bytes: stats.bytes ?? null },
      index: {
        entities: stats.entities,
        units: stats.units,
        vectors: stats.vectors,
        missing_vectors: stats.missingVectors,
        stale_vectors: stats.staleVectors,
        by_type: { ...stats.byType },
      },
      embedder: {
        id: model?.serving.embedder.id ?? null,
        state: state.state,
        ...(state.error === undefined ? {} : { error: state.error }),
        ...(state.retryAt === undefined ? {} : { retry_at: state.retryAt }),
        ...changeOf(model, stats),
        ...(maintenance.progress() === null ? {} : { reindexing: maintenance.progress()! }),
      },
    };
  }

  async function close(): Promise<void> {
    await maintenance.close();
    await queue?.close();
    await model?.close();
    await engine.close();
  }

  const common = {
    liveness: new LivenessView(store),
    defaultPreset: parts.defaultPreset ?? DEFAULT_PRESET,
    efSearch: parts.efSearch ?? DEFAULT_EF_SEARCH,
  };
  const ask = (request: SearchRequestInput, scope?: SearchScope) =>
    model === null
      ? search({ store, index, embedder: null, embedderState: parts.embedderState, ...common }, request, scope)
      : model.use((served) => search({ store, index, ...served, ...common }, request, scope));
  const view = new EntityView(store);
  const duplicates = parts.duplicates ?? { threshold: 0.7, maxSuggestions: 3 };

  const provenance = {
    engine,
    onStored: () => queue?.kick(),
    now: () => new Date().toISOString(),
  };

  queue?.kick();
  return {
    search: ask,
    put: (entity: unknown, options?: PutOptions) => putOne(publish, entity, options),
    putMany: (entities: readonly unknown[], options?: PutOptions) => putMany(publish, entities, options),
    get: (type: EntityType, path: string) => findRecord(store, type, path),
    delete: (type: EntityType, path: string) => deleteOne(publish, async () => (await find(type, path)).id),
    page,
    all,
    ...createOperations({ ...publish, store, find, search: ask, settings: duplicates, view }),
    async embedPending({ onProgress, signal }: EmbedPendingOptions = {}) {
      if (queue === null) {
        throw new DowserError('EMBEDDER_UNAVAILABLE', 'No embedding model is configured.', {
          hint: 'Set EMBEDDINGS_PROVIDER to local, openai, bedrock or ollama.',
        });
      }
      const embedded = await queue.drain(onProgress, signal);
      const { missingVectors, building } = await index.stats();
      return { embedded, remaining: building?.missingVectors ?? missingVectors };
    },
    observe: (observation: ObservationInput) => observe(provenance, observation),
    sources: () => listSources(store),
    drift: () => listDrift(store),
    acceptDrift: (type: EntityType, path: string) =>
      store.inTurn(async () => acceptDrift(store, (await find(type, path)).id)),
    missingVectors: maintenance.missingVectors,
    staleVectors: maintenance.staleVectors,
    cleanUpStaleVectors: maintenance.cleanUpStaleVectors,
    reindex: maintenance.reindex,
    changes: (since: number | null) => store.changes(since),
    health,
    close: () => {
      closing ??= close();
      return closing;
    },
  };
}
