import type { Embedder } from '../embedder.ts';
import { EndpointError } from './attempts.ts';
import { EmbeddingEndpoint, endpointAddress } from './embedding-endpoint.ts';
import { parseAnswer, parseEmbeddings, type ResponseFormat } from './embedding-response.ts';
import { batchesOf, cut } from './text-batches.ts';

export interface OpenAiEmbedderOptions {
  /** As the endpoint calls it. */
  readonly model: string;
  readonly dimensions: number;
  /** Ask the endpoint for this size, which only some models know. Default: for the `text-embedding-3` family. */
  readonly requestDimensions?: boolean | undefined;
  /** `/embeddings` is added unless it is there. Default: OpenAI's own. */
  readonly apiBase?: string | undefined;
  readonly apiKey?: string | undefined;
  /** Default `openai`. */
  readonly responseFormat?: ResponseFormat | undefined;
  /** Of one attempt. Default 30 s. */
  readonly timeoutMs?: number | undefined;
  /** Before the second attempt; twice that before the third. Default 500. */
  readonly backoffMs?: number | undefined;
}

const OPENAI_API_BASE = 'https://api.openai.com/v1';

/** A text is cut at about 8191 tokens of English, what OpenAI's models read. */
const BATCH = { texts: 64, chars: 100_000, textChars: 30_000 };
/** A text under this is short for any model: when it is refused, that has another reason. */
const SHORT_TEXT_CHARS = 1000;
/** How endpoints answer a text that is too long for the model. */
const TOO_LONG_STATUSES: readonly (number | undefined)[] = [400, 413, 422];

/** Any endpoint that speaks `POST /embeddings`. Throws INVALID_SETTING for an address that is none. */
export function openOpenAiEmbedder(options: OpenAiEmbedderOptions): Embedder {
  const { model, dimensions, responseFormat = 'openai' } = options;
  const endpoint = new EmbeddingEndpoint({
    url: endpointUrl(options.apiBase ?? OPENAI_API_BASE),
    apiKey: options.apiKey,
    timeoutMs: options.timeoutMs ?? 30_000,
    backoffMs: options.backoffMs ?? 500,
  });
  const asksForSize = options.requestDimensions ?? model.includes('text-embedding-3');
  const extras =
    responseFormat === 'openai' ? { encoding_format: 'float', ...(asksForSize ? { dimensions } : {}) } : {};

  async function request(texts: readonly string[], signal: AbortSignal | undefined): Promise<readonly Float32Array[]> {
    const text = await endpoint.post({ input: texts, model, ...extras }, signal);
    return parseAnswer(text, endpoint.name, (body) =>
      parseEmbeddings(body, { format: responseFormat, count: texts.length, dimensions }),
    );
  }

  /** A refused batch is taken apart and its long texts are halved until they fit, each by itself: same text, same cut. */
  async function embedBatch(
    texts: readonly string[],
    signal: AbortSignal | undefined,
  ): Promise<readonly Float32Array[]> {
    try {
      return await request(texts, signal);
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
    async close() {
      endpoint.close();
    },
  };
}

function endpointUrl(base: string): URL {
  const url = endpointAddress(base, 'http://localhost:11434/v1');
  const path = url.pathname.replace(/\/+$/, '');
  url.pathname = path.endsWith('/embeddings') ? path : `${path}/embeddings`;
  return url;
}
