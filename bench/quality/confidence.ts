import type { LabeledQuery } from '../../src/eval/labeled-set.ts';
import { mean } from '../../src/eval/metrics.ts';
import type { Registry } from '../../src/registry/contract/registry.ts';
import { auroc } from './auroc.ts';
import { calibrationError, type Judged } from './calibration.ts';
import { withRegistry } from './filled-registry.ts';
import { bold, percent, table, three } from './markdown.ts';
import { FOREIGN_QUERIES, OWN_QUERIES, readPairedQueries } from './paired-queries.ts';
import type { Section } from './section.ts';
import { readCorpus, summarySets, TEXT_SETS } from './set-folders.ts';

interface Asked {
  /** Of the first result. */
  readonly confidence: number;
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
  /** Whether the default has no match. */
  readonly noMatch: readonly boolean[];
}

async function ask(
  registry: Registry,
  { text, relevant }: LabeledQuery,
  isOwn: boolean,
  preset: string,
): Promise<Asked> {
  const answer = await registry.search({ query: text, preset, max_results: 10, min_confidence: 0 });
  const results = answer.results.map(({ path, confidence }) => ({
    confidence,
    isRight: isOwn && (relevant.get(path) ?? 0) > 0,
  }));
  return { confidence: results[0]?.confidence ?? 0, results };
}

const isOwn = ({ corpus, queries }: Pairing) => corpus === queries;
const isText = (set: string) => TEXT_SETS.includes(set);
const crosses = ({ corpus, queries }: Pairing) => isText(corpus) !== isText(queries);
type Leg = 'asked' | 'lexical';
const confidences = (pairings: readonly Pairing[], leg: Leg = 'asked') =>
  pairings.flatMap((pairing) => pairing[leg].map(({ confidence }) => confidence));
const results = (pairings: readonly Pairing[], leg: Leg) =>
  pairings.filter(isOwn).flatMap((pairing) => pairing[leg].flatMap((asked) => asked.results));
const noMatches = (pairings: readonly Pairing[]) => mean(pairings.flatMap(({ noMatch }) => noMatch.map(Number)));

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
    const queries = await readPairedQueries(summary, most);
    const pairings: Pairing[] = [];
    const sizes = new Map<string, number>();
    for (const folder of summary) {
      progress.begin(`confidence, catalog of ${folder.name}`);
      const entities = await readCorpus(folder);
      sizes.set(folder.name, entities.length);
      await withRegistry({ entities, questions: queries.texts, progress }, async (registry) => {
        for (const [from, some] of queries.for(folder.name)) {
          progress.step(`queries of ${from}`);
          const asked: Asked[] = [];
          const lexical: Asked[] = [];
          const noMatch: boolean[] = [];
          const own = from === folder.name;
          for (const query of some) {
            asked.push(await ask(registry, query, own, 'hybrid'));
            lexical.push(await ask(registry, query, own, 'keyword'));
            noMatch.push((await registry.search({ query: query.text, max_results: 1 })).no_match);
          }
          pairings.push({ corpus: folder.name, queries: from, asked, lexical, noMatch });
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
