import type { Embedder } from '../embedder.ts';
import { EmbeddingEndpoint, endpointAddress } from './embedding-endpoint.ts';
import { parseAnswer, parseEmbeddings } from './embedding-response.ts';
import { batchesOf } from './text-batches.ts';

export interface OllamaEmbedderOptions {
  /** As `ollama list` shows it. */
  readonly model: string;
  readonly dimensions: number;
  /** Default: this machine, at Ollama's own port. */
  readonly apiBase?: string | undefined;
  /** For a server behind a proxy that wants one. */
  readonly apiKey?: string | undefined;
  /** Of one attempt. Default 60 s: the first call may have to wait until Ollama has loaded the model. */
  readonly timeoutMs?: number | undefined;
  /** Before the second attempt; twice that before the third. Default 500. */
  readonly backoffMs?: number | undefined;
}

const OLLAMA_API_BASE = 'http://127.0.0.1:11434';

/** Ollama works a batch off text by text: a small one keeps an answer from taking longer than its time-out. */
const BATCH = { texts: 32, chars: 100_000, textChars: 30_000 };

/** An Ollama server, over its own `POST /api/embed`. It cuts long texts itself. Throws INVALID_SETTING for no address. */
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

/** People copy the address of Ollama's OpenAI-shaped door, which ends in `/v1`. */
function embedUrl(base: string): URL {
  const url = endpointAddress(base, OLLAMA_API_BASE);
  const path = url.pathname.replace(/\/+$/, '').replace(/\/v1$|\/api(\/embed)?$/, '');
  url.pathname = `${path}/api/embed`;
  return url;
}
