import { mean } from '../../src/eval/metrics.ts';
import { bootstrapInterval } from '../../src/eval/statistics.ts';
import { withRegistry } from './filled-registry.ts';
import { knownItems, reciprocalRank } from './known-items.ts';
import { bold, range, table, three } from './markdown.ts';
import type { Section } from './section.ts';
import { readCorpus, type SetFolder, SUMMARY_SETS, TEXT_SETS } from './set-folders.ts';

const PRESETS = ['hybrid', 'keyword', 'vector'] as const;
const ITEMS = 200;

/** Tool collections, and a catalog of agents. Texts have titles rather than names. */
const isNamed = ({ name }: SetFolder) =>
  (SUMMARY_SETS as readonly string[]).concat('a2a').includes(name) && !TEXT_SETS.includes(name);

export const names: Section = {
  heading: 'Names',
  async measure({ sets, most, progress }) {
    const rows: string[][] = [];
    const all = new Map<string, number[]>(PRESETS.map((preset) => [preset, []]));
    for (const folder of sets.filter(isNamed)) {
      progress.begin(`names, ${folder.name}`);
      const entities = await readCorpus(folder);
      const items = knownItems(entities, 'name', most(ITEMS));
      const questions = items.map(({ query }) => query);
      const figures = await withRegistry({ entities, questions, progress }, async (registry) => {
        const found: string[] = [];
        let ofHybrid: readonly [number, number] = [0, 0];
        for (const preset of PRESETS) {
          progress.step(preset);
          const ranks: number[] = [];
          for (const item of items) ranks.push(await reciprocalRank(registry, item, { preset, soft_cap: 1 }));
          if (preset === 'hybrid') ofHybrid = bootstrapInterval(ranks);
          all.get(preset)!.push(...ranks);
          found.push(three(mean(ranks)));
        }
        return [...found, range(ofHybrid)];
      });
      rows.push([folder.name, String(entities.length), String(items.length), ...figures]);
      progress.end(`MRR of hybrid ${figures[0]}`);
    }
    if (rows.length === 0) return [];
    rows.push([bold('all'), '', '', ...PRESETS.map((preset) => bold(three(mean(all.get(preset)!)))), '']);
    return [
      `Something is asked for by its name alone, ${most(ITEMS)} names of each catalog. The figure is the mean reciprocal rank of whatever`,
      'is called so: 1 when it is always first.',
      '',
      ...table(['catalog<', 'entities', 'names', ...PRESETS, '95 % of hybrid<'], rows),
      '',
    ];
  },
};
