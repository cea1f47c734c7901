import { mean } from '../../src/eval/metrics.ts';
import { groupedInterval, pairedTest } from '../../src/eval/statistics.ts';
import { range, signed, table, three } from './markdown.ts';
import { type CorpusQuestion, SPLITS, STYLES, type ToolQuestion } from './tool-questions.ts';

/** What the first result of a search was. */
export interface ShownFirst<Q extends ToolQuestion = ToolQuestion> {
  readonly question: Q;
  /** The shown tool is right. */
  readonly tool: boolean;
  /** Its server is right. */
  readonly server: boolean;
  /** The first result is right where only tools are results. */
  readonly listed: boolean;
}

export interface MeasuredCatalog {
  readonly name: string;
  readonly servers: number;
  readonly tools: number;
  readonly shown: readonly ShownFirst[];
}

type Figure = 'tool' | 'server' | 'listed';

const valuesOf = (shown: readonly ShownFirst[], figure: Figure) => shown.map((one) => Number(one[figure]));

function groupsOf(shown: readonly ShownFirst[], value: (one: ShownFirst, at: number) => number): readonly number[][] {
  const groups = new Map<string, number[]>();
  for (const [at, one] of shown.entries()) {
    const { group } = one.question;
    const values = groups.get(group);
    if (values === undefined) groups.set(group, [value(one, at)]);
    else values.push(value(one, at));
  }
  return [...groups.values()];
}

const shareOf = (shown: readonly ShownFirst[], figure: Figure) => three(mean(valuesOf(shown, figure)));
const intervalOf = (shown: readonly ShownFirst[], figure: Figure) =>
  range(groupedInterval(groupsOf(shown, (one) => Number(one[figure]))));

export function catalogTable(catalogs: readonly MeasuredCatalog[]): readonly string[] {
  const rows = catalogs.map(({ name, servers, tools, shown }) => [
    name,
    String(servers),
    String(tools),
    String(shown.length),
    shareOf(shown, 'tool'),
    intervalOf(shown, 'tool'),
    shareOf(shown, 'server'),
    shareOf(
      shown.filter(({ server }) => server),
      'tool',
    ),
    shareOf(shown, 'listed'),
    intervalOf(shown, 'listed'),
  ]);
  return table(
    [
      'catalog<',
      'servers',
      'tools',
      'questions',
      'first tool',
      '95 %<',
      'server',
      'first tool where the server is right',
      'among tools',
      '95 %<',
    ],
    rows,
  );
}

const isOfCorpus = (shown: ShownFirst): shown is ShownFirst<CorpusQuestion> => 'split' in shown.question;

/** The questions of the catalogs with only the servers of one split, each asked once. */
function splitsOf(catalogs: readonly MeasuredCatalog[]): readonly ShownFirst<CorpusQuestion>[] {
  const names = SPLITS.map(splitCatalog);
  return catalogs.filter(({ name }) => names.includes(name)).flatMap(({ shown }) => shown.filter(isOfCorpus));
}

/** The name of the catalog with only the servers of a split. */
export const splitCatalog = (split: (typeof SPLITS)[number]) => `servers of \`${split}\``;

const KINDS: readonly (readonly [string, (question: CorpusQuestion) => boolean])[] = [
  ['all', () => true],
  ...STYLES.map((style) => [style, (question: CorpusQuestion) => question.style === style] as const),
  ['names the product', ({ isNamed }) => isNamed],
  ['does not name it', ({ isNamed }) => !isNamed],
];

export function kindTable(catalogs: readonly MeasuredCatalog[]): readonly string[] {
  const all = splitsOf(catalogs);
  const rows = KINDS.map(([name, isOf]) => {
    const shown = all.filter(({ question }) => isOf(question));
    const figures = [shareOf(shown, 'tool'), intervalOf(shown, 'tool'), shareOf(shown, 'server')];
    return [name, String(shown.length), ...figures, shareOf(shown, 'listed')];
  });
  return table(['kind<', 'questions', 'first tool', '95 %<', 'server', 'among tools'], rows);
}

function comparedRow(name: string, before: readonly ShownFirst[], after: readonly ShownFirst[]): readonly string[] {
  const gain = (_: ShownFirst, at: number) => Number(after[at]!.tool) - Number(before[at]!.tool);
  const gains = groupsOf(before, gain);
  const totals = gains.map((values) => values.reduce((total, value) => total + value, 0));
  const { p } = pairedTest(
    totals.map(() => 0),
    totals,
  );
  return [
    name,
    String(after.length),
    ...[before, after].map((shown) => shareOf(shown, 'tool')),
    signed(mean(gains.flat())),
    range(groupedInterval(gains)),
    p.toFixed(3),
    ...[before, after].map((shown) => shareOf(shown, 'server')),
    ...[before, after].map((shown) => shareOf(shown, 'listed')),
  ];
}

/** Two models, asked the same. The p is of a sign-flip test over servers. */
export function comparedTable(
  before: readonly MeasuredCatalog[],
  after: readonly MeasuredCatalog[],
): readonly string[] {
  const [was, is] = [splitsOf(before), splitsOf(after)];
  const rows = before.map(({ name, shown }, at) => comparedRow(name, shown, after[at]!.shown));
  for (const [name, isOf] of KINDS) {
    const ofKind = (shown: readonly ShownFirst<CorpusQuestion>[]) => shown.filter(({ question }) => isOf(question));
    rows.push(comparedRow(`in these two: ${name}`, ofKind(was), ofKind(is)));
  }
  return table(
    [
      'questions<',
      'number',
      'first tool, default',
      'this model',
      'difference',
      '95 %<',
      'p',
      'server, default',
      'this model',
      'among tools, default',
      'this model',
    ],
    rows,
  );
}
