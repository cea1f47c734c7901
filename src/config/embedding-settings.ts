import { z } from 'zod';
import type { SettingDefinitions } from './setting-definition.ts';
import { address, oneOf, whole, word } from './setting-values.ts';

/** Aliases from the MCP gateway registry. `litellm` is not one: it spells model names differently. */
const PROVIDER_ALIASES: Readonly<Record<string, string>> = { 'sentence-transformers': 'local', none: 'off' };
const EMBEDDINGS_PROVIDERS = ['local', 'openai', 'bedrock', 'ollama', 'litellm', 'off'] as const;

/** The embedding model. */
export const EMBEDDING_SETTINGS = {
  embeddings_provider: {
    schema: z
      .preprocess(
        (value) => (typeof value === 'string' ? (PROVIDER_ALIASES[value] ?? value) : value),
        oneOf(EMBEDDINGS_PROVIDERS),
      )
      .default('local'),
    env: ['EMBEDDINGS_PROVIDER'],
    meaning:
      '`local` runs the model on this machine. `openai` calls an OpenAI-compatible endpoint, such as a LiteLLM proxy. `bedrock` calls Amazon Bedrock, `ollama` an Ollama server. `off` searches by keyword only. `litellm` takes the provider from the model name: `openai/text-embedding-3-small`, `bedrock/amazon.titan-embed-text-v2:0` or `ollama/nomic-embed-text`. `sentence-transformers` is an alias of `local`, and `none` of `off`.',
  },
  embeddings_model_name: {
    schema: word.optional(),
    env: ['EMBEDDINGS_MODEL_NAME'],
    shown: '`dowser-tools-1`, for an endpoint `text-embedding-3-small`, for Bedrock `amazon.titan-embed-text-v2:0`',
    meaning:
      'The embedding model. After a change, searches use the old model until everything is re-embedded. Required for Ollama.',
  },
  embeddings_dimensions: {
    schema: whole(1, 16_384).optional(),
    env: ['EMBEDDINGS_DIMENSIONS'],
    shown: "the model's own",
    meaning: 'The dimensions of a vector, 1 to 16384. Required for a model that Dowser does not know.',
  },
  embeddings_api_base: {
    schema: address.optional(),
    env: ['EMBEDDINGS_API_BASE'],
    meaning:
      'The address of the embedding endpoint, without `/embeddings`. Default for Ollama: `http://127.0.0.1:11434`. For Bedrock it replaces the address of the region.',
  },
  embeddings_api_key: {
    schema: word.optional(),
    env: ['EMBEDDINGS_API_KEY'],
    meaning: 'The API key of the embedding endpoint. For Bedrock: the access key id. Never printed or logged.',
    secret: true,
  },
  embeddings_secret_key: {
    schema: word.optional(),
    env: ['EMBEDDINGS_SECRET_KEY'],
    meaning:
      'For Bedrock: the secret access key of `embeddings_api_key`. Without both, the AWS SDK uses its default credential chain. Never printed or logged.',
    secret: true,
  },
  embeddings_aws_region: {
    schema: word.optional(),
    env: ['EMBEDDINGS_AWS_REGION', 'AWS_REGION', 'AWS_DEFAULT_REGION'],
    shown: '`us-east-1`',
    meaning: 'For Bedrock: the region of the model.',
  },
  embeddings_response_format: {
    schema: oneOf(['openai', 'raw_array']).default('openai'),
    env: ['EMBEDDINGS_RESPONSE_FORMAT'],
    meaning: 'The response format of the endpoint: `openai`, or `raw_array` for a bare list of vectors.',
  },
  embeddings_workers: {
    schema: whole(1, 64).default(1),
    env: ['EMBEDDINGS_WORKERS'],
    meaning:
      'Threads of the local model, 1 to 64. Each has its own copy of the model in memory. Unless this is set, `import` and `eval` use every core, up to 4.',
  },
} as const satisfies SettingDefinitions;
