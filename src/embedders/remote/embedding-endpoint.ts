import { endpointMessage } from '../../model/errors/endpoint-message.ts';
import { DowserError } from '../../model/errors/errors.ts';
import { showValue } from '../../model/parse/parse.ts';
import { Attempts, RefusedRequest, type RemoteOptions } from './attempts.ts';
import { parseAnswer, parseEmbeddings, type ResponseFormat } from './embedding-response.ts';

const HINTS = {
  network: 'Check EMBEDDINGS_API_BASE and the network.',
  denied: 'Check EMBEDDINGS_API_KEY and its permissions.',
  missing: 'Check EMBEDDINGS_API_BASE and EMBEDDINGS_MODEL_NAME.',
};

/** Posts JSON to one address, with a key, timeouts and retries. Errors never show the key. */
export class EmbeddingEndpoint {
  readonly #url: URL;
  readonly #options: RemoteOptions;
  readonly #attempts: Attempts;

  constructor(url: URL, options: RemoteOptions) {
    this.#url = url;
    this.#options = options;
    this.#attempts = new Attempts(this.#name, HINTS, options);
  }

  /** The address without user, password and parameters. */
  get #name(): string {
    return `${this.#url.origin}${this.#url.pathname}`;
  }

  async close(): Promise<void> {
    this.#attempts.close();
  }

  /** The vectors of the answer, one for each of `count` texts. Throws the signal's reason when aborted. */
  async request(
    body: unknown,
    count: number,
    format: ResponseFormat,
    signal: AbortSignal | undefined,
  ): Promise<readonly Float32Array[]> {
    const { dimensions } = this.#options;
    const json = JSON.stringify(body);
    const text = await this.#attempts.run((until) => this.#post(json, until), signal);
    return parseAnswer(text, this.#name, (answer) => parseEmbeddings(answer, { format, count, dimensions }));
  }

  async #post(body: string, signal: AbortSignal): Promise<string> {
    const { apiKey } = this.#options;
    const json = { 'content-type': 'application/json', accept: 'application/json' };
    const headers = apiKey === undefined ? json : { ...json, authorization: `Bearer ${apiKey}` };
    const response = await fetch(this.#url, { method: 'POST', body, headers, signal });
    const text = await response.text();
    if (response.ok) return text;
    // Some endpoints quote the key.
    const safe = apiKey === undefined || apiKey === '' ? text : text.replaceAll(apiKey, '***');
    throw new RefusedRequest(response.status, endpointMessage(safe), response.headers.get('retry-after'));
  }
}

/** Checks the address of an endpoint. Throws INVALID_SETTING; `example` is for its hint. */
export function endpointAddress(base: string, example: string): URL {
  const url = URL.canParse(base) ? new URL(base) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    throw new DowserError(
      'INVALID_SETTING',
      `The address of the embedding endpoint is not a web address: ${showValue(base)}.`,
      {
        field: 'embeddings_api_base',
        hint: `Use an address such as ${example}.`,
      },
    );
  }
  if (url.username !== '' || url.password !== '') {
    throw new DowserError(
      'INVALID_SETTING',
      'The address of the embedding endpoint contains a user name or password.',
      {
        field: 'embeddings_api_base',
        hint: 'Set the key as EMBEDDINGS_API_KEY instead.',
      },
    );
  }
  return url;
}
