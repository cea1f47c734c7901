import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * Measures every preset on every labelled set of a folder and writes docs/quality.md. The sets are not part of the
 * project: without them this only says where to put them.
 */
const root = fileURLToPath(new URL('..', import.meta.url));
const page = join(root, 'docs', 'quality.md');
const PRESETS = ['hybrid', 'keyword', 'vector', 'rrf', 'registry'];
/** The sets that the summary is about; others in the folder are measured and listed after them. */
const SUMMARY = [
  'metatool',
  'toolbench',
  'sealtools',
  'bfcl',
  'toollens',
  'ultratool',
  'mcpm_examples',
  'mcptoolbench',
  'scifact',
  'cosqa',
];

interface Result {
  readonly preset: string;
  readonly queries: number;
  readonly interval: readonly [number, number];
  readonly against_first?: { readonly difference: number; readonly p: number };
  readonly [metric: string]: unknown;
}
interface MeasuredSet {
  readonly set: string;
  readonly documents: number;
  readonly results: readonly Result[];
}

const isSet = (dir: string) =>
  ['corpus.jsonl', 'queries.jsonl', 'qrels.jsonl'].every((file) => existsSync(join(dir, file)));

function splitOf(dir: string): string {
  return readFileSync(join(dir, 'queries.jsonl'), 'utf8').includes('"split": "dev"') ? 'dev' : 'test';
}

function measure(dirs: readonly string[], split: string): readonly MeasuredSet[] {
  if (dirs.length === 0) return [];
  const args = [join(root, 'dist', 'cli', 'main.js'), 'eval', ...dirs, '--split', split, '--json'];
  for (const preset of PRESETS) args.push('--preset', preset);
  const done = spawnSync(process.execPath, args, {
    stdio: ['ignore', 'pipe', 'inherit'],
    maxBuffer: 1 << 28,
    encoding: 'utf8',
  });
  if (done.status !== 0) process.exit(done.status ?? 1);
  return (JSON.parse(done.stdout) as { sets: readonly MeasuredSet[] }).sets;
}

const figure = (result: Result | undefined, metric = 'ndcg@10') => Number(result?.[metric] ?? 0);
const of = (set: MeasuredSet, preset: string) => set.results.find((result) => result.preset === preset);
const three = (value: number) => value.toFixed(3);
const signed = (value: number) => `${value < 0 ? '-' : '+'}${Math.abs(value).toFixed(3)}`;
const row = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;

function table(sets: readonly MeasuredSet[]): readonly string[] {
  const lines = [
    row(['set', 'documents', 'queries', ...PRESETS, '95 % of hybrid', 'hybrid to the better leg']),
    row(['---', '--:', '--:', ...PRESETS.map(() => '--:'), '---', '--:']),
  ];
  for (const set of sets) {
    const hybrid = of(set, 'hybrid')!;
    const best = Math.max(...PRESETS.map((preset) => figure(of(set, preset))));
    const cells = PRESETS.map((preset) => {
      const value = figure(of(set, preset));
      return value === best ? `**${three(value)}**` : three(value);
    });
    const leg = Math.max(figure(of(set, 'keyword')), figure(of(set, 'vector')));
    const interval = `${three(hybrid.interval[0])} to ${three(hybrid.interval[1])}`;
    lines.push(
      row([set.set, String(set.documents), String(hybrid.queries), ...cells, interval, signed(figure(hybrid) - leg)]),
    );
  }
  if (sets.length > 1) {
    const means = PRESETS.map((preset) => sets.reduce((sum, set) => sum + figure(of(set, preset)), 0) / sets.length);
    lines.push(row(['**mean**', '', '', ...means.map((value) => `**${three(value)}**`), '', '']));
  }
  return lines;
}

function details(sets: readonly MeasuredSet[]): readonly string[] {
  const metrics = ['ndcg@10', 'mrr', 'recall@5', 'recall@10', 'hit@1', 'zero_hit'];
  const lines = [
    row(['set', 'preset', ...metrics, 'to hybrid (p)']),
    row(['---', '---', ...metrics.map(() => '--:'), '--:']),
  ];
  for (const set of sets) {
    for (const result of set.results) {
      const { against_first: paired } = result;
      const compared = paired === undefined ? '' : `${signed(paired.difference)} (${paired.p.toFixed(3)})`;
      lines.push(row([set.set, result.preset, ...metrics.map((metric) => three(figure(result, metric))), compared]));
    }
  }
  return lines;
}

function write(summary: readonly MeasuredSet[], others: readonly MeasuredSet[]): void {
  const lines = [
    '# Quality',
    '',
    'How well the rankings answer questions whose right answers are known. Written by `npm run quality -- DIR`, where DIR holds',
    'one folder for each set, as [`dowser eval`](cli.md#eval) takes them. The sets are public collections of tools, servers and',
    'documents with their questions; they are not part of this project. Everything runs through the same search that every',
    'caller gets, with the default model (all-MiniLM-L6-v2, 8-bit) and one set of constants for all sets.',
    '',
    'The figure is nDCG@10 over the dev queries. `keyword` and `vector` are the legs of `hybrid` alone, `rrf` joins the same legs by',
    "plain reciprocal rank fusion (k = 60), `registry` is the registry's own design to the letter.",
    '',
    ...table(summary),
    '',
    'What it means: joined by score, the two legs are better together than either alone nearly everywhere, also where one of them is',
    'far behind, and better than joining them by rank. Sets differ in how complete their labels are, so compare within a row.',
    '',
  ];
  if (others.length > 0) {
    lines.push(
      'Sets without dev queries, small or old, for a second look (their test queries; nothing was chosen on them):',
      '',
    );
    lines.push(...table(others), '');
  }
  lines.push(
    '## All figures',
    '',
    'The last column is the difference in nDCG@10 to `hybrid` with the p of a paired test.',
    '',
  );
  lines.push(...details([...summary, ...others]), '');
  lines.push(
    '## Your own',
    '',
    'Put `corpus.jsonl`, `queries.jsonl` and `qrels.jsonl` into a folder and run `dowser eval FOLDER`. `--dump` keeps the answer to',
    'every query, `--compare` says what a change moved, and `--fail-under ndcg@10=0.7` makes it a check.',
    '',
  );
  writeFileSync(page, lines.join('\n'));
}

const data = process.argv[2];
if (data === undefined || !existsSync(data)) {
  console.error('Name a folder with one folder for each labelled set: npm run quality -- DIR');
  console.error('A set has corpus.jsonl, queries.jsonl and qrels.jsonl; docs/cli.md says what is in them.');
  process.exit(2);
}
const dirs = readdirSync(data)
  .map((name) => resolve(data, name))
  .filter(isSet);
const inSummary = SUMMARY.map((name) => resolve(data, name)).filter(
  (dir) => dirs.includes(dir) && splitOf(dir) === 'dev',
);
const rest = dirs.filter((dir) => !inSummary.includes(dir));
const summary = measure(inSummary, 'dev');
const others = [
  ...measure(
    rest.filter((dir) => splitOf(dir) === 'dev'),
    'dev',
  ),
  ...measure(
    rest.filter((dir) => splitOf(dir) === 'test'),
    'test',
  ),
];
write(summary, others);
console.error(`Wrote ${page}`);
