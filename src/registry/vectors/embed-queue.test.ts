import { setImmediate } from 'node:timers/promises';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { registryOver } from '../../../test/support/registry-over.ts';
import { WordEmbedder } from '../../../test/support/word-embedder.ts';
import type { EmbedOptions } from '../../embedders/embedder.ts';
import { MemoryEngine } from '../../engines/memory/memory-engine.ts';
import type { LocalRegistry } from '../contract/registry.ts';
import type { RegistryParts } from '../create-registry.ts';

const open: LocalRegistry[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((registry) => registry.close()));
});

function registryWith(embedder: WordEmbedder, options: Partial<RegistryParts> = {}): LocalRegistry {
  const registry = registryOver(new MemoryEngine({ embedder }), embedder, { background: true, ...options });
  open.push(registry);
  return registry;
}

const server = (path: string, description: string, tools: readonly object[] = []) => ({
  type: 'mcp_server',
  path,
  name: path.slice(1),
  description,
  tools,
});

const CATALOG = [
  server('/post', 'Reads the inbox.', [{ name: 'read_mail', description: 'Reads mail.' }]),
  server('/sky', 'Tells the forecast.'),
];

describe('the embedding queue', () => {
  it('embeds in the background what was left for later, and tries again after a failure', async () => {
    const embedder = new WordEmbedder();
    const failures: unknown[] = [];
    const registry = registryWith(embedder, { onEmbedError: (error) => failures.push(error) });
    embedder.fail();
    await registry.putMany(CATALOG, { vectors: 'later' });
    await expect.poll(() => failures.length).toBe(1);
    embedder.recover();
    await expect.poll(async () => (await registry.health()).index.missing_vectors).toBe(0);
  });

  it('never embeds a text again that has not changed', async () => {
    const embedder = new WordEmbedder();
    const registry = registryWith(embedder);
    await registry.putMany(CATALOG);
    const before = embedder.embedded.length;
    await registry.put({ ...CATALOG[0], status: 'beta', is_enabled: false });
    expect(embedder.embedded.length).toBe(before);
    await registry.put({ ...CATALOG[0], description: 'Another text.' });
    expect(embedder.embedded.slice(before)).toHaveLength(1);
  });

  it('does nothing by itself without the background', async () => {
    const registry = registryWith(new WordEmbedder(), { background: false });
    await registry.putMany(CATALOG, { vectors: 'later' });
    const { missing_vectors: missing } = (await registry.health()).index;
    expect(missing).toBeGreaterThan(0);
    const steps: number[] = [];
    await registry.embedPending({ onProgress: ({ done }) => steps.push(done) });
    expect([steps[0], steps.at(-1)]).toEqual([0, missing]);
  });

  it('stops when it is told to, and the registry closes in the middle of it', async () => {
    const embedder = new WordEmbedder();
    const registry = registryWith(embedder, { background: false });
    await registry.putMany(CATALOG, { vectors: 'later' });
    const stop = new AbortController();
    stop.abort();
    expect((await registry.embedPending({ signal: stop.signal })).embedded).toBe(0);
    const drained = registry.embedPending();
    await registry.close();
    await expect(drained.catch((error: { code: string }) => error.code)).resolves.toBeDefined();
  });
});

describe('a search during the work of the queue', () => {
  /** Notes what it is asked. A query takes several turns of the event loop. */
  class NotingEmbedder extends WordEmbedder {
    /** The texts of each call. */
    readonly documents: number[] = [];

    override async embed(texts: readonly string[], options: EmbedOptions): Promise<readonly Float32Array[]> {
      for (let turn = 0; options.as === 'query' && turn < 5; turn++) await setImmediate();
      if (options.as === 'document') this.documents.push(texts.length);
      return super.embed(texts, options);
    }
  }

  // The clock stands still: how long the machine takes decides nothing.
  afterEach(() => void vi.useRealTimers());

  const many = Array.from({ length: 150 }, (_, n) => server(`/s${n}`, `Reads text ${n}.`));

  async function loaded(): Promise<{ embedder: NotingEmbedder; registry: LocalRegistry }> {
    vi.useFakeTimers({ toFake: ['performance', 'setTimeout', 'clearTimeout'] });
    const embedder = new NotingEmbedder();
    const registry = registryWith(embedder, { background: false });
    await registry.putMany(many, { vectors: 'later' });
    return { embedder, registry };
  }

  it('is answered before the next batch is stored, and the batches are small', async () => {
    const { embedder, registry } = await loaded();
    const order: string[] = [];
    const search = registry.search({ query: 'reads text' }).then(() => order.push('answer'));
    const queue = registry.embedPending({ onProgress: ({ done }) => done > 0 && order.push('batch') });
    await Promise.all([search, queue]);
    expect(order).toEqual(['answer', ...Array(10).fill('batch')]);
    expect(embedder.documents).toEqual([...Array(9).fill(16), 6]);
  });

  it('makes the batches small for a second', async () => {
    const { embedder, registry } = await loaded();
    await registry.search({ query: 'reads text' });
    vi.advanceTimersByTime(1000);
    await registry.embedPending();
    expect(embedder.documents).toEqual([64, 64, 22]);
  });
});

describe('a text that the model refuses', () => {
  it('does not keep the others from getting their vectors', async () => {
    const embedder = new WordEmbedder();
    embedder.refused = 'poison';
    const registry = registryWith(embedder, { background: false });
    const documents = Array.from({ length: 40 }, (_, i) => server(`/d${i}`, i === 7 ? 'poison' : `text ${i}`));
    await registry.putMany(documents, { vectors: 'later' });
    for (let tries = 0; tries < 20; tries++) await registry.embedPending().catch(() => undefined);
    expect((await registry.health()).index).toMatchObject({ vectors: 39, missing_vectors: 1 });
  });

  it('is not blamed when the model refuses everything', async () => {
    const embedder = new WordEmbedder();
    embedder.refused = 'text';
    const registry = registryWith(embedder, { background: false });
    await registry.putMany(
      Array.from({ length: 9 }, (_, i) => server(`/d${i}`, `text ${i}`)),
      { vectors: 'later' },
    );
    for (let tries = 0; tries < 12; tries++) await registry.embedPending().catch(() => undefined);
    embedder.refused = null;
    for (let tries = 0; tries < 3; tries++) await registry.embedPending();
    expect((await registry.health()).index.missing_vectors).toBeLessThanOrEqual(2);
  });
});

describe('closing', () => {
  it('does not fail a write that is stored and waits for its vectors', async () => {
    const embedder = new WordEmbedder();
    embedder.delayMs = 300;
    const registry = registryWith(embedder);
    const put = registry.put(server('/late', 'Just in time.'));
    await new Promise((resolve) => setTimeout(resolve, 30));
    await registry.close();
    await expect(put).resolves.toMatchObject({ path: '/late', created: true });
  });
});
