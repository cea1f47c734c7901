import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Embedder, EmbedOptions } from '../embedder.ts';
import { CachedEmbedder, sha256, type VectorCache } from './cache.ts';
import { SqliteVectorCache } from './sqlite-vector-cache.ts';

/** Notes what it is asked, and answers as the test says. */
class NotingModel implements Embedder {
  readonly id: string = 'noting/model/1';
  readonly dimensions = 1;
  readonly calls: string[][] = [];
  signal: AbortSignal | undefined;
  isClosed = false;
  behavior: () => Promise<void> = async () => undefined;

  async embed(texts: readonly string[], { signal }: EmbedOptions): Promise<readonly Float32Array[]> {
    this.calls.push([...texts]);
    this.signal = signal;
    await this.behavior();
    return texts.map((text) => Float32Array.of(text.length));
  }
  async close(): Promise<void> {
    this.isClosed = true;
  }
}

/** What a cache file does, without the file. */
class MemoryVectors implements VectorCache {
  readonly kept = new Map<string, Float32Array>();
  isClosed = false;

  async getMany(embedder: string, hashes: readonly string[]): Promise<ReadonlyMap<string, Float32Array>> {
    const known = hashes.filter((hash) => this.kept.has(`${embedder} ${hash}`));
    return new Map(known.map((hash) => [hash, this.kept.get(`${embedder} ${hash}`)!]));
  }
  async putMany(embedder: string, vectors: ReadonlyMap<string, Float32Array>): Promise<void> {
    for (const [hash, vector] of vectors) this.kept.set(`${embedder} ${hash}`, vector);
  }
  async close(): Promise<void> {
    this.isClosed = true;
  }
}

let model: NotingModel;
let vectors: MemoryVectors;
let cached: CachedEmbedder;

beforeEach(() => {
  model = new NotingModel();
  vectors = new MemoryVectors();
  cached = new CachedEmbedder(model, { openVectors: async () => vectors });
});

const ask = async (...texts: string[]) => (await cached.embed(texts, { as: 'query' })).map((vector) => vector[0]);
const index = async (...texts: string[]) => (await cached.embed(texts, { as: 'document' })).map((vector) => vector[0]);

function gate() {
  let release = (_?: Error): void => undefined;
  const opened = new Promise<void>((resolve, reject) => {
    release = (error) => (error === undefined ? resolve() : reject(error));
  });
  return { opened, release };
}

describe('questions', () => {
  it('are embedded once', async () => {
    expect(await ask('abc')).toEqual([3]);
    expect(await ask('abc', 'x', 'abc')).toEqual([3, 1, 3]);
    expect(model.calls).toEqual([['abc'], ['x']]);
  });

  it('are forgotten in the order of use when there are too many', async () => {
    cached = new CachedEmbedder(model, { queries: 2 });
    for (const text of ['a', 'b', 'a', 'c', 'a', 'b']) await ask(text);
    expect(model.calls).toEqual([['a'], ['b'], ['c'], ['b']]);
  });

  it('are not remembered at all when none shall be', async () => {
    cached = new CachedEmbedder(model, { queries: 0 });
    await ask('a');
    await ask('a');
    expect(model.calls).toHaveLength(2);
  });

  it('leave no trace on disk, and documents none in memory', async () => {
    await ask('secret');
    expect(vectors.kept.size).toBe(0);
    cached = new CachedEmbedder(model);
    await index('a');
    await index('a');
    expect(model.calls).toEqual([['secret'], ['a'], ['a']]);
  });

  it('give each caller a vector of its own', async () => {
    const [first] = await cached.embed(['abc'], { as: 'query' });
    first![0] = 99;
    expect(await ask('abc')).toEqual([3]);
  });

  it('that failed are asked again', async () => {
    model.behavior = async () => {
      throw new Error('down');
    };
    await expect(ask('a')).rejects.toThrow('down');
    model.behavior = async () => undefined;
    expect(await ask('a')).toEqual([1]);
  });
});

