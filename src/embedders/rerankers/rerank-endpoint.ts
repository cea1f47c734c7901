import { endpointMessage } from '../../model/errors/endpoint-message.ts';
import { DowserError } from '../../model/errors/errors.ts';
import { isJsonObject } from '../../model/json/json-object.ts';
import { trimEndChars } from '../../model/text/trim-chars.ts';
import type { Reranker } from './reranker.ts';

export interface RerankEndpointOptions {
  /** With or without `/rerank` at its end. */
  readonly apiBase: string;
  /** Absent: the endpoint has one model. */
  readonly model?: string | undefined;
  readonly apiKey?: string | undefined;
}

interface RankedText {
  readonly index?: unknown;
  readonly relevance_score?: unknown;
  readonly score?: unknown;
}

/** `results` of Cohere, Jina, vLLM and LiteLLM, `data` of Voyage, and the bare list of Text Embeddings Inference. */
function listIn(answer: unknown): readonly RankedText[] {
  const { results, data } = isJsonObject(answer) ? answer : {};
  const list = [answer, results, data].find(Array.isArray);
  if (list === undefined || !list.every(isJsonObject)) throw new Error("it has no list 'results' of objects");
  return list;
}

/** Scores are probabilities for most providers. No reading is surer than this, so that an order is left among the first. */
const SUREST = 0.999;

/** Any endpoint with `POST /rerank`. Throws INVALID_SETTING for a bad address. */
export function openRerankEndpoint({ apiBase, model, apiKey }: RerankEndpointOptions): Reranker {
  const url = rerankUrl(apiBase);
  const name = `${url.origin}${url.pathname}`;
  const closing = new AbortController();
  const headers: Record<string, string> = { 'content-type': 'application/json', accept: 'application/json' };
  if (apiKey !== undefined) headers.authorization = `Bearer ${apiKey}`;

  async function post(body: unknown, signal: AbortSignal): Promise<string> {
    const { ok, status, text } = await fetch(url, { method: 'POST', body: JSON.stringify(body), headers, signal })
      .then(async (response) => ({ ok: response.ok, status: response.status, text: await response.text() }))
      .catch((cause: unknown) => {
        throw failure(`cannot be reached (${networkReason(cause)})`, '', cause);
      });
    if (ok) return text;
    // Some endpoints quote the key.
    const said = endpointMessage(apiKey === undefined || apiKey === '' ? text : text.replaceAll(apiKey, '***'));
    throw failure(`answers ${status}`, said);
  }

  /** `detail` is for the operator: callers of a search get only the reason. */
  function failure(reason: string, detail: string, cause?: unknown): DowserError {
    const more = detail === '' ? '' : `: ${detail}`;
    return new DowserError('EMBEDDER_UNAVAILABLE', `The rerank endpoint ${name} ${reason}${more}.`, {
      hint: 'Check RERANK_API_BASE, RERANK_API_KEY and RERANK_MODEL_NAME.',
      details: { reason: `it ${reason}` },
      cause,
    });
  }

  return {
    id: `rerank/${model ?? url.host}`,
    async read(query, texts, { signal } = {}) {
      if (texts.length === 0) return [];
      const documents = texts.map(({ text, server }) => (server === '' ? text : `${text}\n${server}`));
      const until = AbortSignal.any(signal === undefined ? [closing.signal] : [closing.signal, signal]);
      const request = { ...(model === undefined ? {} : { model }), query, documents };
      const answer = await post(request, until).catch((thrown: unknown) => {
        signal?.throwIfAborted();
        throw thrown;
      });
      try {
        return toReadings(listIn(JSON.parse(answer)), texts.length);
      } catch (cause) {
        // The words of JSON.parse quote the answer.
        const detail = cause instanceof SyntaxError ? 'it is not JSON' : (cause as Error).message;
        throw failure('gives an answer that cannot be used', detail, cause);
      }
    },
    close: async () => closing.abort(),
  };
}

/** Runtimes put the reason of a failed request in nested causes. */
function networkReason(thrown: unknown): string {
  const { cause } = thrown as { readonly cause?: { readonly code?: unknown } };
  return typeof cause?.code === 'string' ? cause.code : 'the connection broke';
}

/** In the order of the texts. Probabilities become log-odds; scores of models that give these stay. */
function toReadings(results: readonly RankedText[], count: number): readonly number[] {
  const readings = new Array<number>(count).fill(Number.NaN);
  for (const { index, relevance_score, score } of results) {
    const reading = relevance_score ?? score;
    if (typeof index === 'number' && index in readings && typeof reading === 'number') readings[index] = reading;
  }
  if (!readings.every(Number.isFinite)) throw new Error(`it has no score for some of ${count} texts`);
  const areShares = readings.every((reading) => reading >= 0 && reading <= 1);
  if (!areShares) return readings;
  return readings.map((reading) => {
    const share = Math.min(SUREST, Math.max(1 - SUREST, reading));
    return Math.log(share / (1 - share));
  });
}

function rerankUrl(base: string): URL {
  const url = URL.canParse(base) ? new URL(base) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '') {
    throw new DowserError(
      'INVALID_SETTING',
      'The address of the rerank endpoint is not a web address without user and password.',
      {
        field: 'rerank_api_base',
        hint: 'Use an address such as http://localhost:8080/v1.',
      },
    );
  }
  const path = trimEndChars(url.pathname, '/');
  url.pathname = path.endsWith('/rerank') ? path : `${path}/rerank`;
  return url;
}
