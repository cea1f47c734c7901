import type { HeldSearch } from '../../registry/contract/search-steps.ts';

/** Of all requests and answers that are kept, in characters. */
const MAX_CHARS = 8_000_000;
/** In bytes. A longer request is seldom sent twice. */
const MAX_REQUEST_BYTES = 4096;

interface KeptAnswer {
  readonly json: string;
  /** The query as it is logged where that is allowed. */
  readonly query: string;
  readonly held: HeldSearch;
}

/**
 * Whole answers of searches, as they are sent: agents and pages ask the same again and again, and writing an answer takes as
 * long as finding it. Each caller has its own, and none is sent once anything has changed. Those that were not used for longest
 * are forgotten.
 */
export class KeptAnswers {
  readonly #maxChars: number;
  readonly #numbers = new WeakMap<object, number>();
  /** By caller, URL and body. The last used is the last. */
  readonly #answers = new Map<string, KeptAnswer>();
  #callers = 0;
  #chars = 0;

  constructor(maxChars = MAX_CHARS) {
    this.#maxChars = maxChars;
  }

  /** The key of a request; null if it is too long. `caller`: the same object for requests with the same rights, and no others. */
  keyOf(caller: object, url: string, body: Uint8Array): string | null {
    if (body.length > MAX_REQUEST_BYTES) return null;
    let number = this.#numbers.get(caller);
    if (number === undefined) {
      number = ++this.#callers;
      this.#numbers.set(caller, number);
    }
    // Each byte as it is: two bodies that differ are never equal, whatever their encoding.
    return `${number} ${url}\n${Buffer.from(body.buffer, body.byteOffset, body.length).toString('latin1')}`;
  }

  /** The answer that still holds. It is counted as that of another search. */
  async get(key: string): Promise<KeptAnswer | undefined> {
    const known = this.#answers.get(key);
    if (known === undefined) return undefined;
    const isCurrent = await known.held.isCurrent();
    // Another request may have replaced it in the meantime.
    if (this.#answers.get(key) === known) this.#drop(key, known);
    if (!isCurrent) return undefined;
    this.add(key, known);
    known.held.repeat();
    return known;
  }

  add(key: string, answer: KeptAnswer): void {
    const size = key.length + answer.json.length;
    if (size > this.#maxChars) return;
    const before = this.#answers.get(key);
    if (before !== undefined) this.#drop(key, before);
    this.#answers.set(key, answer);
    this.#chars += size;
    for (const [oldest, { json }] of this.#answers) {
      if (this.#chars <= this.#maxChars) break;
      this.#answers.delete(oldest);
      this.#chars -= oldest.length + json.length;
    }
  }

  #drop(key: string, { json }: KeptAnswer): void {
    this.#answers.delete(key);
    this.#chars -= key.length + json.length;
  }
}
