import { trimEndChars } from '../../model/text/trim-chars.ts';
import type { Embedder } from '../embedder.ts';
import { EndpointError, type RemoteOptions } from './attempts.ts';
import { EmbeddingEndpoint, endpointAddress } from './embedding-endpoint.ts';
import type { ResponseFormat } from './embedding-response.ts';
import { batchesOf, cut } from './text-batches.ts';

export interface OpenAiEmbedderOptions extends RemoteOptions {
  /** Default `openai`. */
  readonly responseFormat?: ResponseFormat | undefined;
}

const OPENAI_API_BASE = 'https://api.openai.com/v1';

/** A text is cut at about 8191 tokens of English, the limit of OpenAI's models. */
const BATCH = { texts: 64, chars: 100_000, textChars: 30_000 };
/** Short enough for any model. If it is refused, the reason is not its length. */
const SHORT_TEXT_CHARS = 1000;
/** Statuses for a text that is too long for the model. */
const TOO_LONG_STATUSES: readonly (number | undefined)[] = [400, 413, 422];

/** Any endpoint with `POST /embeddings`. Throws INVALID_SETTING for a bad address. */
export function openOpenAiEmbedder(options: OpenAiEmbedderOptions): Embedder {
  const { model, dimensions, apiBase = OPENAI_API_BASE, responseFormat = 'openai' } = options;
  const endpoint = new EmbeddingEndpoint(endpointUrl(apiBase), options);
  // Only this family supports a request for dimensions.
  const size = model.includes('text-embedding-3') ? { dimensions } : {};
  const extras = responseFormat === 'openai' ? { encoding_format: 'float', ...size } : {};

  /** Splits a refused batch and halves its long texts until they fit. The cut of a text does not depend on its batch. */
  async function embedBatch(
    texts: readonly string[],
    signal: AbortSignal | undefined,
  ): Promise<readonly Float32Array[]> {
    try {
      return await endpoint.request({ input: texts, model, ...extras }, texts.length, responseFormat, signal);
    } catch (error) {
      const isTooLong = error instanceof EndpointError && TOO_LONG_STATUSES.includes(error.status);
      if (!isTooLong || texts.every((text) => text.length <= SHORT_TEXT_CHARS)) throw error;
      const vectors: Float32Array[] = [];
      for (const text of texts) {
        const shorter = texts.length === 1 ? cut(text, Math.floor(text.length / 2)) : text;
        vectors.push(...(await embedBatch([shorter], signal)));
      }
      return vectors;
    }
  }

  return {
    id: `openai/${model}/${dimensions}`,
    dimensions,
    async embed(texts, { signal }) {
      const vectors: Float32Array[] = [];
      for (const batch of batchesOf(texts, BATCH)) vectors.push(...(await embedBatch(batch, signal)));
      return vectors;
    },
    close: () => endpoint.close(),
  };
}

function endpointUrl(base: string): URL {
  const url = endpointAddress(base, 'http://localhost:11434/v1');
  const path = trimEndChars(url.pathname, '/');
  url.pathname = path.endsWith('/embeddings') ? path : `${path}/embeddings`;
  return url;
}
