import { CLASSES, QUESTIONS, SHAPES } from '../../test/golden/conversations/conversations.ts';
import { bestConfidences, measure, openConversations } from '../../test/golden/conversations/measure.ts';
import { auroc } from './auroc.ts';
import { bold, table, three } from './markdown.ts';
import type { Section } from './section.ts';

const PRESETS = ['memory', 'keyword', 'vector', 'hybrid', 'memory-legacy', 'memory-rrf'] as const;
const SHOWN = CLASSES.filter((kind) => kind !== 'negative');

/** Our own conversations: `test/golden/conversations`. They need no folder of sets. */
export const conversations: Section = {
  heading: 'Memories',
  async measure({ progress }) {
    const rows: string[][] = [];
    const told: string[][] = [];
    for (const shape of SHAPES) {
      progress.begin(`memories, ${shape}`);
      const opened = await openConversations(shape);
      const figures = [];
      for (const preset of PRESETS) figures.push({ preset, ...(await measure(opened, preset)) });
      const best = Math.max(...figures.map(({ all }) => all));
      for (const { preset, all, byClass } of figures) {
        const mean = all === best ? bold(three(all)) : three(all);
        rows.push([shape, preset, mean, ...SHOWN.map((kind) => three(byClass[kind] ?? 0))]);
      }
      const { answered, negative } = await bestConfidences(opened);
      told.push([shape, three(auroc(answered, negative))]);
      await opened.golden.close();
      progress.end(`nDCG@10 of memory ${three(figures[0]!.all)}`);
    }
    return [
      `nDCG@10 of ${QUESTIONS.length - QUESTIONS.length / CLASSES.length} questions about conversations that we wrote ourselves, in three shapes: each turn a memory, each`,
      'session a memory that is found by its turns, and distilled facts, where a changed fact supersedes the old one. `exact` asks in the words of the',
      'statement, `paraphrase` in others, `time` with a filter on when it was said, `changed` for what is true now. Questions without an answer',
      '(`negative`) have no nDCG. The preset `memory` must be at least the better of its legs, `keyword` and `vector`, less 0.01.',
      '',
      ...table(['shape<', 'preset<', 'all', ...SHOWN], rows),
      '',
      'How well the best confidence tells questions with an answer from `negative` ones: 1 is always, 0.5 is never (AUROC).',
      '',
      ...table(['shape<', 'AUROC'], told),
    ];
  },
};
