import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type LabeledSet, readLabeledSet } from '../../src/eval/labeled-set.ts';
import { mean, ndcg } from '../../src/eval/metrics.ts';
import { pairedTest } from '../../src/eval/statistics.ts';
import type { Registry } from '../../src/registry/contract/registry.ts';
import { readJsonLines } from '../../src/sources/kinds/jsonl.ts';
import { withRegistry } from './filled-registry.ts';
import { signed, table, three } from './markdown.ts';
import { measureSample } from './schema-sample.ts';
import type { Section, SectionContext } from './section.ts';
import type { SetFolder } from './set-folders.ts';

/** Sets with edges of their train queries, and two where edges mean nothing or there are none. */
const SETS = ['ultratool', 'toollens', 'toolbench', 'sealtools', 'metatool'] as const;
const PRESETS = ['hybrid', 'recommend', 'recommend-legacy'] as const;
const QUERIES = 1000;
const PAGE = 10;
const BATCH = 10_000;

interface Measured {
  readonly ndcg: readonly number[];
  /** 1 where every relevant entity is on the page. */
  readonly complete: readonly number[];
  /** The same with the group beside the page. */
  readonly completeWithGroup: readonly number[];
}

async function loadEdges(registry: Registry, file: string): Promise<number> {
  if (!existsSync(file)) return 0;
  const edges: unknown[] = [];
  for await (const line of readJsonLines(file)) if ('value' in line) edges.push(line.value);
  let stored = 0;
  for (let from = 0; from < edges.length; from += BATCH) {
    stored += (await registry.putEdges({ edges: edges.slice(from, from + BATCH) })).stored;
  }
  return stored;
}

async function ask(registry: Registry, { queries }: LabeledSet, preset: string): Promise<Measured> {
  const measured = { ndcg: [] as number[], complete: [] as number[], completeWithGroup: [] as number[] };
  for (const { text, relevant } of queries) {
    const request = { query: text, preset, max_results: PAGE, soft_cap: 1, with_prerequisites: true };
    const { results, prerequisites } = await registry.search(request);
    const shown = results.map(({ path }) => path);
    const group = [...prerequisites!.needed_first, ...prerequisites!.used_with].map(({ path }) => path);
    const all = new Set([...shown, ...group]);
    const wanted = [...relevant.keys()];
    measured.ndcg.push(ndcg(shown, relevant));
    measured.complete.push(wanted.every((path) => shown.includes(path)) ? 1 : 0);
    measured.completeWithGroup.push(wanted.every((path) => all.has(path)) ? 1 : 0);
  }
  return measured;
}

async function measureSet(folder: SetFolder, { most, progress }: SectionContext): Promise<readonly string[][]> {
  const set = await readLabeledSet(folder.dir, { split: 'dev', maxQueries: most(QUERIES) });
  progress.begin(`graph, ${set.name}`);
  const questions = set.queries.map(({ text }) => text);
  const rows = await withRegistry({ entities: set.entities, questions, progress }, async (registry) => {
    const plain = await ask(registry, set, 'hybrid');
    const edges = await loadEdges(registry, join(folder.dir, 'edges.jsonl'));
    const found: string[][] = [];
    for (const preset of PRESETS) {
      const measured = await ask(registry, set, preset);
      const { difference, p } = pairedTest(plain.ndcg, measured.ndcg);
      found.push([
        set.name,
        String(set.queries.length),
        String(edges),
        `\`${preset}\``,
        three(mean(measured.ndcg)),
        `${signed(difference)} (${p.toFixed(3)})`,
        three(mean(measured.complete)),
        three(mean(measured.completeWithGroup)),
        signed(mean(measured.completeWithGroup) - mean(plain.complete)),
      ]);
    }
    return found;
  });
  progress.end('done');
  return rows;
}

export const graph: Section = {
  heading: 'The graph',
  async measure(context) {
    const folders = SETS.flatMap((name) => context.sets.filter((set) => set.name === name && set.split === 'dev'));
    if (folders.length === 0) return [];
    const rows: string[][] = [];
    for (const folder of folders) rows.push(...(await measureSet(folder, context)));
    const heads = [
      'set<',
      'queries',
      'edges',
      'preset<',
      'nDCG@10',
      'to hybrid (p)',
      'complete',
      'with its group',
      'gain',
    ];
    return [
      'Dev queries, with the edges of the train queries only (`metatool` has none). `complete` is the share of queries with every',
      'relevant tool among the first ten; the group is `with_prerequisites`, at most ten members. The gain is to `hybrid` without it.',
      '',
      ...table(heads, rows),
      '',
      ...(await measureSample(context)),
    ];
  },
};
