import { DowserError } from '../model/errors.ts';
import { showValue } from '../model/parse.ts';
import type { Embedder } from './embedder.ts';
import { EmbeddingEndpoint, EndpointError } from './embedding-endpoint.ts';
import { BadEmbeddingResponse, parseEmbeddings, type ResponseFormat } from './embedding-response.ts';

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

export const OPENAI_API_BASE = 'https://api.openai.com/v1';

const MAX_BATCH_TEXTS = 64;
const MAX_BATCH_CHARS = 100_000;
/** About 8191 tokens of English, what OpenAI's models read. */
const MAX_TEXT_CHARS = 30_000;
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
    try {
      return parseEmbeddings(jsonOf(text), { format: responseFormat, count: texts.length, dimensions });
    } catch (cause) {
      if (!(cause instanceof BadEmbeddingResponse)) throw cause;
      const message = `The embedding endpoint ${endpoint.name} gives an answer that cannot be used: ${cause.message}.`;
      const hint = 'Check EMBEDDINGS_API_BASE, EMBEDDINGS_DIMENSIONS and EMBEDDINGS_RESPONSE_FORMAT.';
      throw new DowserError('EMBEDDER_REJECTED', message, { hint, cause });
    }
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
      for (const batch of batchesOf(texts)) vectors.push(...(await embedBatch(batch, signal)));
      return vectors;
    },
    async close() {
      endpoint.close();
    },
  };
}

function endpointUrl(base: string): URL {
  const url = URL.canParse(base) ? new URL(base) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    throw new DowserError('INVALID_SETTING', `The address of the embedding endpoint is ${showValue(base)}.`, {
      field: 'embeddings_api_base',
      hint: 'Give a web address such as http://localhost:11434/v1.',
    });
  }
  if (url.username !== '' || url.password !== '') {
    throw new DowserError('INVALID_SETTING', 'The address of the embedding endpoint holds a user name or a password.', {
      field: 'embeddings_api_base',
      hint: 'Give the key as EMBEDDINGS_API_KEY.',
    });
  }
  const path = url.pathname.replace(/\/+$/, '');
  url.pathname = path.endsWith('/embeddings') ? path : `${path}/embeddings`;
  return url;
}

/** Never in the middle of a surrogate pair. */
function cut(text: string, length: number): string {
  const last = text.charCodeAt(length - 1);
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? length - 1 : length);
}

/** Groups texts in order, bounded by count and size. Endpoints refuse an empty text, so a blank stands for it. */
function* batchesOf(texts: readonly string[]): Generator<readonly string[]> {
  let batch: string[] = [];
  let chars = 0;
  for (const whole of texts) {
    const text = whole === '' ? ' ' : cut(whole, MAX_TEXT_CHARS);
    if (batch.length === MAX_BATCH_TEXTS || (batch.length > 0 && chars + text.length > MAX_BATCH_CHARS)) {
      yield batch;
      batch = [];
      chars = 0;
    }
    batch.push(text);
    chars += text.length;
  }
  if (batch.length > 0) yield batch;
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new BadEmbeddingResponse(`it is no JSON but begins ${showValue(text.slice(0, 60))}`);
  }
}
