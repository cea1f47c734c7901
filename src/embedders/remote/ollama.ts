import type { Embedder } from '../embedder.ts';
import { EmbeddingEndpoint, endpointAddress } from './embedding-endpoint.ts';
import { parseAnswer, parseEmbeddings } from './embedding-response.ts';
import { batchesOf } from './text-batches.ts';

export interface OllamaEmbedderOptions {
  /** As `ollama list` shows it. */
  readonly model: string;
  readonly dimensions: number;
  /** Default: this machine, at Ollama's default port. */
  readonly apiBase?: string | undefined;
  /** For a server behind a proxy that needs a key. */
  readonly apiKey?: string | undefined;
  /** For one attempt. Default 60 s: the first call may wait until Ollama has loaded the model. */
  readonly timeoutMs?: number | undefined;
  /** The wait before the second attempt, doubled before the third. Default 500. */
  readonly backoffMs?: number | undefined;
}

const OLLAMA_API_BASE = 'http://127.0.0.1:11434';

/** Ollama embeds a batch text by text. A small batch keeps an answer within its timeout. */
const BATCH = { texts: 32, chars: 100_000, textChars: 30_000 };

/** An Ollama server, by its `POST /api/embed`. It cuts long texts itself. Throws INVALID_SETTING for a bad address. */
export function openOllamaEmbedder(options: OllamaEmbedderOptions): Embedder {
  const { model, dimensions } = options;
  const endpoint = new EmbeddingEndpoint({
    url: embedUrl(options.apiBase ?? OLLAMA_API_BASE),
    apiKey: options.apiKey,
    timeoutMs: options.timeoutMs ?? 60_000,
    backoffMs: options.backoffMs ?? 500,
  });
  return {
    id: `ollama/${model}/${dimensions}`,
    dimensions,
    async embed(texts, { signal }) {
      const vectors: Float32Array[] = [];
      for (const input of batchesOf(texts, BATCH)) {
        const text = await endpoint.post({ model, input, truncate: true }, signal);
        const expected = { format: 'raw_array', count: input.length, dimensions } as const;
        vectors.push(...parseAnswer(text, endpoint.name, (body) => parseEmbeddings(body, expected)));
      }
      return vectors;
    },
    async close() {
      endpoint.close();
    },
  };
}

/** Also accepts the address of Ollama's OpenAI-compatible API, which ends in `/v1`. */
function embedUrl(base: string): URL {
  const url = endpointAddress(base, OLLAMA_API_BASE);
  const path = url.pathname.replace(/\/+$/, '').replace(/\/v1$|\/api(\/embed)?$/, '');
  url.pathname = `${path}/api/embed`;
  return url;
}
