import { type LabeledQuery, readLabeledSet } from '../../src/eval/labeled-set.ts';
import { mean } from '../../src/eval/metrics.ts';
import type { Registry } from '../../src/registry/registry.ts';
import { auroc } from './auroc.ts';
import { calibrationError, type Judged } from './calibration.ts';
import { withRegistry } from './filled-registry.ts';
import { bold, percent, table, three } from './markdown.ts';
import type { Section } from './section.ts';
import { readCorpus, summarySets, TEXT_SETS } from './set-folders.ts';

/** The number of queries of each set for its own catalog, and for each other catalog. */
const OWN_QUERIES = 200;
const FOREIGN_QUERIES = 60;

interface Asked {
  /** Of the first result. */
  readonly confidence: number;
  readonly noMatch: boolean;
  /** The first ten results. */
  readonly results: readonly Judged[];
}

/** The queries of one set, searched in its own catalog or in another one. */
interface Pairing {
  readonly corpus: string;
  readonly queries: string;
  readonly asked: readonly Asked[];
  /** The same without a model. */
  readonly lexical: readonly Asked[];
}

async function ask(
  registry: Registry,
  { text, relevant }: LabeledQuery,
  isOwn: boolean,
  preset: string,
): Promise<Asked> {
  const [sure, plain] = await Promise.all([
    registry.search({ query: text, preset, max_results: 10, min_confidence: 0 }),
    registry.search({ query: text, preset, max_results: 1 }),
  ]);
  const results = sure.results.map(({ path, confidence }) => ({
    confidence,
    isRight: isOwn && (relevant.get(path) ?? 0) > 0,
  }));
  return { confidence: results[0]?.confidence ?? 0, noMatch: plain.no_match, results };
}

const isOwn = ({ corpus, queries }: Pairing) => corpus === queries;
const isText = (set: string) => TEXT_SETS.includes(set);
const crosses = ({ corpus, queries }: Pairing) => isText(corpus) !== isText(queries);
type Leg = 'asked' | 'lexical';
const confidences = (pairings: readonly Pairing[], leg: Leg = 'asked') =>
  pairings.flatMap((pairing) => pairing[leg].map(({ confidence }) => confidence));
const results = (pairings: readonly Pairing[], leg: Leg) =>
  pairings.filter(isOwn).flatMap((pairing) => pairing[leg].flatMap((asked) => asked.results));
const noMatches = (pairings: readonly Pairing[]) =>
  mean(pairings.flatMap(({ asked }) => asked.map(({ noMatch }) => Number(noMatch))));

/** A result is sure from here on. */
const SURE = 0.7;

function calibrationRow(name: string, size: string, pairings: readonly Pairing[]): readonly string[] {
  const foreign = pairings.filter((pairing) => !isOwn(pairing));
  const sure = results(pairings, 'asked').filter(({ confidence }) => confidence >= SURE);
  return [
    name,
    size,
    ...(['asked', 'lexical'] as const).flatMap((leg) => [
      three(calibrationError(results(pairings, leg))),
      three(auroc(confidences(pairings.filter(isOwn), leg), confidences(foreign, leg))),
    ]),
    percent(sure.filter(({ isRight }) => isRight).length / Math.max(1, sure.length)),
  ];
}

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
    const queries = new Map<string, readonly LabeledQuery[]>();
    for (const { name, dir } of summary) {
      const set = await readLabeledSet(dir, { split: 'dev', maxQueries: most(OWN_QUERIES) });
      queries.set(name, set.queries);
    }
    const questions = [...queries.values()].flat().map(({ text }) => text);
    const pairings: Pairing[] = [];
    const sizes = new Map<string, number>();
    for (const folder of summary) {
      progress.begin(`confidence, catalog of ${folder.name}`);
      const entities = await readCorpus(folder);
      sizes.set(folder.name, entities.length);
      await withRegistry({ entities, questions, progress }, async (registry) => {
        for (const [from, all] of queries) {
          progress.step(`queries of ${from}`);
          const asked: Asked[] = [];
          const lexical: Asked[] = [];
          const own = from === folder.name;
          const step = own ? 1 : Math.max(1, Math.ceil(all.length / FOREIGN_QUERIES));
          for (const query of all.filter((_, i) => i % step === 0)) {
            asked.push(await ask(registry, query, own, 'hybrid'));
            lexical.push(await ask(registry, query, own, 'keyword'));
          }
          pairings.push({ corpus: folder.name, queries: from, asked, lexical });
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
      `Can \`confidence\` tell a query that the catalog answers from one that it does not? ${most(OWN_QUERIES)} dev queries of each set are`,
      `searched in its own catalog, and about ${FOREIGN_QUERIES} of them in each other one. The table compares the confidence of the first result, with`,
      '`min_confidence` 0. AUROC is the probability that an own query has a higher confidence than a foreign one: 1 is perfect, 0.5 is chance.',
      'Tool catalogs overlap (most have a weather tool), so a foreign query of the same kind may have an answer: `tools',
      'against texts` has only pairs that cannot. The last two columns are how often the default answers `no_match`.',
      '',
      'How much do the catalogs overlap? Of 100 foreign questions in other tool catalogs, drawn by lot and read by hand, 21 had a tool',
      'among the first four that does at least one thing that was asked. A perfect model would be as sure of these as of own questions,',
      'which limits the pooled AUROC to about 0.935. Without them it is about 0.915, and 0.940 for own questions whose right tool is among',
      'the first five: for the others a low confidence is right.',
      '',
      'What else was tried? Twenty-two more facts about a query and its hits, one at a time, some in pairs and all at once, beside the four of the first',
      'estimate. Each catalog was left out of its own fit, with its queries. The four alone, fitted again, tell own from foreign queries with 0.902',
      '(the estimate, not the confidence of the first result). The best cosine against the mean of the catalog and against the 10th and 75th hit, how much',
      'of the query by idf the first hit has, whether it has the rarest word, unknown words, the ranks of the first hit, agreement of the legs and the lead of',
      'the best keyword hit give 0.902 to 0.904, the best pair 0.903, all together 0.900. None is worth a further number.',
      '',
      ...table(head, rows),
      '',
      'How much is a confidence worth? Of the first ten results of own queries, the expected calibration error (ECE) compares the',
      'confidence with the share that the labels call right: 0 is perfect. `keyword` is an answer without a model. The last column is how',
      `many results with a confidence of ${SURE} or more are right; labels are not complete, so it is a lower bound.`,
      '',
      ...table(
        ['catalog<', 'entities', 'ECE', 'AUROC', 'ECE, keyword', 'AUROC, keyword', `right from ${SURE}`],
        [...summary]
          .sort((a, b) => sizes.get(a.name)! - sizes.get(b.name)!)
          .map(({ name }) =>
            calibrationRow(
              name,
              String(sizes.get(name)),
              pairings.filter(({ corpus }) => corpus === name),
            ),
          )
          .concat([calibrationRow(bold('pooled'), '', pairings).map((cell, i) => (i < 2 ? cell : bold(cell)))]),
      ),
      '',
    ];
  },
};
