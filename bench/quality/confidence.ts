import { readLabeledSet } from '../../src/eval/labeled-set.ts';
import { mean } from '../../src/eval/metrics.ts';
import type { Registry } from '../../src/registry/registry.ts';
import { auroc } from './auroc.ts';
import { withRegistry } from './filled-registry.ts';
import { bold, percent, table, three } from './markdown.ts';
import type { Section } from './section.ts';
import { readCorpus, summarySets, TEXT_SETS } from './set-folders.ts';

/** Of each set: asked of its own catalog, and, the first so many spread over them, of each other one. */
const OWN_QUERIES = 200;
const FOREIGN_QUERIES = 60;

interface Asked {
  readonly confidence: number;
  readonly noMatch: boolean;
}

/** Queries of one set asked of the catalog of another, or of its own. */
interface Pairing {
  readonly corpus: string;
  readonly queries: string;
  readonly asked: readonly Asked[];
}

async function ask(registry: Registry, query: string): Promise<Asked> {
  const [sure, plain] = await Promise.all([
    registry.search({ query, max_results: 1, min_confidence: 0 }),
    registry.search({ query, max_results: 1 }),
  ]);
  return { confidence: sure.results[0]?.confidence ?? 0, noMatch: plain.no_match };
}

const isOwn = ({ corpus, queries }: Pairing) => corpus === queries;
const isText = (set: string) => TEXT_SETS.includes(set);
const crosses = ({ corpus, queries }: Pairing) => isText(corpus) !== isText(queries);
const confidences = (pairings: readonly Pairing[]) =>
  pairings.flatMap(({ asked }) => asked.map(({ confidence }) => confidence));
const noMatches = (pairings: readonly Pairing[]) =>
  mean(pairings.flatMap(({ asked }) => asked.map(({ noMatch }) => Number(noMatch))));

function rowOf(name: string, pairings: readonly Pairing[]): readonly string[] {
  const own = pairings.filter(isOwn);
  const foreign = pairings.filter((pairing) => !isOwn(pairing));
  const against = (some: readonly Pairing[]) => {
    const value = auroc(confidences(own), confidences(some));
    return Number.isNaN(value) ? '' : three(value);
  };
  return [
    name,
    against(foreign),
    against(foreign.filter(crosses)),
    against(foreign.filter((pairing) => !crosses(pairing))),
    percent(noMatches(own)),
    percent(noMatches(foreign)),
  ];
}

export const confidence: Section = {
  heading: 'Confidence',
  async measure({ sets, most, progress }) {
    const summary = summarySets(sets);
    if (summary.length < 2) return [];
    const queries = new Map<string, readonly string[]>();
    for (const { name, dir } of summary) {
      const set = await readLabeledSet(dir, { split: 'dev', maxQueries: most(OWN_QUERIES) });
      queries.set(
        name,
        set.queries.map(({ text }) => text),
      );
    }
    const questions = [...queries.values()].flat();
    const pairings: Pairing[] = [];
    for (const folder of summary) {
      progress.begin(`confidence, catalog of ${folder.name}`);
      const entities = await readCorpus(folder);
      await withRegistry({ entities, questions, progress }, async (registry) => {
        for (const [from, texts] of queries) {
          progress.step(`queries of ${from}`);
          const asked: Asked[] = [];
          const step = from === folder.name ? 1 : Math.max(1, Math.ceil(texts.length / FOREIGN_QUERIES));
          for (const text of texts.filter((_, i) => i % step === 0)) asked.push(await ask(registry, text));
          pairings.push({ corpus: folder.name, queries: from, asked });
        }
      });
      progress.end(
        `AUROC ${rowOf(
          '',
          pairings.filter(({ corpus }) => corpus === folder.name),
        )[1]!}`,
      );
    }
    const head = ['catalog<', 'AUROC', 'tools against texts', 'of its kind', 'no match, own', 'no match, others'];
    const rows = summary.map(({ name }) =>
      rowOf(
        name,
        pairings.filter(({ corpus }) => corpus === name),
      ),
    );
    rows.push(rowOf(bold('pooled'), pairings).map((cell, i) => (i === 0 ? cell : bold(cell))));
    return [
      `Can \`confidence\` tell a question that the catalog answers from one that it does not? ${most(OWN_QUERIES)} dev queries of each set are`,
      `asked of its own catalog, and about ${FOREIGN_QUERIES} of them of each other one; what is compared is the confidence of the first result, with`,
      '`min_confidence` 0. AUROC is the chance that an own query is surer than a foreign one: 1 is perfect, 0.5 is a coin.',
      'Tool catalogs overlap (most know the weather), so that a foreign query of the same kind may well have an answer: `tools',
      'against texts` has only pairs that cannot. The last two columns are how often the default answers `no_match`.',
      '',
      ...table(head, rows),
      '',
    ];
  },
};
