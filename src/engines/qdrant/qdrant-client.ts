import { HttpConnection, NoAnswer } from './http-connection.ts';
import type { QdrantAddress } from './qdrant-address.ts';
import { MissingCollection, notQdrant, refused, tooOld, unreachable } from './qdrant-errors.ts';

export interface RequestOptions {
  readonly body?: unknown;
  /** For each node that is asked. */
  readonly timeoutMs: number;
}

/** The query API for several questions at once, with exact search and rescoring. */
const MIN_VERSION = '1.12.0';
const CHECK_MS = 5_000;
/** A request may meet several connections that the server has closed, one after the other. */
const MAX_STALE = 3;

/**
 * Asks Qdrant over HTTP. Everything asked here may be asked twice: if a connection breaks, the request is sent again, to the
 * same node if it only had closed an idle connection, else to the next one.
 */
export class QdrantClient {
  readonly address: string;
  readonly #nodes: readonly HttpConnection[];
  readonly #headers: Readonly<Record<string, string>>;
  readonly #apiKey: string | undefined;
  /** The node that answered last. */
  #current = 0;

  constructor({ urls, shown }: QdrantAddress, apiKey: string | undefined) {
    this.#nodes = urls.map((url) => new HttpConnection(url));
    this.address = shown;
    this.#apiKey = apiKey;
    this.#headers = { 'content-type': 'application/json', ...(apiKey === undefined ? {} : { 'api-key': apiKey }) };
  }

  /** Throws if it is too old or does not accept the key. */
  async check(): Promise<void> {
    try {
      const { version = '' } = (await this.#send('GET', '/', { timeoutMs: CHECK_MS })) as { version?: string };
      if (isOlder(version, MIN_VERSION)) throw tooOld(this.address, version, MIN_VERSION);
      await this.collections();
    } catch (error) {
      // No collection was asked for: every Qdrant has these pages.
      throw error instanceof MissingCollection ? notQdrant(this.address) : error;
    }
  }

  async collections(): Promise<readonly string[]> {
    const { collections } = await this.ask<{ collections: readonly { name: string }[] }>('GET', '/collections', {
      timeoutMs: CHECK_MS,
    });
    return collections.map(({ name }) => name);
  }

  /** The `result` of the answer. Throws VECTORS_UNAVAILABLE, as MissingCollection for what does not exist. */
  async ask<T>(method: string, path: string, options: RequestOptions): Promise<T> {
    const { result } = (await this.#send(method, path, options)) as { result?: T };
    if (result === undefined || result === null) throw notQdrant(this.address);
    return result;
  }

  close(): void {
    for (const node of this.#nodes) node.close();
  }

  async #send(method: string, path: string, { body, timeoutMs }: RequestOptions): Promise<unknown> {
    const question = {
      method,
      headers: this.#headers,
      body: body === undefined ? null : JSON.stringify(body),
      timeoutMs,
    };
    const first = this.#current;
    let stale = 0;
    for (let asked = 0; asked < this.#nodes.length; ) {
      const at = (first + asked) % this.#nodes.length;
      const isLast = asked === this.#nodes.length - 1;
      try {
        const { status, text } = await this.#nodes[at]!.send(path, question);
        // A node that lost its peers fails where another one may not.
        if (status < 500) this.#current = at;
        if (status >= 200 && status < 300) return this.#parsed(text);
        if (status === 404) throw new MissingCollection(this.address);
        if (status < 500 || isLast) throw refused(this.address, status, this.#withoutKey(text));
      } catch (error) {
        if (!(error instanceof NoAnswer)) throw error;
        if (error.isStale && stale++ < MAX_STALE) continue;
        if (isLast) throw unreachable(this.address, error);
      }
      asked++;
    }
    throw notQdrant(this.address);
  }

  /** Something between here and there may repeat what was sent. */
  #withoutKey(text: string): string {
    return this.#apiKey === undefined || this.#apiKey === '' ? text : text.replaceAll(this.#apiKey, '***');
  }

  #parsed(text: string): object {
    try {
      const parsed: unknown = JSON.parse(text);
      if (typeof parsed === 'object' && parsed !== null) return parsed;
    } catch {
      // As for any other answer that is none of Qdrant's.
    }
    throw notQdrant(this.address);
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
