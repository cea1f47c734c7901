import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Embedder } from '../../src/embedders/embedder.ts';
import { CachedEmbedder, type VectorCache } from '../../src/embedders/wrappers/cache.ts';

const vectorOf = (text: string, as: string) => Float32Array.of(text.length, text.charCodeAt(0) || 0, as.length);

/** Takes a turn of the loop for each call, so that calls overlap; counts how often each text is embedded. */
function countingEmbedder(counts: Map<string, number>): Embedder {
  return {
    id: 'counting/model/3',
    dimensions: 3,
    async embed(texts, { as, signal }) {
      for (const text of texts) counts.set(`${as} ${text}`, (counts.get(`${as} ${text}`) ?? 0) + 1);
      await new Promise((resolve) => setImmediate(resolve));
      signal?.throwIfAborted();
      return texts.map((text) => vectorOf(text, as));
    },
    close: async () => undefined,
  };
}

function memoryVectors(): VectorCache {
  const kept = new Map<string, Float32Array>();
  return {
    getMany: async (_, hashes) =>
      new Map(hashes.filter((hash) => kept.has(hash)).map((hash) => [hash, kept.get(hash)!])),
    putMany: async (_, vectors) => vectors.forEach((vector, hash) => void kept.set(hash, vector)),
    close: async () => undefined,
  };
}

const call = fc.record({
  texts: fc.array(fc.constantFrom('a', 'bb', 'ccc', '', 'déjà'), { maxLength: 6 }),
  as: fc.constantFrom('query', 'document'),
  isAborted: fc.boolean(),
  waitsFirst: fc.boolean(),
});

it('a cache changes no vector, whoever asks together and whoever gives up', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(call, { maxLength: 12 }), async (calls) => {
      const counts = new Map<string, number>();
      const cached = new CachedEmbedder(countingEmbedder(counts), { openVectors: async () => memoryVectors() });
      const running = [];
      for (const { texts, as, isAborted, waitsFirst } of calls) {
        if (waitsFirst) await new Promise((resolve) => setImmediate(resolve));
        const stop = new AbortController();
        const result = cached.embed(texts, { as, signal: stop.signal });
        result.catch(() => undefined);
        running.push({ texts, as, isAborted, result });
        if (isAborted) stop.abort(new Error('enough'));
      }
      const outcomes = await Promise.allSettled(running.map(({ result }) => result));
      for (const [i, { texts, as, isAborted }] of running.entries()) {
        const outcome = outcomes[i]!;
        if (outcome.status === 'fulfilled') expect(outcome.value).toEqual(texts.map((text) => vectorOf(text, as)));
        else expect([isAborted, outcome.reason.message]).toEqual([true, 'enough']);
      }
      if (calls.every(({ isAborted }) => !isAborted))
        expect([...counts.values()].every((count) => count === 1)).toBe(true);
    }),
  );
});
