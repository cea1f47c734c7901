import { expect, it } from 'vitest';
import { loadExamples } from '../../src/cli/context/examples.ts';
import type { Embedder } from '../../src/embedders/embedder.ts';
import { openOnnxEmbedder } from '../../src/embedders/onnx/onnx-embedder.ts';
import { sha256 } from '../../src/embedders/wrappers/cache.ts';
import { readShippedVectors } from '../../src/embedders/wrappers/shipped-vectors.ts';
import { openRegistry } from '../../src/open.ts';

/** Notes the texts that are embedded. */
async function textsOfExamples(): Promise<readonly string[]> {
  const texts: string[] = [];
  const embedder: Embedder = {
    id: 'test/notes/2',
    dimensions: 2,
    async embed(some) {
      texts.push(...some);
      return some.map(() => new Float32Array([1, 0]));
    },
    async close() {},
  };
  const state = () => ({ id: embedder.id, state: 'ready' as const });
  const opened = { embedder, state, warm: async () => undefined };
  const registry = await openRegistry({ engine: 'memory' }, { embedder: opened, background: false });
  await loadExamples(registry);
  await registry.embedPending();
  await registry.close();
  return texts;
}

it('has a vector for every text of the examples, as the default model computes it', async () => {
  const texts = await textsOfExamples();
  const shipped = (await readShippedVectors())!;
  const missing = texts.filter((text) => !shipped.vectors.has(sha256(text)));
  expect(missing.slice(0, 3), 'The texts of the examples changed: run `npm run example-vectors`').toEqual([]);
  expect(texts.length).toBeGreaterThan(1000);
  const model = openOnnxEmbedder();
  try {
    const some = texts.filter((_, i) => i % 200 === 0);
    expect(shipped.embedder).toBe(model.id);
    for (const [i, vector] of (await model.embed(some, { as: 'document' })).entries()) {
      const known = shipped.vectors.get(sha256(some[i]!))!;
      // 1 on the processor that computed them; others round the 8-bit products a little differently.
      expect(vector.reduce((sum, value, at) => sum + value * known[at]!, 0)).toBeGreaterThan(0.97);
    }
  } finally {
    await model.close();
  }
});
