/**
 * Searches the example catalog many times, each time for something else, in the compiled product. Run with --trace-deopt
 * it shows which compiled code V8 throws away; the line SETTLED stands where that should have come to an end.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { openEmbedded } from '../../dist/engines/embedded/open-embedded.js';
import { createRegistry } from '../../dist/registry/create-registry.js';

const [folder, before, after] = process.argv.slice(2);
const CATALOG = new URL('../../examples/catalog/', import.meta.url);
const DIMENSIONS = 64;

let seed = 1;
function random(below) {
  seed = (seed * 48_271) % 2_147_483_647;
  return seed % below;
}

/** Texts with words in common are near each other. */
function vectorOf(text) {
  const vector = new Float32Array(DIMENSIONS).fill(0.01);
  for (const word of text.toLowerCase().split(/\W+/)) {
    let hash = 7;
    for (let at = 0; at < word.length; at++) hash = (hash * 31 + word.charCodeAt(at)) % 1_000_003;
    vector[hash % DIMENSIONS] += 1;
  }
  const length = Math.hypot(...vector);
  return vector.map((value) => value / length);
}

const embedder = {
  id: 'test/hashed-words/64',
  dimensions: DIMENSIONS,
  embed: async (texts) => texts.map(vectorOf),
  close: async () => undefined,
};

const entities = readdirSync(CATALOG)
  .filter((name) => name.endsWith('.jsonl'))
  .flatMap((name) => readFileSync(new URL(name, CATALOG), 'utf8').split('\n'))
  .filter((line) => line !== '')
  .map((line) => JSON.parse(line));
const words = entities.flatMap(({ name, description = '', tags = [] }) => [name, ...description.split(' '), ...tags]);

/** Words from anywhere; one in five has a letter too many. */
function question() {
  const picked = Array.from({ length: 1 + random(9) }, () => words[random(words.length)]);
  return picked.map((word) => (random(5) === 0 ? `${word.slice(0, 3)}x${word.slice(3)}` : word)).join(' ');
}

const engine = await openEmbedded({ dir: folder, embedder });
const registry = createRegistry({
  engine,
  embedder,
  embedderState: () => ({ id: embedder.id, state: 'ready' }),
  version: '0',
  dataPath: null,
  indexingWaitMs: 0,
  background: false,
});
await registry.putMany(entities, { vectors: 'later' });
await registry.embedPending();
for (let i = 0; i < Number(before); i++) await registry.search({ query: question() });
console.log('SETTLED');
for (let i = 0; i < Number(after); i++) await registry.search({ query: question() });
console.log('SEARCHED');
await registry.close();
