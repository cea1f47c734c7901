import { isOtherScript } from '../../src/search/text/other-script.ts';
import { auroc } from './auroc.ts';
import { calibrationError } from './calibration.ts';
import { withFacts } from './confidence-facts.ts';
import {
  crossFitted,
  type EstimatedPair,
  type FactsOfPair,
  fittedAnswerable,
  fittedWeights,
  type Mode,
} from './fit-confidence.ts';
import { bold, table, three } from './markdown.ts';
import { type PairedQueries, readPairedQueries } from './paired-queries.ts';
import type { Section, SectionContext } from './section.ts';
import { readCorpus, spread, summarySets } from './set-folders.ts';
import { type SmallCatalog, smallCatalogs } from './small-catalogs.ts';

const MODES: readonly Mode[] = ['hybrid', 'keyword'];

/** In entities. */
const SAMPLE_SIZES = [8, 25, 100];
const SAMPLE_FOREIGN_QUERIES = 12;

function figuresOf(pairs: readonly EstimatedPair[]): readonly string[] {
  const own = pairs.filter(({ isOwn }) => isOwn);
  const foreign = pairs.filter(({ isOwn }) => !isOwn);
  const first = (some: readonly EstimatedPair[]) => some.map(({ results }) => results[0]?.confidence ?? 0);
  const answerable = (some: readonly EstimatedPair[]) => some.map((pair) => pair.answerable);
  const shown = (some: readonly EstimatedPair[]) => some.flatMap(({ results }) => results);
  return [
    three(auroc(answerable(own), answerable(foreign))),
    three(auroc(first(own), first(foreign))),
    three(calibrationError(shown(own))),
    three(calibrationError(shown(pairs))),
  ];
}

interface Gathered {
  readonly facts: Readonly<Record<Mode, readonly FactsOfPair[]>>;
  /** The facts of samples, a list for each size of `SAMPLE_SIZES`. */
  readonly samples: Readonly<Record<Mode, readonly (readonly FactsOfPair[])[]>>;
  /** The number of entities of each catalog. */
  readonly sizes: ReadonlyMap<string, number>;
}

async function gatherFacts({ sets, most, progress }: SectionContext): Promise<Gathered> {
  const facts: Record<Mode, FactsOfPair[]> = { hybrid: [], keyword: [] };
  const samples: Record<Mode, FactsOfPair[][]> = {
    hybrid: SAMPLE_SIZES.map(() => []),
    keyword: SAMPLE_SIZES.map(() => []),
  };
  const sizes = new Map<string, number>();
  const queries = await readPairedQueries(summarySets(sets), most);
  for (const folder of summarySets(sets)) {
    progress.begin(`facts, catalog of ${folder.name}`);
    const entities = await readCorpus(folder);
    sizes.set(folder.name, entities.length);
    await withFacts({ entities, questions: queries.texts }, async (ask) => {
      for (const [from, some] of queries.for(folder.name)) {
        progress.step(`queries of ${from}`);
        for (const query of some) {
          if (isOtherScript(query.text)) continue;
          const labeled = from === folder.name ? query : { ...query, relevant: new Map() };
          for (const mode of MODES) {
            facts[mode].push({ corpus: folder.name, queries: from, ...(await ask(labeled, mode)) });
          }
        }
      }
    });
    for (const [i, size] of SAMPLE_SIZES.entries()) {
      progress.step(`samples of ${size}`);
      for (const sample of smallCatalogs(entities, queries.own(folder.name), size)) {
        const found = await sampleFacts(folder.name, sample, queries);
        for (const mode of MODES) samples[mode][i]!.push(...found[mode]);
      }
    }
    progress.end(`${facts.hybrid.length} answers`);
  }
  return { facts, samples, sizes };
}

