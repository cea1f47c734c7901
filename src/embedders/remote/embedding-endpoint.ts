import { DowserError } from '../../model/errors.ts';
import { showValue } from '../../model/parse.ts';
import { Attempts, EndpointError, isRetryableStatus, toRetryAfterMs } from './attempts.ts';

export interface EndpointOptions {
  readonly url: URL;
  readonly apiKey: string | undefined;
  /** For one attempt. */
  readonly timeoutMs: number;
  /** The wait before the second attempt, doubled before the third. The endpoint's own Retry-After comes first. */
  readonly backoffMs: number;
}

/** Posts JSON to one address, with a key, timeouts and retries. Errors never show the key. */
export class EmbeddingEndpoint {
  readonly #options: EndpointOptions;
  readonly #attempts: Attempts;

  constructor(options: EndpointOptions) {
    this.#options = options;
    this.#attempts = new Attempts({ ...options, name: this.name });
  }

  /** The address without user, password and parameters. */
  get name(): string {
    const { origin, pathname } = this.#options.url;
    return `${origin}${pathname}`;
  }

  close(): void {
    this.#attempts.close();
  }

  /** Returns the text of the answer. Throws EndpointError, and the signal's reason when aborted. */
  post(body: unknown, signal: AbortSignal | undefined): Promise<string> {
    const json = JSON.stringify(body);
    return this.#attempts.run((until, timeout) => this.#attempt(json, until, timeout), signal);
  }

  async #attempt(body: string, signal: AbortSignal, timeout: AbortSignal): Promise<string> {
    const { url, apiKey, timeoutMs } = this.#options;
    let response: Response;
    let text: string;
    try {
      response = await fetch(url, {
        method: 'POST',
        body,
        headers: {
          'content-type': 'application/json',
          accept: 'application/json',
          ...(apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` }),
        },
        signal,
      });
      text = await response.text();
    } catch (cause) {
      const why = timeout.aborted ? `did not answer within ${timeoutMs} ms` : `cannot be reached: ${reasonOf(cause)}`;
      // Retry after a timeout only: a refused connection would be refused again.
      throw new EndpointError('EMBEDDER_UNAVAILABLE', `The embedding endpoint ${this.name} ${why}.`, {
        hint: 'Check EMBEDDINGS_API_BASE and the network.',
        cause,
        isRetryable: timeout.aborted,
      });
    }
    if (response.ok) return text;
    throw this.#refusal(response, text);
  }

  #refusal({ status, headers }: Response, text: string): EndpointError {
    const said = this.#messageIn(text);
    const message = `The embedding endpoint ${this.name} answers ${status}${said === '' ? '' : `: ${said}`}.`;
    if (isRetryableStatus(status)) {
      const retryAfterMs = toRetryAfterMs(headers.get('retry-after'));
      return new EndpointError('EMBEDDER_UNAVAILABLE', message, {
        status,
        isRetryable: true,
        ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
      });
    }
    const hint = hintFor(status);
    return new EndpointError('EMBEDDER_REJECTED', message, { status, ...(hint === undefined ? {} : { hint }) });
  }

  /** The endpoint's own message, on one short line. The key is removed: some endpoints quote it. */
  #messageIn(text: string): string {
    const { apiKey } = this.#options;
    const said = errorMessageOf(text).replaceAll(/\s+/g, ' ').trim();
    const safe = apiKey === undefined || apiKey === '' ? said : said.replaceAll(apiKey, '***');
    const short = safe.length > 200 ? `${safe.slice(0, 197)}...` : safe;
    return short.replace(/\.$/, '');
  }
}

function hintFor(status: number): string | undefined {
  if (status === 401 || status === 403) return 'Check EMBEDDINGS_API_KEY and its permissions.';
  if (status === 404) return 'Check EMBEDDINGS_API_BASE and EMBEDDINGS_MODEL_NAME.';
  return undefined;
}

/** `{error: {message}}`, `{error}`, `{message}` or `{detail}`; otherwise the text itself, without tags. */
function errorMessageOf(text: string): string {
  try {
    const body = JSON.parse(text) as Record<string, unknown> | null;
    const error = body?.error as Record<string, unknown> | string | undefined;
    const said = typeof error === 'object' ? error?.message : (error ?? body?.message ?? body?.detail);
    return typeof said === 'string' ? said : '';
  } catch {
    return text.replaceAll(/<[^>]*>/g, ' ');
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

/** Runtimes put the reason of a failed request in nested causes. */
export function reasonOf(error: unknown): string {
  const cause = error instanceof Error ? error.cause : undefined;
  if (cause instanceof Error && 'code' in cause) return String(cause.code);
  return error instanceof Error ? error.message : String(error);
}
