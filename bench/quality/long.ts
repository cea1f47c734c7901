import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { evaluate } from '../../src/eval/evaluate.ts';
import { readLabeledSet } from '../../src/eval/labeled-set.ts';
import { withRegistry } from './filled-registry.ts';
import { bold, range, signed, table, three } from './markdown.ts';
import type { Section, SectionContext } from './section.ts';
import { LONG_TASKS, type SetFolder, setFolders } from './set-folders.ts';

/** A folder of sets beside the others: each a conversation whose turns, sessions or facts are memories. */
const CONVERSATIONS = 'conversations';

async function conversationsOf(sets: readonly SetFolder[]): Promise<readonly SetFolder[]> {
  const folder = join(dirname(sets[0]?.dir ?? '.'), CONVERSATIONS);
  return existsSync(folder) ? setFolders(folder) : [];
}

async function rowOf({ dir, name }: SetFolder, preset: string, { most, progress }: SectionContext) {
  const set = await readLabeledSet(dir, { maxQueries: most(Number.POSITIVE_INFINITY) });
  progress.begin(`long tasks and conversations, ${name}`);
  const questions = set.queries.map(({ text }) => text);
  const results = await withRegistry({ entities: set.entities, questions, progress }, (registry) =>
    evaluate(registry, set, { presets: [preset, 'keyword', 'vector'] }),
  );
  const [own, ...legs] = results.map((result) => result['ndcg@10']) as [number, number, number];
  progress.end(`nDCG@10 of ${preset} ${three(own)}`);
  const figures = [bold(three(own)), ...legs.map(three), range(results[0]!.interval), signed(own - Math.max(...legs))];
  return [name, preset, String(set.entities.length), String(set.queries.length), ...figures];
}

/** Texts of a thousand characters, and conversations of others: where a leg alone was better than both. */
export const long: Section = {
  heading: 'Long tasks and conversations',
  async measure(context) {
    const rows: string[][] = [];
    for (const set of context.sets) if (set.name === LONG_TASKS) rows.push(await rowOf(set, 'hybrid', context));
    for (const set of await conversationsOf(context.sets)) rows.push(await rowOf(set, 'memory', context));
    if (rows.length === 0) return [];
    return [
      'nDCG@10 where one leg is much better than the other: tasks of about 1,100 characters against servers, and long conversations of',
      'others in three shapes, each turn a memory, each session one, and facts. The aim is at least the better leg less 0.01.',
      'The weights of `memory` were fitted to these conversations and to [our own](#memories) together. Fitted without a conversation,',
      'they are between 0.010 below and 0.038 above the better leg on it.',
      '',
      ...table(
        ['set<', 'preset<', 'documents', 'queries', 'nDCG@10', 'keyword', 'vector', '95 %<', 'to the better leg'],
        rows,
      ),
    ];
  },
};
