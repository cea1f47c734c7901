import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { ensureQdrant, startQdrant } from '../scripts/servers.mjs';
import { evaluate } from '../src/eval/evaluate.ts';
import { readLabeledSet } from '../src/eval/labeled-set.ts';
import { Progress } from './progress.ts';
import { withRegistry } from './quality/filled-registry.ts';
import { three } from './quality/markdown.ts';

/**
 * The quality of searches with vectors in Qdrant beside searches with vectors in memory: nDCG@10 on labeled sets.
 *
 *   npx tsx bench/qdrant-quality.ts DIR SET [SET ...]
 */
const PRESETS = ['hybrid', 'vector'];
const MAX_QUERIES = 300;

async function measure(dir: string, vectors: string | undefined): Promise<readonly number[]> {
  const set = await readLabeledSet(dir, { maxQueries: MAX_QUERIES });
  const questions = set.queries.map(({ text }) => text);
  const progress = new Progress();
  progress.begin(`${set.name}, ${vectors === undefined ? 'in memory' : 'Qdrant'}`);
  const results = await withRegistry({ entities: set.entities, questions, progress, vectors }, async (registry) => {
    // Where all vectors are remembered, the model may still be loading.
    while ((await registry.health()).embedder.state === 'loading') await wait(100);
    return evaluate(registry, set, { presets: PRESETS });
  });
  progress.end(`${set.entities.length} documents, ${set.queries.length} queries`);
  return results.map((result) => result['ndcg@10']);
}

const [data = '', ...sets] = process.argv.slice(2);
const installed = ensureQdrant();
if ('missing' in installed) throw new Error(`No Qdrant: ${installed.missing}.`);
const server = await startQdrant(installed);
try {
  process.stdout.write('| set | preset | in memory | Qdrant | difference |\n|---|---|---|---|---|\n');
  for (const name of sets) {
    const memory = await measure(join(data, name), undefined);
    const qdrant = await measure(join(data, name), `qdrant://127.0.0.1:${server.port}`);
    for (const [at, preset] of PRESETS.entries()) {
      const [ours, theirs] = [memory[at]!, qdrant[at]!];
      process.stdout.write(
        `| ${name} | ${preset} | ${three(ours)} | ${three(theirs)} | ${(theirs - ours).toFixed(4)} |\n`,
      );
    }
  }
} finally {
  await server.remove();
}
process.exit(0);
