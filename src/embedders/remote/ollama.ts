import { trimEndChars } from '../../model/text/trim-chars.ts';
import type { Embedder } from '../embedder.ts';
import type { RemoteOptions } from './attempts.ts';
import { EmbeddingEndpoint, endpointAddress } from './embedding-endpoint.ts';
import { batchesOf } from './text-batches.ts';

const OLLAMA_API_BASE = 'http://127.0.0.1:11434';

/** The first call may wait until Ollama has loaded the model. */
const FIRST_ANSWER_MS = 60_000;

/** Ollama embeds a batch text by text. A small batch keeps an answer within its timeout. */
const BATCH = { texts: 32, chars: 100_000, textChars: 30_000 };

/** An Ollama server, by its `POST /api/embed`. It cuts long texts itself. Throws INVALID_SETTING for a bad address. */
export function openOllamaEmbedder(options: RemoteOptions): Embedder {
  const { model, dimensions, apiBase = OLLAMA_API_BASE, timeoutMs = FIRST_ANSWER_MS } = options;
  const endpoint = new EmbeddingEndpoint(embedUrl(apiBase), { ...options, timeoutMs });
  return {
    id: `ollama/${model}/${dimensions}`,
    dimensions,
    async embed(texts, { signal }) {
      const vectors: Float32Array[] = [];
      for (const input of batchesOf(texts, BATCH)) {
        vectors.push(...(await endpoint.request({ model, input, truncate: true }, input.length, 'raw_array', signal)));
      }
      return vectors;
    },
    close: () => endpoint.close(),
  };
}

/** Also accepts the address of Ollama's OpenAI-compatible API, which ends in `/v1`. */
function embedUrl(base: string): URL {
  const url = endpointAddress(base, OLLAMA_API_BASE);
  const path = trimEndChars(url.pathname, '/').replace(/\/v1$|\/api(\/embed)?$/, '');
  url.pathname = `${path}/api/embed`;
  return url;
}
