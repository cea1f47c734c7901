import { DowserError, RefusedText } from '../../model/errors/errors.ts';
import type { Embedder, EmbedOptions } from '../embedder.ts';
import { Flight } from './single-flight.ts';

/**
 * Runs work in the order it came, the first at once and then one in each turn of the event loop. Vectors of many queries
 * arrive together: if each search ran at once, everything else would wait for all of them.
 */
class OnePerTurn {
  readonly #waiting: (() => void)[] = [];
  #hasRunThisTurn = false;

  run(work: () => void): void {
    this.#waiting.push(work);
    this.#next();
  }

  #next(): void {
    if (this.#hasRunThisTurn) return;
    const work = this.#waiting.shift();
    if (work === undefined) return;
    this.#hasRunThisTurn = true;
    setImmediate(() => {
      this.#hasRunThisTurn = false;
      this.#next();
    });
    work();
  }
}

export interface QueryBatchOptions {
  /** Texts of one batch. A call is never split. */
  readonly texts?: number;
  /** Batches that the embedder has at once. */
  readonly batches?: number;
  /** How long a query may wait to be sent. */
  readonly waitMs?: number;
}

type Vectors = readonly Float32Array[];

interface Call {
  readonly texts: readonly string[];
  readonly signal: AbortSignal | undefined;
  settle(outcome: { readonly vectors: Vectors } | { readonly error: unknown }): void;
}

/**
 * Sends queries to an embedder in small batches, a few at a time. The others wait here and not in the embedder, where the time
 * limit of a query would count the waiting as a failure: with many clients at once, the circuit breaker would open on a model
 * that works. A query that waits too long fails alone, and the breaker does not see it. Documents pass.
 */
export class QueryBatches implements Embedder {
  readonly id: string;
  readonly dimensions: number;
  readonly language: Embedder['language'];
  readonly #inner: Embedder;
  readonly #options: Required<QueryBatchOptions>;
  readonly #waiting: Call[] = [];
  readonly #turns = new OnePerTurn();
  #sent = 0;

  constructor(inner: Embedder, { texts = 8, batches = 4, waitMs = 5000 }: QueryBatchOptions = {}) {
    this.id = inner.id;
    this.dimensions = inner.dimensions;
    this.language = inner.language;
    this.#inner = inner;
    this.#options = { texts, batches, waitMs };
  }

  get loading(): boolean {
    return this.#inner.loading === true;
  }

  async warm(): Promise<void> {
    await this.#inner.warm?.();
  }

  async embed(texts: readonly string[], options: EmbedOptions): Promise<Vectors> {
    if (options.as !== 'query' || texts.length === 0) return this.#inner.embed(texts, options);
    options.signal?.throwIfAborted();
    return new Promise((resolve, reject) => {
      const { signal } = options;
      const settle: Call['settle'] = (outcome) => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', abort);
        this.#turns.run(() => ('vectors' in outcome ? resolve(outcome.vectors) : reject(outcome.error)));
      };
      const call: Call = { texts, signal, settle };
      const abort = () => this.#leave(call, signal?.reason);
      signal?.addEventListener('abort', abort, { once: true });
      this.#waiting.push(call);
      this.#send();
      const timer = this.#waiting.includes(call)
        ? setTimeout(() => this.#leave(call, this.#busy()), this.#options.waitMs)
        : undefined;
    });
  }

  async close(): Promise<void> {
    const error = new DowserError('EMBEDDER_UNAVAILABLE', `The embedder ${this.id} is closed.`);
    for (const call of this.#waiting.splice(0)) call.settle({ error });
    await this.#inner.close();
  }

  /** A call that has been sent is left by its batch. */
  #leave(call: Call, error: unknown): void {
    const at = this.#waiting.indexOf(call);
    if (at === -1) return;
    this.#waiting.splice(at, 1);
    call.settle({ error });
  }

  #send(): void {
    while (this.#waiting.length > 0 && this.#sent < this.#options.batches) {
      this.#sent++;
      void this.#embedBatch(this.#nextBatch()).finally(() => {
        this.#sent--;
        this.#send();
      });
    }
  }

  #nextBatch(): readonly Call[] {
    let count = 0;
    let calls = 0;
    for (const { texts } of this.#waiting) {
      if (calls > 0 && count + texts.length > this.#options.texts) break;
      count += texts.length;
      calls++;
    }
    return this.#waiting.splice(0, calls);
  }

  async #embedBatch(calls: readonly Call[]): Promise<void> {
    // The batch ends early only when everybody has left it.
    const flight = new Flight(() => undefined);
    const left = new Set<Call>();
    const watched = calls.map((call) => {
      flight.join();
      const leave = () => {
        left.add(call);
        call.settle({ error: call.signal?.reason });
        flight.leave(call.signal?.reason);
      };
      call.signal?.addEventListener('abort', leave, { once: true });
      return () => call.signal?.removeEventListener('abort', leave);
    });
    const settle = (outcomeOf: (call: Call) => Parameters<Call['settle']>[0]) => {
      for (const call of calls) if (!left.has(call)) call.settle(outcomeOf(call));
    };
    try {
      const texts = calls.flatMap((call) => call.texts);
      const vectors = await this.#inner.embed(texts, { as: 'query', signal: flight.signal });
      let from = 0;
      const parts = new Map(
        calls.map((call) => {
          const part = vectors.slice(from, from + call.texts.length);
          from += call.texts.length;
          return [call, part] as const;
        }),
      );
      settle((call) => ({ vectors: parts.get(call)! }));
    } catch (error) {
      // One of them has a text that the model refuses: the others must not fail with it.
      if (error instanceof RefusedText && calls.length > 1) {
        const open = calls.filter((call) => !left.has(call));
        await Promise.all(open.map((call) => this.#embedBatch([call])));
      } else settle(() => ({ error }));
    } finally {
      for (const unwatch of watched) unwatch();
    }
  }

  #busy(): DowserError {
    const { waitMs } = this.#options;
    return new DowserError('EMBEDDER_UNAVAILABLE', `The embedder ${this.id} is busy: the query waited ${waitMs} ms.`, {
      hint: 'Send fewer queries at once.',
    });
  }
}
