import { evaluate } from '../../src/eval/evaluate.ts';
import { type LabeledQuery, type LabeledSet, readLabeledSet } from '../../src/eval/labeled-set.ts';
import { bootstrapInterval } from '../../src/eval/statistics.ts';
import { withRegistry } from './filled-registry.ts';
import { range, table, three } from './markdown.ts';
import type { Section } from './section.ts';
import { spread } from './set-folders.ts';

const COUNTS = [0, 2, 5, 10] as const;
const PRESETS = ['hybrid', 'keyword', 'vector'] as const;

interface SplitQueries {
  /** Up to ten questions for each tool, which may become its examples. */
  readonly examples: ReadonlyMap<string, readonly string[]>;
  /** The others: what is asked, whatever number of examples there is. */
  readonly asked: readonly LabeledQuery[];
}

/** As long as an example of a tool may be. */
const MAX_EXAMPLE_CHARS = 512;

/** Only questions with one answer become examples; every second one, so that both halves are alike. */
function splitQueries(queries: readonly LabeledQuery[]): SplitQueries {
  const most = Math.max(...COUNTS);
  const examples = new Map<string, string[]>();
  const seen = new Map<string, number>();
  const asked = queries.filter((query) => {
    const [only] = query.relevant.keys();
    if (query.relevant.size !== 1 || only === undefined) return true;
    const turn = seen.get(only) ?? 0;
    seen.set(only, turn + 1);
    const taken = examples.get(only) ?? [];
    if (turn % 2 === 1 || taken.length >= most) return true;
    examples.set(only, [...taken, query.text.slice(0, MAX_EXAMPLE_CHARS)]);
    return false;
  });
  return { examples, asked };
}

export const findability: Section = {
  heading: 'Findability',
  async measure({ sets, most, progress }) {
    const folder = sets.find(({ name }) => name === 'metatool');
    if (folder === undefined) return [];
    const whole = await readLabeledSet(folder.dir, { split: 'dev' });
    const { examples, asked } = splitQueries(whole.queries);
    const queries = spread(asked, most(2000));
    const rows: string[][] = [];
    for (const count of COUNTS) {
      progress.begin(`findability, ${count} examples`);
      const entities = whole.entities.map((entity) =>
        entity.type === 'tool' ? { ...entity, examples: (examples.get(entity.path) ?? []).slice(0, count) } : entity,
      );
      const set: LabeledSet = { ...whole, entities, queries };
      const questions = queries.map(({ text }) => text);
      const results = await withRegistry({ entities, questions, progress }, (registry) =>
        evaluate(registry, set, {
          presets: PRESETS,
          onProgress: ({ preset, done, total }) => progress.step(`${preset}, ${done} of ${total} queries`),
        }),
      );
      const values = results[0]!.outcomes.map(({ metrics }) => metrics['ndcg@10']);
      const figures = results.map((result) => three(result['ndcg@10']));
      rows.push([String(count), ...figures, range(bootstrapInterval(values)), three(results[0]!['hit@1'])]);
      progress.end(`nDCG@10 of hybrid ${figures[0]}`);
    }
    return [
      `What are \`examples\` worth? Each of the ${whole.entities.length} tools of metatool is given some dev queries as its examples, and ${queries.length} other dev`,
      'queries are asked. nDCG@10:',
      '',
      ...table(['examples of each tool', ...PRESETS, '95 % of hybrid<', 'hybrid right at once'], rows),
      '',
    ];
  },
};
