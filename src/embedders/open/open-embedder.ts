import { DowserError } from '../../model/errors/errors.ts';
import { showValue } from '../../model/parse/parse.ts';
import type { Embedder, EmbedderState } from '../embedder.ts';
import type { ModelProgress } from '../models/model-fetch.ts';
import type { ResponseFormat } from '../remote/embedding-response.ts';
import { BreakerEmbedder, type BreakerOptions } from '../wrappers/breaker.ts';
import { CachedEmbedder, type VectorCache } from '../wrappers/cache.ts';
import { QueryBatches } from '../wrappers/query-batches.ts';

/** The names of providers, with their aliases. */
export const PROVIDERS = {
  local: 'local',
  'sentence-transformers': 'local',
  openai: 'openai',
  litellm: 'litellm',
  bedrock: 'bedrock',
  ollama: 'ollama',
  none: 'none',
  off: 'none',
} as const;
export type ProviderName = keyof typeof PROVIDERS;

export interface EmbedderSettings extends Pick<BreakerOptions, 'queryTimeoutMs'> {
  /** Default `local`. */
  readonly provider?: ProviderName | undefined;
  /** Default: `dowser-tools-1` locally, `text-embedding-3-small` for an endpoint, Titan v2 for Bedrock. */
  readonly modelName?: string | undefined;
  /** Default: that of the model, if known. */
  readonly dimensions?: number | undefined;
  /** For Bedrock: the access key id. */
  readonly apiKey?: string | undefined;
  /** For Bedrock: the secret access key. */
  readonly secretKey?: string | undefined;
  readonly awsRegion?: string | undefined;
  readonly apiBase?: string | undefined;
  readonly responseFormat?: ResponseFormat | undefined;
  readonly modelsDir?: string | undefined;
  /** Fetch a model that is not in the store. Default true. */
  readonly download?: boolean | undefined;
  /** Threads of the local model. Default 1. */
  readonly workers?: number | undefined;
  /** The cache file for vectors of documents. Default null: no cache. */
  readonly cacheFile?: string | null | undefined;
}

export interface EmbedderEvents {
  readonly onModelProgress?: ((progress: ModelProgress) => void) | undefined;
  /** For the log: a problem that stops nothing, such as a damaged cache file. */
  readonly onWarning?: ((error: unknown) => void) | undefined;
}

export interface OpenedEmbedder {
  /** Null with the provider `none`. Closing it closes everything. */
  readonly embedder: Embedder | null;
  state(): EmbedderState;
  /** Fetches and loads a local model. */
  warm(): Promise<void>;
}

/**
 * The embedder of the settings, with a circuit breaker, batches of queries and a cache. Cheap: models, threads and files are opened at first
 * use or by `warm()`. Throws INVALID_SETTING.
 */
export async function openEmbedder(
  settings: EmbedderSettings = {},
  events: EmbedderEvents = {},
): Promise<OpenedEmbedder> {
  const raw = await openProvider(settings, events);
  if (raw === null) {
    return { embedder: null, state: () => ({ id: 'none', state: 'off' }), warm: async () => undefined };
  }
  return guardEmbedder(raw, settings, events);
}

/** With a circuit breaker, batches of queries and a cache. */
export function guardEmbedder(
  raw: Embedder,
  settings: Pick<EmbedderSettings, 'queryTimeoutMs' | 'cacheFile'>,
  events: EmbedderEvents = {},
): OpenedEmbedder {
  const breaker = new BreakerEmbedder(raw, { queryTimeoutMs: settings.queryTimeoutMs });
  const { cacheFile = null } = settings;
  const { onWarning } = events;
  const embedder = new CachedEmbedder(new QueryBatches(breaker), {
    openVectors: cacheFile === null ? undefined : () => openVectors(cacheFile, onWarning),
    onWarning,
  });
  return { embedder, state: () => breaker.state(), warm: () => embedder.warm() };
}

async function openProvider(settings: EmbedderSettings, events: EmbedderEvents): Promise<Embedder | null> {
  const provider = settings.provider ?? 'local';
  if (!Object.hasOwn(PROVIDERS, provider)) {
    throw new DowserError('INVALID_SETTING', `Unknown embedding provider ${showValue(provider)}.`, {
      field: 'embeddings_provider',
      hint: `Use one of ${Object.keys(PROVIDERS).join(', ')}.`,
    });
  }
  const kind = PROVIDERS[provider];
  if (kind === 'none') return null;
  if (kind === 'local') return openLocal(settings, events);
  const { openRemote } = await import('./open-remote.ts');
  return openRemote(kind, settings);
}

async function openLocal(settings: EmbedderSettings, events: EmbedderEvents): Promise<Embedder> {
  const { openOnnxEmbedder } = await import('../onnx/onnx-embedder.ts');
  const embedder = openOnnxEmbedder({
    model: settings.modelName,
    modelsDir: settings.modelsDir,
    download: settings.download,
    workers: settings.workers,
    onProgress: events.onModelProgress,
  });
  const { dimensions = embedder.dimensions } = settings;
  if (dimensions === embedder.dimensions) return embedder;
  throw new DowserError(
    'INVALID_SETTING',
    `The embedder ${embedder.id} has ${embedder.dimensions} dimensions, not ${dimensions}.`,
    { field: 'embeddings_dimensions', hint: 'Remove EMBEDDINGS_DIMENSIONS for a local model.' },
  );
}

async function openVectors(file: string, onWarning: EmbedderEvents['onWarning']): Promise<VectorCache> {
  const [{ SqliteVectorCache }, { withShippedVectors }] = await Promise.all([
    import('../wrappers/sqlite-vector-cache.ts'),
    import('../wrappers/shipped-vectors.ts'),
  ]);
  return withShippedVectors(new SqliteVectorCache({ file, onWarning }));
}
