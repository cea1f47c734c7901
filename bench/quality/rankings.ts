import { evaluate, type PresetResult } from '../../src/eval/evaluate.ts';
import { readLabeledSet } from '../../src/eval/labeled-set.ts';
import { METRIC_NAMES, mean } from '../../src/eval/metrics.ts';
import { withRegistry } from './filled-registry.ts';
import { bold, range, signed, table, three } from './markdown.ts';
import type { Section, SectionContext } from './section.ts';
import { LONG_TASKS, type SetFolder, summarySets } from './set-folders.ts';

const SHOWN = ['hybrid', 'keyword', 'vector', 'rrf', 'registry', 'linear', 'adaptive', 'memory-legacy'] as const;
/** Older designs and near twins of those above: their means are enough. */
const IN_MEANS = ['registry-legacy', 'lexical', 'anchored'] as const;

interface MeasuredSet {
  readonly set: string;
  readonly documents: number;
  readonly results: readonly PresetResult[];
}

async function measureSet(folder: SetFolder, { most, progress }: SectionContext): Promise<MeasuredSet> {
  const set = await readLabeledSet(folder.dir, {
    ...(folder.split === null ? {} : { split: folder.split }),
    maxQueries: most(Number.POSITIVE_INFINITY),
  });
  progress.begin(`rankings, ${set.name}`);
  const questions = set.queries.map(({ text }) => text);
  const results = await withRegistry({ entities: set.entities, questions, progress }, (registry) =>
    evaluate(registry, set, {
      presets: [...SHOWN, ...IN_MEANS],
      onProgress: ({ preset, done, total }) => progress.step(`${preset}, ${done} of ${total} queries`),
    }),
  );
  progress.end(`nDCG@10 of hybrid ${three(results[0]!['ndcg@10'])}`);
  return { set: set.name, documents: set.entities.length, results };
}

const of = ({ results }: MeasuredSet, preset: string) => results.find((result) => result.preset === preset)!;
const meanOf = (sets: readonly MeasuredSet[], preset: string) => mean(sets.map((set) => of(set, preset)['ndcg@10']));

function summary(sets: readonly MeasuredSet[]): readonly string[] {
  const rows = sets.map((set) => {
    const hybrid = of(set, 'hybrid');
    const best = Math.max(...SHOWN.map((preset) => of(set, preset)['ndcg@10']));
    const figures = SHOWN.map((preset) => {
      const value = of(set, preset)['ndcg@10'];
      return value === best ? bold(three(value)) : three(value);
    });
    const leg = Math.max(of(set, 'keyword')['ndcg@10'], of(set, 'vector')['ndcg@10']);
    const counts = [String(set.documents), String(hybrid.queries)];
    return [set.set, ...counts, ...figures, range(hybrid.interval), signed(hybrid['ndcg@10'] - leg)];
  });
  if (sets.length > 1) {
    const means = SHOWN.map((preset) => bold(three(meanOf(sets, preset))));
    rows.push([bold('mean'), '', '', ...means, '', '']);
  }
  return table(['set<', 'documents', 'queries', ...SHOWN, '95 % of hybrid<', 'to the better leg'], rows);
}

function means(sets: readonly MeasuredSet[], others: readonly MeasuredSet[]): readonly string[] {
  const rows = [...SHOWN, ...IN_MEANS].map((preset) => [
    `\`${preset}\``,
    three(meanOf(sets, preset)),
    ...(others.length === 0 ? [] : [three(meanOf(others, preset))]),
  ]);
  return table(['preset<', 'mean of the sets above', ...(others.length === 0 ? [] : ['of the second look'])], rows);
}

function details(sets: readonly MeasuredSet[]): readonly string[] {
  const rows = sets.flatMap(({ set, results }) =>
    results
      .filter(({ preset }) => (SHOWN as readonly string[]).includes(preset))
      .map((result) => {
        const { preset, interval, against_first: paired } = result;
        const compared = paired === undefined ? '' : `${signed(paired.difference)} (${paired.p.toFixed(3)})`;
        return [set, preset, ...METRIC_NAMES.map((name) => three(result[name])), range(interval), compared];
      }),
  );
  return table(['set<', 'preset<', ...METRIC_NAMES, '95 % of nDCG@10<', 'to hybrid (p)'], rows);
}

export const rankings: Section = {
  heading: 'Rankings',
  async measure(context) {
    const inSummary = summarySets(context.sets);
    if (inSummary.length === 0) return [];
    const isRest = (set: SetFolder) => set.split !== null && set.name !== LONG_TASKS && !inSummary.includes(set);
    const rest = context.sets.filter(isRest);
    const sets: MeasuredSet[] = [];
    const others: MeasuredSet[] = [];
    for (const folder of inSummary) sets.push(await measureSet(folder, context));
    for (const folder of rest) others.push(await measureSet(folder, context));
    return [
      'nDCG@10 over the dev queries. `keyword` and `vector` are the legs of `hybrid` alone, `rrf` joins the same legs by plain',
      "reciprocal rank fusion (k = 60), `registry` is the registry's own design to the letter, `linear` and `adaptive` are",
      'ADR-003, `memory-legacy` is the memory service. [ranking.md](ranking.md) has what each of them does.',
      '',
      ...summary(sets),
      '',
      'Sets differ in how complete their labels are, so compare within a row.',
      '',
      ...(others.length === 0
        ? []
        : [
            'Sets without dev queries, small or old, for a second look (their test queries; nothing was chosen on them):',
            '',
            ...summary(others),
            '',
          ]),
      'Means of every preset:',
      '',
      ...means(sets, others),
      '',
      '### All figures',
      '',
      'The last column is the difference in nDCG@10 to `hybrid` with the p of a paired test.',
      '',
      ...details([...sets, ...others]),
      '',
    ];
  },
};
