import type { Embedder, EmbedderState } from '../embedders/embedder.ts';
import type { Engine } from '../engines/engine.ts';
import { parseCaller, UNRESTRICTED } from '../model/caller.ts';
import { DEFAULT_PRESET } from '../search/presets.ts';
import { DEFAULT_EF_SEARCH } from '../search/vector/ef-search.ts';
import { guardEngine } from './guarded-engine.ts';
import type { DuplicateSettings } from './operations/duplicates.ts';
import { EntityView } from './operations/entity-view.ts';
import { DriftView } from './provenance/drift-view.ts';
import { LivenessView } from './provenance/liveness.ts';
import type { LocalRegistry } from './registry.ts';
import { type SharedParts, scopedRegistry } from './scoped-registry.ts';
import { EmbedQueue } from './vectors/embed-queue.ts';
import { createMaintenance } from './vectors/maintenance-work.ts';
import { type Model, ServedModel } from './vectors/served-model.ts';

export interface RegistryParts {
  readonly engine: Engine;
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
  /** See the setting `withhold_drifted`. Default false. */
  readonly withholdDrifted?: boolean;
  /** Default: the defaults of the settings. */
  readonly duplicates?: DuplicateSettings;
}

/** Puts a registry together from its parts. Closing it closes the engine and the embedder. */
export function createRegistry(parts: RegistryParts): LocalRegistry {
  const { embedder, embedderState, version, dataPath } = parts;
  const engine = guardEngine(parts.engine);
  const { store } = engine;
  const model =
    embedder === null
      ? null
      : new ServedModel({ engine, wanted: { embedder, state: embedderState }, previous: parts.previous ?? null });
  const queue =
    model === null
      ? null
      : new EmbedQueue({ engine, model, background: parts.background, onError: parts.onEmbedError });
  const maintenance = createMaintenance({ engine, model, onError: (error) => parts.onEmbedError?.(error, 0) });
  const view = new EntityView(store);
  if (parts.background) void view.prepare();
  const shared: SharedParts = {
    engine,
    queue,
    model,
    embedderState,
    version,
    dataPath,
    waitMs: parts.indexingWaitMs,
    view,
    maintenance,
    reindexing: maintenance.progress,
    duplicates: parts.duplicates ?? { threshold: 0.7, maxSuggestions: 3 },
    searching: {
      liveness: new LivenessView(store),
      drift: new DriftView(store),
      withholdDrifted: parts.withholdDrifted ?? false,
      defaultPreset: parts.defaultPreset ?? DEFAULT_PRESET,
      efSearch: parts.efSearch ?? DEFAULT_EF_SEARCH,
    },
  };
  let closing: Promise<void> | null = null;

  async function close(): Promise<void> {
    await maintenance.close();
    await queue?.close();
    await model?.close();
    await engine.close();
  }

  queue?.kick();
  return {
    ...scopedRegistry(shared, UNRESTRICTED),
    as: (caller) => scopedRegistry(shared, parseCaller(caller)),
    changes: (since) => store.changes(since),
    close: () => {
      closing ??= close();
      return closing;
    },
  };
}