/** The facts of a sample, from its own queries and some of each other set. */
async function sampleFacts(corpus: string, { entities, queries: own }: SmallCatalog, queries: PairedQueries) {
  const asked = queries.for(corpus).flatMap(([from, some]) => {
    const chosen = from === corpus ? own : spread(some, SAMPLE_FOREIGN_QUERIES);
    const labeled = from === corpus ? chosen : chosen.map((query) => ({ ...query, relevant: new Map() }));
    return labeled.filter(({ text }) => !isOtherScript(text)).map((query) => ({ from, query }));
  });
  const questions = asked.map(({ query }) => query.text);
  return withFacts({ entities, questions }, async (ask) => {
    const facts: Record<Mode, FactsOfPair[]> = { hybrid: [], keyword: [] };
    for (const { from, query } of asked) {
      for (const mode of MODES) facts[mode].push({ corpus, queries: from, ...(await ask(query, mode)) });
    }
    return facts;
  });
}

/** Fits the confidence to all catalogs but one, and measures it on that one. Also shows the weights of a fit to all. */
export const crossFit: Section = {
  heading: 'Confidence in unseen catalogs',
  async measure(context) {
    if (summarySets(context.sets).length < 3) return [];
    const { facts, samples, sizes } = await gatherFacts(context);
    const estimated = MODES.map((mode) => crossFitted(facts[mode], mode));
    const rows = [...sizes]
      .sort(([, a], [, b]) => a - b)
      .map(([name, size]) => [
        name,
        String(size),
        ...estimated.flatMap((all) => figuresOf(all.filter(({ corpus }) => corpus === name))),
      ]);
    rows.push([bold('pooled'), '', ...estimated.flatMap(figuresOf).map(bold)]);
    const head = MODES.flatMap((mode) => {
      const suffix = mode === 'hybrid' ? '' : `, ${mode}`;
      return [`in or out${suffix}`, `first result${suffix}`, `ECE, own${suffix}`, `ECE, all${suffix}`];
    });
    return [
      ...ABOUT,
      ...table(['catalog<', 'entities', ...head], rows),
      '',
      'The weights of the second estimate, fitted to all catalogs:',
      '',
      ...MODES.map((mode) => `- \`${mode}\`: ${fittedWeights(facts[mode], mode)}`),
      '',
      `The weights of the first estimate, fitted to all catalogs and to samples of ${SAMPLE_SIZES.join(', ')} entities:`,
      '',
      ...MODES.map((mode) => `- \`${mode}\`: ${fittedAnswerable(facts[mode], samples[mode], mode)}`),
      '',
      ...TRIED,
    ];
  },
};

const ABOUT = [
  'How does the confidence do in a catalog that it was not fitted to? Each catalog is left out of the fit with its queries, and',
  'measured with the weights of the others. `in or out` is the AUROC of the first of the [two estimates](ranking.md#confidence): does the',
  'catalog answer the query at all? `first result` is the AUROC of the confidence of the first result. It is lower by its nature: for 40 %',
  'of own queries the first result is wrong, and a confidence that is 1 for right and 0 for wrong results would have 0.80.',
  '`ECE, own` is over the first ten results of own queries, `ECE, all` also over those of foreign queries, which count as wrong.',
  'Queries in a script that the model does not read are left out.',
  '',
];

