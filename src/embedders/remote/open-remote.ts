import { DowserError } from '../../model/errors.ts';
import { showValue } from '../../model/parse.ts';
import type { Embedder } from '../embedder.ts';
import { KNOWN_MODELS, knownModel } from '../known-models.ts';
import type { EmbedderSettings } from '../open-embedder.ts';

const REMOTE = { openai: openEndpoint, bedrock: openBedrock, ollama: openOllama } as const;

const DEFAULT_ENDPOINT_MODEL = 'text-embedding-3-small';
const DEFAULT_BEDROCK_MODEL = 'amazon.titan-embed-text-v2:0';

/** Dimensions of well-known models, from their documentation. Matched at the end of the name: providers add prefixes. */
const ENDPOINT_DIMENSIONS: readonly (readonly [RegExp, number])[] = [
  [/text-embedding-3-large$/, 3072],
  [/text-embedding-(3-small|ada-002)$/, 1536],
  [/titan-embed-text-v1$/, 1536],
  [/titan-embed-text-v2(:0)?$/, 1024],
  [/embed-(english|multilingual)-v3(\.0)?$/, 1024],
  [/all-mpnet-base-v2$/, 768],
  [/paraphrase-multilingual-MiniLM-L12-v2$/, 384],
  [/nomic-embed-text(:.*)?$/, 768],
  [/mxbai-embed-large(:.*)?$/, 1024],
  [/all-minilm(:.*)?$/, 384],
  [/bge-m3(:.*)?$/, 1024],
  [/embeddinggemma(:.*)?$/, 768],
];

/** Opens a remote embedder. Makes no request yet. Throws INVALID_SETTING. */
export function openRemote(kind: keyof typeof REMOTE | 'litellm', settings: EmbedderSettings): Promise<Embedder> {
  const [remote, modelName] = kind === 'litellm' ? toRemoteModel(settings) : [kind, settings.modelName];
  return REMOTE[remote]({ ...settings, modelName });
}

/**
 * `litellm` names models `provider/model`, and the provider decides which adapter is used. Other providers are called as
 * OpenAI-compatible endpoints.
 */
function toRemoteModel({ modelName = DEFAULT_ENDPOINT_MODEL }: EmbedderSettings) {
  const [, prefix, model] = /^(openai|bedrock|ollama)\/(.+)$/.exec(modelName) ?? [];
  if (prefix !== undefined && model !== undefined) return [prefix as keyof typeof REMOTE, model] as const;
  return ['openai', modelName] as const;
}

async function openEndpoint(settings: EmbedderSettings): Promise<Embedder> {
  const { openOpenAiEmbedder } = await import('./openai.ts');
  const { modelName: model = DEFAULT_ENDPOINT_MODEL, apiBase, apiKey, responseFormat } = settings;
  if (apiBase === undefined && model.includes('/')) {
    throw new DowserError('INVALID_SETTING', `The model ${showValue(model)} needs the address of an endpoint.`, {
      field: 'embeddings_api_base',
      hint: 'Set EMBEDDINGS_API_BASE to an OpenAI-compatible endpoint that has the model, such as a LiteLLM proxy.',
    });
  }
  const dimensions = settings.dimensions ?? dimensionsOf(model);
  return openOpenAiEmbedder({ model, dimensions, apiBase, apiKey, responseFormat });
}

async function openBedrock(settings: EmbedderSettings): Promise<Embedder> {
  const { openBedrockEmbedder } = await import('./bedrock.ts');
  const { modelName: model = DEFAULT_BEDROCK_MODEL, apiBase, apiKey, secretKey, awsRegion } = settings;
  return openBedrockEmbedder({
    model,
    dimensions: settings.dimensions ?? dimensionsOf(model),
    region: awsRegion,
    apiBase,
    accessKeyId: apiKey,
    secretAccessKey: secretKey,
  });
}

async function openOllama(settings: EmbedderSettings): Promise<Embedder> {
  const { openOllamaEmbedder } = await import('./ollama.ts');
  const { modelName: model, apiBase, apiKey } = settings;
  if (model === undefined) {
    throw new DowserError('INVALID_SETTING', 'Ollama has no default embedding model.', {
      field: 'embeddings_model_name',
      hint: 'Set EMBEDDINGS_MODEL_NAME to a model that `ollama list` shows, such as nomic-embed-text.',
    });
  }
  return openOllamaEmbedder({ model, dimensions: settings.dimensions ?? dimensionsOf(model), apiBase, apiKey });
}

function dimensionsOf(model: string): number {
  const known = ENDPOINT_DIMENSIONS.find(([pattern]) => pattern.test(model))?.[1];
  if (known !== undefined) return known;
  const bare = model.slice(model.lastIndexOf('/') + 1);
  if (KNOWN_MODELS.some(({ name }) => name === bare)) return knownModel(bare).dimensions;
  throw new DowserError('INVALID_SETTING', `Unknown number of dimensions for the model ${showValue(model)}.`, {
    field: 'embeddings_dimensions',
    hint: 'Set EMBEDDINGS_DIMENSIONS to the size of its vectors.',
  });
}
