import { DowserError } from '../../model/errors.ts';
import { showValue } from '../../model/parse.ts';
import { Attempts, EndpointError, isPassing, toRetryAfterMs } from './attempts.ts';

export interface EndpointOptions {
  readonly url: URL;
  readonly apiKey: string | undefined;
  /** Of one attempt. */
  readonly timeoutMs: number;
  /** Waited before the second attempt, doubled before the third, unless the endpoint says how long. */
  readonly backoffMs: number;
}

/** One address that JSON is posted to, with a key, time-outs and up to two more attempts. The key is never shown. */
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

  /** The text of a successful answer. Throws EndpointError, and the signal's reason when aborted. */
  post(body: unknown, signal: AbortSignal | undefined): Promise<string> {
    const json = JSON.stringify(body);
    return this.#attempts.run((until, overTime) => this.#attempt(json, until, overTime), signal);
  }

  async #attempt(body: string, signal: AbortSignal, overTime: AbortSignal): Promise<string> {
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
      const why = overTime.aborted ? `did not answer in ${timeoutMs} ms` : `cannot be reached: ${reasonOf(cause)}`;
      // A refused connection would be refused again at once: only silence is worth another attempt.
      throw new EndpointError('EMBEDDER_UNAVAILABLE', `The embedding endpoint ${this.name} ${why}.`, {
        hint: 'Check EMBEDDINGS_API_BASE and the network.',
        cause,
        mayPass: overTime.aborted,
      });
    }
    if (response.ok) return text;
    throw this.#refusal(response, text);
  }

  #refusal({ status, headers }: Response, text: string): EndpointError {
    const said = this.#messageIn(text);
    const message = `The embedding endpoint ${this.name} answers ${status}${said === '' ? '' : `: ${said}`}.`;
    if (isPassing(status)) {
      const retryAfterMs = toRetryAfterMs(headers.get('retry-after'));
      return new EndpointError('EMBEDDER_UNAVAILABLE', message, {
        status,
        mayPass: true,
        ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
      });
    }
    const hint = hintFor(status);
    return new EndpointError('EMBEDDER_REJECTED', message, { status, ...(hint === undefined ? {} : { hint }) });
  }

  /** What the endpoint itself says, on one short line. Some endpoints quote the key: it is taken out. */
  #messageIn(text: string): string {
    const { apiKey } = this.#options;
    const said = errorMessageOf(text).replaceAll(/\s+/g, ' ').trim();
    const safe = apiKey === undefined || apiKey === '' ? said : said.replaceAll(apiKey, '***');
    const short = safe.length > 200 ? `${safe.slice(0, 197)}...` : safe;
    return short.replace(/\.$/, '');
  }
}

function hintFor(status: number): string | undefined {
  if (status === 401 || status === 403) return 'Check EMBEDDINGS_API_KEY and what it may be used for.';
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

/** Checks the address of an endpoint. Throws INVALID_SETTING; `example` is one that would do. */
export function endpointAddress(base: string, example: string): URL {
  const url = URL.canParse(base) ? new URL(base) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    throw new DowserError('INVALID_SETTING', `The address of the embedding endpoint is ${showValue(base)}.`, {
      field: 'embeddings_api_base',
      hint: `Give a web address such as ${example}.`,
    });
  }
  if (url.username !== '' || url.password !== '') {
    throw new DowserError('INVALID_SETTING', 'The address of the embedding endpoint holds a user name or a password.', {
      field: 'embeddings_api_base',
      hint: 'Give the key as EMBEDDINGS_API_KEY.',
    });
  }
  return url;
}

/** Runtimes hide why a request failed in the cause of the cause. */
export function reasonOf(error: unknown): string {
  const cause = error instanceof Error ? error.cause : undefined;
  if (cause instanceof Error && 'code' in cause) return String(cause.code);
  return error instanceof Error ? error.message : String(error);
}