describe('documents', () => {
  it('are embedded once for the same embedder and text, and given in order', async () => {
    expect(await index('a', 'bb', 'a')).toEqual([1, 2, 1]);
    expect(await index('ccc', 'bb')).toEqual([3, 2]);
    expect(model.calls).toEqual([['a', 'bb'], ['ccc']]);
    expect([...vectors.kept.keys()]).toContain(`noting/model/1 ${sha256('bb')}`);
  });

  it('are embedded again by another embedder', async () => {
    await index('a');
    const other = new (class extends NotingModel {
      override readonly id = 'model/other/1';
    })();
    await new CachedEmbedder(other, { openVectors: async () => vectors }).embed(['a'], { as: 'document' });
    expect(other.calls).toEqual([['a']]);
  });

  it('are remembered a part at a time, so that a failure loses little', async () => {
    const texts = Array.from({ length: 600 }, (_, i) => `text ${i}`);
    model.behavior = async () => {
      if (model.calls.length === 3) throw new Error('down');
    };
    await expect(index(...texts)).rejects.toThrow('down');
    expect(vectors.kept.size).toBe(512);
    model.calls.length = 0;
    model.behavior = async () => undefined;
    await index(...texts);
    expect(model.calls).toEqual([texts.slice(512)]);
  });

  it('are embedded again if the cached vector has the wrong size', async () => {
    await vectors.putMany(model.id, new Map([[sha256('abc'), Float32Array.of(1, 2)]]));
    expect(await index('abc')).toEqual([3]);
  });

  it('are embedded without a broken cache', async () => {
    const warnings: unknown[] = [];
    const broken: VectorCache = {
      getMany: () => Promise.reject(new Error('get')),
      putMany: () => Promise.reject(new Error('put')),
      close: async () => undefined,
    };
    cached = new CachedEmbedder(model, { openVectors: async () => broken, onWarning: (error) => warnings.push(error) });
    expect(await index('abc')).toEqual([3]);
    expect(warnings).toEqual([new Error('get'), new Error('put')]);
  });
});

describe('callers at the same time', () => {
  it.each(['query', 'document'] as const)('share one call for one text (%s)', async (as) => {
    const { opened, release } = gate();
    model.behavior = () => opened;
    const calls = [['a', 'b'], ['b', 'c'], ['a']].map((texts) => cached.embed(texts, { as }));
    await new Promise((resolve) => setTimeout(resolve, 10));
    release();
    expect((await Promise.all(calls)).map((found) => found.length)).toEqual([2, 2, 1]);
    expect(model.calls).toEqual([['a', 'b'], ['c']]);
  });

  it('do not lose a call because one of them gives up', async () => {
    const { opened, release } = gate();
    model.behavior = () => opened;
    const stop = new AbortController();
    const first = cached.embed(['a'], { as: 'query', signal: stop.signal });
    const second = cached.embed(['a'], { as: 'query' });
    stop.abort(new Error('enough'));
    await expect(first).rejects.toThrow('enough');
    expect(model.signal!.aborted).toBe(false);
    release();
    expect(await second).toEqual([Float32Array.of(1)]);
    expect(model.calls).toHaveLength(1);
  });

  it('end a call when the last of them gives up, and the next starts another', async () => {
    model.behavior = () => gate().opened;
    const stops = [new AbortController(), new AbortController()];
    const calls = stops.map(({ signal }) => cached.embed(['a'], { as: 'query', signal }));
    for (const stop of stops) stop.abort(new Error('enough'));
    for (const call of calls) await expect(call).rejects.toThrow('enough');
    expect(model.signal!.aborted).toBe(true);
    model.behavior = async () => undefined;
    expect(await ask('a')).toEqual([1]);
  });

  it('all hear of a failure', async () => {
    const { opened, release } = gate();
    model.behavior = () => opened;
    const calls = [ask('a'), ask('a')];
    release(new Error('down'));
    for (const call of calls) await expect(call).rejects.toThrow('down');
  });
});

describe('another run', () => {
  let dir: string;
  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'dowser-cache-'));
  });
  afterEach(() => rmSync(dir, { recursive: true, force: true }));

  it('embeds only what is new', async () => {
    const openCached = () =>
      new CachedEmbedder(model, {
        openVectors: async () => new SqliteVectorCache({ file: join(dir, 'embeddings.sqlite') }),
      });
    cached = openCached();
    await index('old', 'older');
    await cached.close();
    model.calls.length = 0;
    cached = openCached();
    expect(await index('old', 'new!', 'older')).toEqual([3, 4, 5]);
    expect(model.calls).toEqual([['new!']]);
    await cached.close();
  });
});

it('passes closing, loading and warming on', async () => {
  Object.assign(model, { loading: true });
  expect(cached.loading).toBe(true);
  await cached.warm();
  await index('a');
  await cached.close();
  expect([model.isClosed, vectors.isClosed]).toEqual([true, true]);
});

describe('a text that is to be embedded afresh', () => {
  it('goes past what is remembered, and is remembered in its place', async () => {
    vectors.kept.set(`noting/model/1 ${sha256('abc')}`, Float32Array.of(99));
    expect(await index('abc')).toEqual([99]);
    const fresh = await cached.embed(['abc'], { as: 'document', fresh: true });
    expect(fresh).toEqual([Float32Array.of(3)]);
    expect(await index('abc')).toEqual([3]);
    expect(model.calls).toEqual([['abc']]);
  });
});

it('counts the texts whose vector was known, and those that were embedded', async () => {
  await ask('a', 'b');
  await ask('a', 'c');
  await index('x', 'y');
  await index('x', 'y', 'z');
  expect(cached.cacheCounts()).toEqual({ query: { hits: 1, misses: 3 }, document: { hits: 2, misses: 3 } });
});
