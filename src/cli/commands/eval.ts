import { readFile, writeFile } from 'node:fs/promises';
import { compareRuns, type ScoredQuestion } from '../../eval/compare-runs.ts';
import { evaluate, type PresetResult } from '../../eval/evaluate.ts';
import { type LabeledSet, readLabeledSet } from '../../eval/labeled-set.ts';
import { isMissed, type Limit, parseLimit } from '../../eval/limits.ts';
import { keepEvaluation, readEvaluationRuns } from '../../http/evaluation-file.ts';
import { figuresOf } from '../../http/handlers/evaluation.ts';
import { DowserError } from '../../model/errors/errors.ts';
import { showValue } from '../../model/parse/parse.ts';
import { getPreset } from '../../search/plan/presets.ts';
import {
  bulkSettingsFor,
  type CommandModule,
  type CommandRun,
  print,
  settingsFor,
  warn,
  wrongOption,
} from '../context/context.ts';
import { withFilledRegistry } from '../context/filled-registry.ts';
import { type EvaluatedSet, evalTable } from '../terminal/eval-table.ts';
import { formatCount, formatThings, withProgress } from '../terminal/progress.ts';
import { oneLine } from '../terminal/text-width.ts';

const DEFAULT_PRESETS = ['hybrid', 'keyword', 'vector', 'rrf', 'registry'];

async function run(run: CommandRun): Promise<number> {
  const { args: dirs, options } = run;
  if (options.compare === true) return compare(run);
  if (options.runs === true) return listRuns(run);
  if (dirs.length === 0) {
    throw new DowserError('INVALID_REQUEST', 'There is no folder of labeled queries.', {
      hint: 'Name one: dowser eval my-set. `dowser eval --runs` lists what was measured.',
    });
  }
  const settings = bulkSettingsFor(run);
  const presets = (options.preset as readonly string[] | undefined) ?? DEFAULT_PRESETS;
  // Only a ranking with a vector leg needs the model.
  const vectors = presets.map(getPreset).some(({ vector }) => vector !== null);
  const limits = ((options.failUnder as readonly string[] | undefined) ?? []).map(parseLimit);
  const evaluated: EvaluatedSet[] = [];
  for (const dir of dirs) {
    const set = await readLabeledSet(dir, {
      ...(options.split === undefined ? {} : { split: String(options.split) }),
      ...(options.queries === undefined ? {} : { maxQueries: parseCount(options.queries) }),
    });
    warnOfGaps(run, set);
    const results = await withFilledRegistry(run, { settings, set, vectors }, (registry) =>
      withProgress({ terminal: run.err, label: `${set.name}: asking`, unit: 'queries' }, (progress) =>
        evaluate(registry, set, {
          presets,
          signal: run.signal,
          onProgress: ({ preset, done, total }) =>
            progress.update(presets.indexOf(preset) * total + done, presets.length * total),
        }),
      ),
    );
    evaluated.push({ set: set.name, documents: set.entities.length, results });
  }
  if (typeof options.dump === 'string') await writeFile(options.dump, `${JSON.stringify({ sets: evaluated })}\n`);
  await keepFigures(run, settings.data_dir, evaluated);
  print(run, { sets: evaluated.map(withoutOutcomes) }, () => evalTable(evaluated, run.out));
  return missedLimits(evaluated, limits, run);
}

/** For the web page. A folder that cannot be written costs only this. */
async function keepFigures(run: CommandRun, dataDir: string, sets: readonly EvaluatedSet[]): Promise<void> {
  const kept = sets.map(({ set, documents, results }) => ({
    set,
    documents,
    // Each ranking answers the same questions, in their order.
    questions: scoredBy(results[0]).map(({ id, query }) => ({ id, query })),
    results: results.map((result) => ({
      ...result,
      interval: [...result.interval] as [number, number],
      scores: scoredBy(result).map(({ score }) => score),
    })),
  }));
  try {
    await keepEvaluation(dataDir, { measured_at: new Date().toISOString(), sets: kept });
  } catch (thrown) {
    warn(run, `The figures were not kept for the web page: ${(thrown as Error).message}`);
  }
}

const scoredBy = (result: PresetResult | undefined): readonly ScoredQuestion[] =>
  (result?.outcomes ?? []).map(({ query_id: id, query, metrics }) => ({ id, query, score: metrics['ndcg@10'] }));

