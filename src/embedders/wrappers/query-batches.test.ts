import { afterEach, describe, expect, it, vi } from 'vitest';
import type { Embedder, EmbedOptions } from '../embedder.ts';
import { BreakerEmbedder } from './breaker.ts';
import { QueryBatches } from './query-batches.ts';

/** Embeds one text after the other, as one thread does. A text takes `textMs`; its vector is its length. */
class OneThread implements Embedder {
  readonly id = 'one/thread';
  readonly dimensions = 1;
  readonly language = 'English';
  readonly calls: (readonly string[])[] = [];
  readonly aborted: unknown[] = [];
  #last: Promise<void> = Promise.resolve();
  readonly #textMs: number;

  constructor(textMs: number) {
    this.#textMs = textMs;
  }

  embed(texts: readonly string[], { signal }: EmbedOptions): Promise<readonly Float32Array[]> {
    this.calls.push(texts);
    signal?.addEventListener('abort', () => this.aborted.push(signal.reason));
    const done = this.#last.then(
      () => new Promise<void>((resolve) => setTimeout(resolve, texts.length * this.#textMs)),
    );
    this.#last = done;
    return done.then(() => {
      if (texts.includes('bad')) throw new Error('bad text');
      return texts.map((text) => Float32Array.of(text.length));
    });
  }
  async close(): Promise<void> {}
}

afterEach(() => {
  vi.useRealTimers();
});

const query = { as: 'query' } as const;

describe('QueryBatches', () => {
  it('sends a lone query at once, then few batches, and gives each call its own vectors', async () => {
    const model = new OneThread(1);
    const batches = new QueryBatches(model, { texts: 3, batches: 1 });
    const calls = [['a'], ['bb', 'ccc'], ['dddd'], ['e', 'f', 'g', 'h'], ['ii']];
    const vectors = await Promise.all(calls.map((texts) => batches.embed(texts, query)));
    expect(vectors.map((some) => some.map(([length]) => length))).toEqual([[1], [2, 3], [4], [1, 1, 1, 1], [2]]);
    expect(model.calls).toEqual([['a'], ['bb', 'ccc', 'dddd'], ['e', 'f', 'g', 'h'], ['ii']]);
  });

  it('lets one query of a batch go on in each turn of the event loop', async () => {
    const batches = new QueryBatches(new OneThread(1), { batches: 1 });
    let turn = 0;
    let isDone = false;
    const count = () => {
      turn++;
      if (!isDone) setImmediate(count);
    };
    setImmediate(count);
    const turns = await Promise.all(
      Array.from({ length: 9 }, (_, i) => batches.embed([`q${i}`], query).then(() => turn)),
    );
    isDone = true;
    expect(new Set(turns).size).toBe(9);
  });

  it('has the facts of its embedder', () => {
    const { id, dimensions, language } = new QueryBatches(new OneThread(1));
    expect([id, dimensions, language]).toEqual(['one/thread', 1, 'English']);
  });

  it('does not hold documents back', async () => {
    const model = new OneThread(1);
    const batches = new QueryBatches(model, { batches: 1 });
    await Promise.all(Array.from({ length: 3 }, () => batches.embed(['d'], { as: 'document' })));
    expect(model.calls).toHaveLength(3);
  });

  it('sheds queries that wait too long, and the breaker stays closed', async () => {
    vi.useFakeTimers();
    const model = new OneThread(100);
    const breaker = new BreakerEmbedder(model, { queryTimeoutMs: 5000 });
    const batches = new QueryBatches(breaker);
    const outcomes = Promise.allSettled(Array.from({ length: 256 }, (_, i) => batches.embed([`q${i}`], query)));
    await vi.advanceTimersByTimeAsync(30_000);
    const settled = await outcomes;
    const served = settled.filter(({ status }) => status === 'fulfilled').length;
    const messages = new Set(settled.flatMap((one) => (one.status === 'rejected' ? [one.reason.message] : [])));
    expect([...messages]).toEqual(['The embedder one/thread is busy: the query waited 5000 ms.']);
    expect(served).toBeGreaterThan(50);
    expect(breaker.state().state).toBe('ready');
  });

  it('aborts a batch only when everybody has left it', async () => {
    const model = new OneThread(5);
    const batches = new QueryBatches(model, { batches: 1 });
    const first = batches.embed(['first'], query);
    const stops = [new AbortController(), new AbortController()];
    const both = stops.map(({ signal }) => batches.embed(['x'], { ...query, signal }));
    await first;
    stops[0]!.abort(new Error('one'));
    await expect(both[0]).rejects.toThrow('one');
    expect(model.aborted).toEqual([]);
    stops[1]!.abort(new Error('two'));
    await expect(both[1]).rejects.toThrow('two');
    expect(model.aborted).toHaveLength(1);
  });

  it('forgets a query that is aborted while it waits, and rejects those that wait when it is closed', async () => {
    const model = new OneThread(5);
    const batches = new QueryBatches(model, { batches: 1 });
    const first = batches.embed(['first'], query);
    const stop = new AbortController();
    const gone = batches.embed(['gone'], { ...query, signal: stop.signal });
    const waiting = batches.embed(['waiting'], query);
    stop.abort(new Error('gone'));
    await expect(gone).rejects.toThrow('gone');
    await Promise.all([batches.close(), expect(waiting).rejects.toThrow('is closed')]);
    await first;
    expect(model.calls).toEqual([['first']]);
  });

  it('passes a failure on to every query of the batch, and goes on', async () => {
    const batches = new QueryBatches(new OneThread(1), { batches: 1 });
    const calls = ['a', 'bad', 'c'].map((text) => batches.embed([text], query));
    const [first, ...others] = await Promise.allSettled(calls);
    expect([first!.status, ...others.map(({ status }) => status)]).toEqual(['fulfilled', 'rejected', 'rejected']);
    expect(await batches.embed(['next'], query)).toEqual([Float32Array.of(4)]);
  });
});
