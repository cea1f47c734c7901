import { z } from 'zod';
import type { SettingDefinitions } from './setting-definition.ts';
import { address, oneOf, whole, word } from './setting-values.ts';

/** Names of the registry's own that mean the same as ours. `litellm` is not one: it spells model names differently. */
const PROVIDER_ALIASES: Readonly<Record<string, string>> = { 'sentence-transformers': 'local', none: 'off' };
const EMBEDDINGS_PROVIDERS = ['local', 'openai', 'bedrock', 'ollama', 'litellm', 'off'] as const;

/** Which model computes vectors, and where. */
export const EMBEDDING_SETTINGS = {
  embeddings_provider: {
    schema: z
      .preprocess(
        (value) => (typeof value === 'string' ? (PROVIDER_ALIASES[value] ?? value) : value),
        oneOf(EMBEDDINGS_PROVIDERS),
      )
      .default('local'),
    env: ['EMBEDDINGS_PROVIDER'],
    flag: null,
    shown: '`local`',
    meaning:
      '`local` runs the model on this machine, `openai` calls any endpoint of that shape (a LiteLLM proxy, for one), `bedrock` Amazon Bedrock, `ollama` an Ollama server, `off` searches by keyword only. `litellm` takes model names like `openai/text-embedding-3-small`, `bedrock/amazon.titan-embed-text-v2:0` or `ollama/nomic-embed-text` and calls whom they name. `sentence-transformers` means `local` and `none` means `off`.',
  },
  embeddings_model_name: {
    schema: word.optional(),
    env: ['EMBEDDINGS_MODEL_NAME'],
    flag: null,
    shown: '`all-MiniLM-L6-v2`, for an endpoint `text-embedding-3-small`, for Bedrock `amazon.titan-embed-text-v2:0`',
    meaning:
      'The embedding model. When it is changed, the old one goes on answering until every vector is computed anew. Ollama needs one.',
  },
  embeddings_dimensions: {
    schema: whole(1, 16_384).optional(),
    env: ['EMBEDDINGS_DIMENSIONS'],
    flag: null,
    shown: "the model's own",
    meaning: 'How many numbers a vector has, 1 to 16384. Needed for a model Dowser does not know.',
  },
  embeddings_api_base: {
    schema: address.optional(),
    env: ['EMBEDDINGS_API_BASE'],
    flag: null,
    shown: 'none',
    meaning:
      'The address of the embedding endpoint, up to and without `/embeddings`. For Ollama the default is `http://127.0.0.1:11434`; for Bedrock it replaces the address of the region.',
  },
  embeddings_api_key: {
    schema: word.optional(),
    env: ['EMBEDDINGS_API_KEY'],
    flag: null,
    shown: 'none',
    meaning: 'The key for the embedding endpoint, for Bedrock an access key id. Never printed or logged.',
    secret: true,
  },
  embeddings_secret_key: {
    schema: word.optional(),
    env: ['EMBEDDINGS_SECRET_KEY'],
    flag: null,
    shown: 'none',
    meaning:
      'For Bedrock: the secret access key that belongs to `embeddings_api_key`. Without the two, AWS finds its own credentials. Never printed or logged.',
    secret: true,
  },
  embeddings_aws_region: {
    schema: word.optional(),
    env: ['EMBEDDINGS_AWS_REGION', 'AWS_REGION', 'AWS_DEFAULT_REGION'],
    flag: null,
    shown: '`us-east-1`',
    meaning: 'For Bedrock: the region of the model.',
  },
  embeddings_response_format: {
    schema: oneOf(['openai', 'raw_array']).default('openai'),
    env: ['EMBEDDINGS_RESPONSE_FORMAT'],
    flag: null,
    shown: '`openai`',
    meaning: 'How the endpoint answers: `openai`, or `raw_array` for a bare list of vectors.',
  },
  embeddings_workers: {
    schema: whole(1, 64).default(1),
    env: ['EMBEDDINGS_WORKERS'],
    flag: null,
    shown: '`1`',
    meaning:
      'How many threads the local model runs on, 1 to 64. Each holds its own copy of the model in memory. `import` and `eval` use every core, up to 4, unless this is set.',
  },
} as const satisfies SettingDefinitions;
