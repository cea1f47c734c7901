import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { CANDIDATES, type Contender, RESULTS } from './contenders/contender.ts';
import { generateCorpus } from './corpus/corpus.ts';
import { readCorpus, readQuestions, writeCorpus } from './corpus/corpus-files.ts';
import { exactNeighbors } from './corpus/exact-neighbors.ts';

/**
 * The processor time of a search beside another checkout of Dowser, both with its own `dist`:
 *
 *   npx tsx bench/beside.ts --other ../older [--units 10000] [--leg hybrid|keyword|vector]
 *
 * Both are in this process and get blocks of the same new queries in turn, so that a busy machine slows both. What is compared
 * is processor time, block by block. Whichever is opened first is up to 3 % faster: `--swap` opens the other one first.
 */
const WARMUPS = 1500;
const BLOCK = 100;
const BLOCKS = 60;

const { values } = parseArgs({
  options: {
    other: { type: 'string' },
    units: { type: 'string', default: '10000' },
    leg: { type: 'string', default: 'hybrid' },
    swap: { type: 'boolean', default: false },
  },
});
if (values.other === undefined) throw new Error('Name another checkout: --other DIR.');
const leg = values.leg as 'hybrid' | 'keyword' | 'vector';
const folder = mkdtempSync(join(tmpdir(), 'dowser-beside-'));
try {
  const corpus = generateCorpus({ units: Number(values.units), queries: WARMUPS + BLOCKS * BLOCK, seed: 20_231 });
  const sample = corpus.queries.slice(0, 1);
  await writeCorpus(folder, corpus, exactNeighbors(corpus, sample, { nearest: RESULTS, candidates: CANDIDATES }));
  const questions = readQuestions(folder);
  const { queries } = questions;
  const roots = [resolve(import.meta.dirname, '..'), resolve(values.other)];
  const opened: Contender[] = [];
  for (const at of values.swap ? [1, 0] : [0, 1]) {
    const built = (await import(join(roots[at]!, 'bench/contenders/dowser.ts'))) as {
      loadDowser: () => Promise<Contender>;
    };
    const contender = await built.loadDowser();
    const store = join(folder, `store-${at}`);
    mkdirSync(store);
    await contender.build(readCorpus(folder, queries), store);
    await contender.open(store, questions);
    for (const query of queries.slice(0, WARMUPS)) await contender[leg](query);
    opened[at] = contender;
  }
  const costs: [number[], number[]] = [[], []];
  for (let block = 0; block < BLOCKS; block++) {
    const asked = queries.slice(WARMUPS + block * BLOCK, WARMUPS + (block + 1) * BLOCK);
    for (const at of block % 2 === 0 ? ([0, 1] as const) : ([1, 0] as const)) {
      const before = process.cpuUsage();
      for (const query of asked) await opened[at]![leg](query);
      const { user, system } = process.cpuUsage(before);
      costs[at].push((user + system) / 1000 / BLOCK);
    }
  }
  const median = (list: readonly number[]) => [...list].sort((a, b) => a - b)[list.length >> 1]!;
  const [own, other] = costs.map(median) as [number, number];
  const ratio = median(costs[0].map((cost, at) => cost / costs[1][at]!));
  console.log(
    `${leg}, ${values.units} units, CPU ms of a search: this build ${own.toFixed(3)}, the other ${other.toFixed(3)}, ratio of blocks ${ratio.toFixed(3)}`,
  );
  for (const contender of opened) await contender.close();
} finally {
  rmSync(folder, { recursive: true, force: true });
}
