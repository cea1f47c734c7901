import { DowserError } from '../../model/errors/errors.ts';
import { showValue } from '../../model/parse/parse.ts';
import type { Embedder } from '../embedder.ts';
import { KNOWN_MODELS, knownModel } from '../models/known-models.ts';
import type { EmbedderSettings } from './open-embedder.ts';

const DEFAULT_MODELS = {
  openai: 'text-embedding-3-small',
  bedrock: 'amazon.titan-embed-text-v2:0',
  ollama: undefined,
} as const;
type RemoteName = keyof typeof DEFAULT_MODELS;

/** Dimensions of well-known models, from their documentation. Matched at the end of the name: providers add prefixes. */
const ENDPOINT_DIMENSIONS: readonly (readonly [RegExp, number])[] = [
  [/text-embedding-3-large$/, 3072],
  [/text-embedding-(3-small|ada-002)$/, 1536],
  [/titan-embed-text-v1$/, 1536],
  [/titan-embed-text-v2(:0)?$/, 1024],
  [/embed-(english|multilingual)-v3(\.0)?$/, 1024],
  [/all-mpnet-base-v2$/, 768],
  [/paraphrase-multilingual-MiniLM-L12-v2$/, 384],
  [/nomic-embed-text(?::|$)/, 768],
  [/mxbai-embed-large(?::|$)/, 1024],
  [/all-minilm(?::|$)/, 384],
  [/bge-m3(?::|$)/, 1024],
  [/embeddinggemma(?::|$)/, 768],
];

/** Opens a remote embedder. Makes no request yet. Throws INVALID_SETTING. */
export async function openRemote(kind: RemoteName | 'litellm', settings: EmbedderSettings): Promise<Embedder> {
  const [remote, name] = kind === 'litellm' ? toRemoteModel(settings) : [kind, settings.modelName];
  const model = name ?? DEFAULT_MODELS[remote];
  if (model === undefined) {
    throw new DowserError('INVALID_SETTING', 'Ollama has no default embedding model.', {
      field: 'embeddings_model_name',
      hint: 'Set EMBEDDINGS_MODEL_NAME to a model that `ollama list` shows, such as nomic-embed-text.',
    });
  }
  if (remote === 'openai' && settings.apiBase === undefined && model.includes('/')) {
    throw new DowserError('INVALID_SETTING', `The model ${showValue(model)} needs the address of an endpoint.`, {
      field: 'embeddings_api_base',
      hint: 'Set EMBEDDINGS_API_BASE to an OpenAI-compatible endpoint that has the model, such as a LiteLLM proxy.',
    });
  }
  if (remote === 'openai' && settings.apiBase === undefined && settings.apiKey === undefined) {
    throw new DowserError('INVALID_SETTING', "OpenAI's endpoint needs a key.", {
      field: 'embeddings_api_key',
      hint: 'Set EMBEDDINGS_API_KEY, or EMBEDDINGS_API_BASE for another endpoint.',
    });
  }
  const options = { ...settings, model, dimensions: settings.dimensions ?? dimensionsOf(model) };
  if (remote === 'bedrock') return (await import('../remote/bedrock.ts')).openBedrockEmbedder(options);
  if (remote === 'ollama') return (await import('../remote/ollama.ts')).openOllamaEmbedder(options);
  return (await import('../remote/openai.ts')).openOpenAiEmbedder(options);
}

/**
 * `litellm` names models `provider/model`, and the provider decides which adapter is used. Other providers are called as
 * OpenAI-compatible endpoints.
 */
function toRemoteModel({ modelName = DEFAULT_MODELS.openai }: EmbedderSettings) {
  const [, prefix, model] = /^(openai|bedrock|ollama)\/(.+)$/.exec(modelName) ?? [];
  if (prefix !== undefined && model !== undefined) return [prefix as RemoteName, model] as const;
  return ['openai', modelName] as const;
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
