import { setTimeout as sleep } from 'node:timers/promises';
import { DowserError } from '../model/errors.ts';

export interface EndpointOptions {
  readonly url: URL;
  readonly apiKey: string | undefined;
  /** Of one attempt. */
  readonly timeoutMs: number;
  /** Waited before the second attempt, doubled before the third, unless the endpoint says how long. */
  readonly backoffMs: number;
}

const MAX_ATTEMPTS = 3;
/** An endpoint that wants more patience than this counts as down; the breaker tries again later. */
const MAX_RETRY_AFTER_MS = 20_000;

/** An answer other than success, or none. */
export class EndpointError extends DowserError {
  /** Of the answer, when there was one. */
  readonly status: number | undefined;
  /** Another attempt may go better. */
  readonly mayPass: boolean;
  readonly retryAfterMs: number | undefined;

  constructor(
    code: 'EMBEDDER_UNAVAILABLE' | 'EMBEDDER_REJECTED',
    message: string,
    details: { hint?: string; cause?: unknown; status?: number; mayPass?: boolean; retryAfterMs?: number } = {},
  ) {
    super(code, message, details);
    this.status = details.status;
    this.mayPass = details.mayPass ?? false;
    this.retryAfterMs = details.retryAfterMs;
  }
}

/** One address that JSON is posted to, with a key, time-outs and up to two more attempts. The key is never shown. */
export class EmbeddingEndpoint {
  readonly #options: EndpointOptions;
  readonly #closing = new AbortController();

  constructor(options: EndpointOptions) {
    this.#options = options;
  }

  /** The address without user, password and parameters. */
  get name(): string {
    const { origin, pathname } = this.#options.url;
    return `${origin}${pathname}`;
  }

  close(): void {
    this.#closing.abort();
  }

  /** The text of a successful answer. Throws EndpointError, and the signal's reason when aborted. */
  async post(body: unknown, signal: AbortSignal | undefined): Promise<string> {
    const json = JSON.stringify(body);
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#attempt(json, signal);
      } catch (error) {
        this.#stopIfUnwanted(signal);
        if (!(error instanceof EndpointError) || !error.mayPass || attempt === MAX_ATTEMPTS) throw error;
        const waitMs = error.retryAfterMs ?? this.#options.backoffMs * 2 ** (attempt - 1);
        if (waitMs > MAX_RETRY_AFTER_MS) throw error;
        await sleep(waitMs, undefined, { signal: this.#anyOf(signal) }).catch(() => this.#stopIfUnwanted(signal));
      }
    }
  }

  async #attempt(body: string, signal: AbortSignal | undefined): Promise<string> {
    const { url, apiKey, timeoutMs } = this.#options;
    this.#stopIfUnwanted(signal);
    const overTime = AbortSignal.timeout(timeoutMs);
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
        signal: this.#anyOf(signal, overTime),
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
    if (status === 408 || status === 429 || status >= 500) {
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

  #anyOf(...signals: readonly (AbortSignal | undefined)[]): AbortSignal {
    return AbortSignal.any([this.#closing.signal, ...signals.filter((signal) => signal !== undefined)]);
  }

  #stopIfUnwanted(signal: AbortSignal | undefined): void {
    signal?.throwIfAborted();
    if (this.#closing.signal.aborted) {
      throw new EndpointError('EMBEDDER_UNAVAILABLE', `The embedder at ${this.name} is closed.`);
    }
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

/** Seconds or a date (RFC 9110, 10.2.3). */
export function toRetryAfterMs(header: string | null, now: number = Date.now()): number | undefined {
  if (header === null) return undefined;
  const ms = /^\d+$/.test(header.trim()) ? Number(header) * 1000 : Date.parse(header) - now;
  return Number.isNaN(ms) ? undefined : Math.max(0, ms);
}

function reasonOf(error: unknown): string {
  const cause = error instanceof Error ? error.cause : undefined;
  if (cause instanceof Error && 'code' in cause) return String(cause.code);
  return error instanceof Error ? error.message : String(error);
}