/** Gaps of a set lower every figure. */
function warnOfGaps(run: CommandRun, { name, rejected, astray: { count, of, example } }: LabeledSet): void {
  if (rejected > 0) warn(run, `${name}: ${formatThings(rejected, 'line')} of the corpus are invalid.`);
  if (count === 0) return;
  const labels = `${formatCount(count)} of ${formatThings(of, 'label')} without a document in the corpus`;
  warn(run, `${name}: ${labels}, such as ${oneLine(showValue(example))}. They count as not found.`);
}

function withoutOutcomes({ results, ...rest }: EvaluatedSet) {
  return { ...rest, results: results.map(({ outcomes: _, ...result }) => result) };
}

function parseCount(value: unknown): number {
  const count = Number(value);
  if (Number.isInteger(count) && count > 0) return count;
  throw wrongOption('queries', value, 'a whole number above 0');
}

/** Limits apply to the first preset only. The others are for comparison. */
function missedLimits(sets: readonly EvaluatedSet[], limits: readonly Limit[], run: CommandRun): number {
  let missed = 0;
  for (const { set, results } of sets) {
    for (const limit of limits) {
      const { metric, value } = limit;
      const measured = results[0]?.[metric] ?? 0;
      if (!isMissed(limit, measured)) continue;
      missed += 1;
      warn(run, `${set}: ${metric} of ${results[0]?.preset} is ${measured.toFixed(4)}, the limit is ${value}.`);
    }
  }
  return missed > 0 ? 1 : 0;
}

/** Reads a file of `--dump`. */
async function readDump(file: string): Promise<readonly EvaluatedSet[]> {
  try {
    const { sets } = JSON.parse(await readFile(file, 'utf8')) as { sets: readonly EvaluatedSet[] };
    if (Array.isArray(sets) && sets.every(({ results }) => Array.isArray(results[0]?.outcomes))) return sets;
  } catch (cause) {
    throw new DowserError('INVALID_FILE', `${file} cannot be read: ${(cause as Error).message}.`, { cause });
  }
  throw new DowserError('INVALID_FILE', `${file} is not a dump of an evaluation.`, { hint: 'Write one with --dump.' });
}

/** The figures of the last runs, oldest first, as `GET /api/evaluation/runs` has them. */
async function listRuns(run: CommandRun): Promise<number> {
  if (run.args.length > 0) {
    throw new DowserError('INVALID_REQUEST', `--runs takes no folders, not ${showValue(run.args[0])}.`, {
      hint: 'Leave out --runs to measure them.',
    });
  }
  const runs = (await readEvaluationRuns(settingsFor(run).settings.data_dir)).map(figuresOf);
  print(run, { runs }, () => {
    if (runs.length === 0) return 'Nothing was measured yet.\n';
    const tables = runs.map(({ measured_at, sets }) => `${measured_at}\n\n${evalTable(sets, run.out)}`);
    return tables.join('\n');
  });
  return 0;
}

const SHOWN_LOSSES = 5;

/** Compares the first presets of two dumps, over the queries of both. */
async function compare(run: CommandRun): Promise<number> {
  const { args: files } = run;
  if (files.length !== 2) {
    throw new DowserError('INVALID_REQUEST', `--compare takes two files written by --dump, not ${files.length}.`);
  }
  const [before, after] = await Promise.all(files.map(readDump));
  const rows = before!.flatMap(({ set, results }) => {
    const other = after!.find((candidate) => candidate.set === set)?.results[0];
    if (other === undefined || results[0] === undefined) return [];
    return [{ set, ...compareRuns(scoredBy(results[0]), scoredBy(other)) }];
  });
  print(run, { sets: rows }, () => {
    const lines = rows.map(({ set, queries, difference, p, better, worse, losses }) => {
      const change = `${difference < 0 ? '' : '+'}${difference.toFixed(4)}`;
      const counts = `${better} better, ${worse} worse of ${queries}`;
      const worst = losses.slice(0, SHOWN_LOSSES).map(({ query, before: was, after: is }) => {
        return `  ${was.toFixed(2)} -> ${is.toFixed(2)}  ${oneLine(query)}\n`;
      });
      return `${set.padEnd(20)} ${change} nDCG@10 (p ${p.toFixed(3)}), ${counts}\n${worst.join('')}`;
    });
    return lines.join('');
  });
  return 0;
}

export const command: CommandModule = { run, graceful: true };
