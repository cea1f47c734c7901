// `npm run example-vectors`: embeds the example catalog with the default model, and writes examples/catalog/vectors.bin. Run it
// after a change of the catalog, or of the texts that are made from entities.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ensureBuilt, ensureInstalled, root } from './prepare.mjs';

await ensureInstalled({ tools: false });
ensureBuilt({ types: false });
const fromDist = (path) => import(pathToFileURL(join(root, 'dist', path)).href);
const { openRegistry } = await fromDist('index.js');
const { loadExamples } = await fromDist('cli/context/examples.js');
const { openOnnxEmbedder } = await fromDist('embedders/onnx/onnx-embedder.js');
const { sha256 } = await fromDist('embedders/wrappers/cache.js');
const { EXAMPLE_VECTORS, writeShippedVectors } = await fromDist('embedders/wrappers/shipped-vectors.js');

const dir = mkdtempSync(join(tmpdir(), 'dowser-vectors-'));
const model = openOnnxEmbedder();
const vectors = new Map();
const embedder = {
  id: model.id,
  dimensions: model.dimensions,
  async embed(texts, options) {
    const computed = await model.embed(texts, options);
    if (options.as === 'document') for (const [i, text] of texts.entries()) vectors.set(sha256(text), computed[i]);
    return computed;
  },
  close: () => model.close(),
};
try {
  await model.warm();
  const opened = { embedder, state: () => ({ id: model.id, state: 'ready' }), warm: () => model.warm() };
  const registry = await openRegistry({ data_dir: dir }, { embedder: opened, background: false });
  await loadExamples(registry);
  await registry.embedPending();
  await registry.close();
  await writeShippedVectors(EXAMPLE_VECTORS, { embedder: model.id, vectors });
  console.log(`${vectors.size} vectors of ${model.id} are in ${EXAMPLE_VECTORS}`);
} finally {
  rmSync(dir, { recursive: true, force: true });
}
