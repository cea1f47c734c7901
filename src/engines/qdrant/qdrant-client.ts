import type { QdrantAddress } from './qdrant-address.ts';
import { isTimeout, MissingCollection, refused, tooOld, unreachable } from './qdrant-errors.ts';

export interface RequestOptions {
  readonly body?: unknown;
  /** For each attempt. */
  readonly timeoutMs: number;
}

/** The query API for several questions at once, with exact search and rescoring. */
const MIN_VERSION = '1.12.0';
const CHECK_MS = 5_000;

/**
 * Asks Qdrant over HTTP. Everything asked here may be asked twice: if a connection breaks, the request is sent again, first
 * to the same node, because Qdrant closes idle connections after seconds, then to the others.
 */
export class QdrantClient {
  readonly address: string;
  readonly #urls: readonly string[];
  readonly #headers: Readonly<Record<string, string>>;
  /** The node that answered last. */
  #current = 0;

  constructor({ urls, shown }: QdrantAddress, apiKey: string | undefined) {
    this.#urls = urls;
    this.address = shown;
    this.#headers = { 'content-type': 'application/json', ...(apiKey === undefined ? {} : { 'api-key': apiKey }) };
  }

  /** Throws if it is too old or does not accept the key. */
  async check(): Promise<void> {
    const { version = '' } = (await this.#send('GET', '/', { timeoutMs: CHECK_MS })) as { version?: string };
    if (isOlder(version, MIN_VERSION)) throw tooOld(this.address, version, MIN_VERSION);
    await this.collections();
  }

  async collections(): Promise<readonly string[]> {
    const { collections } = await this.ask<{ collections: readonly { name: string }[] }>('GET', '/collections', {
      timeoutMs: CHECK_MS,
    });
    return collections.map(({ name }) => name);
  }

  /** The `result` of the answer. Throws VECTORS_UNAVAILABLE, as MissingCollection for what does not exist. */
  async ask<T>(method: string, path: string, options: RequestOptions): Promise<T> {
    return ((await this.#send(method, path, options)) as { result: T }).result;
  }

  async #send(method: string, path: string, { body, timeoutMs }: RequestOptions): Promise<unknown> {
    const text = body === undefined ? null : JSON.stringify(body);
    const attempts = this.#urls.length + 1;
    for (let attempt = 1; ; attempt++) {
      const at = this.#current;
      try {
        const response = await fetch(`${this.#urls[at]}${path}`, {
          method,
          headers: this.#headers,
          body: text,
          signal: AbortSignal.timeout(timeoutMs),
        });
        const answer = await response.text();
        if (response.ok) return JSON.parse(answer);
        if (response.status === 404) throw new MissingCollection(this.address);
        const error = refused(this.address, response.status, answer);
        // A node that lost its peers fails where another one may not.
        if (response.status < 500 || attempt >= attempts) throw error;
      } catch (error) {
        if (!(error instanceof TypeError) && !isTimeout(error)) throw error;
        if (attempt >= attempts || (isTimeout(error) && this.#urls.length === 1))
          throw unreachable(this.address, error);
        // The first attempt may have met a connection that the server had closed.
        if (attempt === 1 && error instanceof TypeError) continue;
      }
      if (this.#current === at) this.#current = (at + 1) % this.#urls.length;
    }
  }
}

function isOlder(version: string, minimum: string): boolean {
  const [a, b] = [version, minimum].map((text) => text.split('.').map((part) => Number.parseInt(part, 10)));
  for (let i = 0; i < b!.length; i++) {
    const [ours = Number.NaN, least] = [a![i], b![i]!];
    if (ours !== least) return !(ours > least);
  }
  return false;
}
