import { DowserError } from '../model/errors.ts';
import { showValue } from '../model/parse.ts';
import { BreakerEmbedder, type BreakerOptions } from './breaker.ts';
import { CachedEmbedder } from './cache.ts';
import type { Embedder, EmbedderState } from './embedder.ts';
import type { ResponseFormat } from './embedding-response.ts';
import { KNOWN_MODELS, knownModel } from './known-models.ts';
import type { ModelProgress } from './model-fetch.ts';
import type { VectorCache } from './vector-cache.ts';

/** Every name a provider goes by; the second ones are those of other registries. */
export const PROVIDERS = {
  local: 'local',
  'sentence-transformers': 'local',
  openai: 'openai',
  litellm: 'openai',
  none: 'none',
  off: 'none',
} as const;
export type ProviderName = keyof typeof PROVIDERS;

export interface EmbedderSettings extends Pick<BreakerOptions, 'queryTimeoutMs'> {
  /** Default `local`. */
  readonly provider?: ProviderName | undefined;
  /** Default `all-MiniLM-L6-v2` locally, `text-embedding-3-small` for an endpoint. */
  readonly modelName?: string | undefined;
  /** Default: the model's own, where it is known. */
  readonly dimensions?: number | undefined;
  readonly apiKey?: string | undefined;
  readonly apiBase?: string | undefined;
  readonly responseFormat?: ResponseFormat | undefined;
  readonly modelsDir?: string | undefined;
  /** False: a model that is not in the store is not fetched. Default true. */
  readonly download?: boolean | undefined;
  /** Threads of the local model. Default 1. */
  readonly workers?: number | undefined;
  /** Where vectors of documents are remembered. Default null: nowhere. */
  readonly cacheFile?: string | null | undefined;
  /** Questions remembered in memory. Default 1000. */
  readonly cachedQueries?: number | undefined;
}

export interface EmbedderEvents {
  readonly onModelProgress?: ((progress: ModelProgress) => void) | undefined;
  /** Trouble that is only worth a line in a log, such as a damaged cache file. */
  readonly onWarning?: ((error: unknown) => void) | undefined;
}

export interface OpenedEmbedder {
  /** Null with the provider `none`. Closing it closes everything. */
  readonly embedder: Embedder | null;
  state(): EmbedderState;
  /** Fetches and loads the model; without a local model there is nothing to do. */
  warm(): Promise<void>;
}

/**
 * The embedder the settings name, behind its breaker and its cache. Cheap: models, threads and files are opened at the
 * first use or by `warm()`. Throws INVALID_SETTING.
 */
export async function openEmbedder(
  settings: EmbedderSettings = {},
  events: EmbedderEvents = {},
): Promise<OpenedEmbedder> {
  const raw = await openProvider(settings, events);
  if (raw === null) {
    return { embedder: null, state: () => ({ id: 'none', state: 'off' }), warm: async () => undefined };
  }
  const breaker = new BreakerEmbedder(raw, { queryTimeoutMs: settings.queryTimeoutMs });
  const { cacheFile = null } = settings;
  const embedder = new CachedEmbedder(breaker, {
    queries: settings.cachedQueries,
    vectors: cacheFile === null ? undefined : lazyVectorCache(cacheFile, events),
    onWarning: events.onWarning,
  });
  return { embedder, state: () => breaker.state(), warm: () => embedder.warm() };
}

async function openProvider(settings: EmbedderSettings, events: EmbedderEvents): Promise<Embedder | null> {
  const provider = settings.provider ?? 'local';
  if (!Object.hasOwn(PROVIDERS, provider)) {
    throw new DowserError('INVALID_SETTING', `There is no embedding provider ${showValue(provider)}.`, {
      field: 'embeddings_provider',
      hint: `Use one of ${Object.keys(PROVIDERS).join(', ')}.`,
    });
  }
  switch (PROVIDERS[provider]) {
    case 'none':
      return null;
    case 'local':
      return openLocal(settings, events);
    case 'openai':
      return openEndpoint(settings, provider);
  }
}

async function openLocal(settings: EmbedderSettings, events: EmbedderEvents): Promise<Embedder> {
  const { openOnnxEmbedder } = await import('./onnx/onnx-embedder.ts');
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
    `The model of ${embedder.id} has ${embedder.dimensions} dimensions, not ${dimensions}.`,
    { field: 'embeddings_dimensions', hint: 'Leave EMBEDDINGS_DIMENSIONS out for a local model.' },
  );
}

const DEFAULT_ENDPOINT_MODEL = 'text-embedding-3-small';

/** Sizes of well-known models, from their makers' documentation; by the end of the name, since providers add prefixes. */
const ENDPOINT_DIMENSIONS: readonly (readonly [RegExp, number])[] = [
  [/text-embedding-3-large$/, 3072],
  [/text-embedding-(3-small|ada-002)$/, 1536],
  [/titan-embed-text-v1$/, 1536],
  [/titan-embed-text-v2(:0)?$/, 1024],
  [/embed-(english|multilingual)-v3(\.0)?$/, 1024],
  [/all-mpnet-base-v2$/, 768],
  [/paraphrase-multilingual-MiniLM-L12-v2$/, 384],
];

async function openEndpoint(settings: EmbedderSettings, provider: ProviderName): Promise<Embedder> {
  const { openOpenAiEmbedder } = await import('./openai.ts');
  const { modelName = DEFAULT_ENDPOINT_MODEL, apiBase, apiKey, responseFormat } = settings;
  // `litellm` names models `provider/model`; the prefix `openai/` is for that library, not for the endpoint.
  const model = provider === 'litellm' ? modelName.replace(/^openai\//, '') : modelName;
  if (apiBase === undefined && model.includes('/')) {
    throw new DowserError('INVALID_SETTING', `The model ${showValue(model)} needs the address of an endpoint.`, {
      field: 'embeddings_api_base',
      hint: 'Set EMBEDDINGS_API_BASE to an OpenAI-shaped endpoint that has the model, such as a LiteLLM proxy.',
    });
  }
  const dimensions = settings.dimensions ?? dimensionsOf(model);
  return openOpenAiEmbedder({ model, dimensions, apiBase, apiKey, responseFormat });
}

function dimensionsOf(model: string): number {
  const known = ENDPOINT_DIMENSIONS.find(([pattern]) => pattern.test(model))?.[1];
  if (known !== undefined) return known;
  const bare = model.slice(model.lastIndexOf('/') + 1);
  if (KNOWN_MODELS.some(({ name }) => name === bare)) return knownModel(bare).dimensions;
  throw new DowserError('INVALID_SETTING', `It is not known how many dimensions ${showValue(model)} has.`, {
    field: 'embeddings_dimensions',
    hint: 'Set EMBEDDINGS_DIMENSIONS.',
  });
}

/** Opens the file when the first document comes: a process that only answers questions never does. */
function lazyVectorCache(file: string, { onWarning }: EmbedderEvents): VectorCache {
  let opened: Promise<VectorCache> | undefined;
  const cache = (): Promise<VectorCache> => {
    opened ??= import('./sqlite-vector-cache.ts').then(
      ({ SqliteVectorCache }) => new SqliteVectorCache({ file, onWarning }),
    );
    return opened;
  };
  return {
    getMany: async (embedder, hashes) => (await cache()).getMany(embedder, hashes),
    putMany: async (embedder, vectors) => (await cache()).putMany(embedder, vectors),
    close: async () => (await opened)?.close(),
  };
}