const TRIED = [
  'Why is `in or out` not higher? Tool catalogs overlap: of 100 foreign questions in other tool catalogs, drawn by lot and read by hand,',
  '21 had a tool among the first four that does at least one thing that was asked. A perfect estimate is as sure of these as of own',
  'questions, which limits the pooled AUROC to about 0.935. And no other evidence was found for it. Each fact below was added to the first',
  'estimate, which was fitted again without the catalog in question; without any of them it has 0.902:',
  '',
  '| evidence | AUROC |',
  '| --- | --: |',
  '| the best cosine against the distances of neighbors in the catalog: z-score, quantile | 0.900 to 0.901 |',
  '| the best cosine against the neighbors of the best unit, also as CSLS | 0.900 to 0.901 |',
  '| mean, deviation and z-score of the cosines of the whole catalog | 0.901 |',
  '| how alike the first five or ten units are | 0.901 |',
  '| the distance to the 2nd, 5th, 10th and 75th cosine | 0.901 |',
  '| the cosine of the first keyword hit, the keyword score of the first vector hit | 0.901 to 0.902 |',
  '| the best cosine against 1,640 texts of no catalog | 0.902 to 0.903 |',
  '| the best unit against the queries of other sets: z-score, how many are nearer | 0.900 to 0.901 |',
  '| boosted trees over the same four facts, free and monotone | 0.887, 0.890 |',
  '',
  'By keyword, the first estimate is 0.041 below that of `hybrid`. It also counts the order of words: how many pairs of neighboring words of the',
  'query are neighbors in the best unit, at most two. Without this fact it has 0.845. The intervals are of 1,000 resamples of the queries:',
  '',
  '| catalog | without | with | 95 % | difference | 95 % |',
  '| --- | --: | --: | --- | --: | --- |',
  '| metatool | 0.697 | 0.740 | 0.699 to 0.782 | +0.043 | +0.023 to +0.064 |',
  '| ultratool | 0.888 | 0.880 | 0.854 to 0.904 | -0.009 | -0.026 to +0.008 |',
  '| mcpm_examples | 0.822 | 0.832 | 0.798 to 0.864 | +0.011 | 0.000 to +0.022 |',
  '| toollens | 0.747 | 0.754 | 0.713 to 0.795 | +0.008 | -0.008 to +0.026 |',
  '| mcptoolbench | 0.758 | 0.789 | 0.750 to 0.827 | +0.031 | +0.020 to +0.042 |',
  '| bfcl | 0.777 | 0.804 | 0.766 to 0.842 | +0.027 | +0.013 to +0.042 |',
  '| toolbench | 0.931 | 0.926 | 0.905 to 0.946 | -0.005 | -0.018 to +0.007 |',
  '| sealtools | 0.954 | 0.965 | 0.949 to 0.979 | +0.010 | +0.004 to +0.017 |',
  '| scifact | 0.976 | 0.979 | 0.966 to 0.989 | +0.004 | 0.000 to +0.008 |',
  '| cosqa | 0.974 | 0.970 | 0.960 to 0.980 | -0.004 | -0.009 to +0.002 |',
  '| **pooled** | **0.845** | **0.858** | **0.848 to 0.866** | **+0.013** | **+0.010 to +0.017** |',
  '',
  'A query of one word has no pairs, and the fact is 0. Its estimate stays about where it was without the fact. For the last words of the names',
  'in the ten catalogs, it is 0.40 on average in the own catalog (0.42 without) and 0.18 in the others (0.18).',
  '',
  'Each fact below was added to the estimate without pairs in the same way. The second figure is the mean of the AUROC of each catalog. A fact',
  'that raises only the first figure compares catalogs, not queries.',
  '',
  '| evidence of the keyword leg | AUROC | mean of the catalogs |',
  '| --- | --: | --: |',
  '| none | 0.845 | 0.853 |',
  '| the share of the words that the best unit has, by weight: all fields, name, description, both; that the first ten have together | 0.844 to 0.845 | 0.851 to 0.853 |',
  '| how many words the best unit does not have; how many rare ones | 0.843 to 0.846 | 0.851 to 0.855 |',
  '| the share of the words that the catalog has at all | 0.847 | 0.848 |',
  '| how rare the words are: of the query, of those that the best unit has, the rarest of these | 0.846 to 0.849 | 0.849 to 0.850 |',
  '| the distance of the best score to the 2nd, 5th, 10th, 75th and the median, its z-score | 0.842 to 0.844 | 0.852 to 0.853 |',
  '| how many rare words the best unit has | 0.852 | 0.856 |',
  '| the best score against that of a word that one unit has | 0.851 | 0.859 |',
  '| whether two neighboring words of the query are neighbors in the best unit | 0.853 | 0.861 |',
  '| the share of such pairs | 0.849 | 0.855 |',
  '| how many such pairs there are, at most two: the fact that is used | 0.858 | 0.864 |',
  '| at most three, all, the longest run of them | 0.858 to 0.860 | 0.864 |',
  '',
  'Counts of rare words and the best score cost single catalogs up to 0.02 and 0.07, counts of more than two pairs up to 0.04.',
  '',
  'The size of a catalog is not fitted here. A fit to these ten gives size more weight and looks better by 0.003 to 0.016, but in samples of 8',
  'entities it gives foreign queries 0.50 on average instead of 0.20. With a size that counts less in small catalogs, own queries',
  'have 0.47 instead of 0.60 in all ten catalogs together (22,811 entities), and 3.5 % of them no match.',
  '',
];
