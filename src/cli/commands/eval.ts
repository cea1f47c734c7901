import { readFile, writeFile } from 'node:fs/promises';
import { evaluate, type PresetResult } from '../../eval/evaluate.ts';
import { type LabeledSet, readLabeledSet } from '../../eval/labeled-set.ts';
import { isMissed, type Limit, parseLimit } from '../../eval/limits.ts';
import { pairedTest } from '../../eval/statistics.ts';
import { DowserError } from '../../model/errors.ts';
import { showValue } from '../../model/parse.ts';
import { getPreset } from '../../search/presets.ts';
import {
  bulkSettingsFor,
  type CommandContext,
  type CommandModule,
  type CommandOptions,
  printJson,
  warn,
} from '../context.ts';
import { type EvaluatedSet, evalTable } from '../terminal/eval-table.ts';
import { formatCount, formatThings, withProgress } from '../terminal/progress.ts';
import { oneLine } from '../terminal/text-width.ts';
import { withFilledRegistry } from './eval-registry.ts';

const DEFAULT_PRESETS = ['hybrid', 'keyword', 'vector', 'rrf', 'registry'];

/** A set with the answer to every query. */
interface MeasuredSet extends EvaluatedSet {
  readonly results: readonly PresetResult[];
}

async function run(context: CommandContext, dirs: readonly string[], options: CommandOptions): Promise<number> {
  if (options.compare === true) return compare(context, dirs, options);
  const { settings } = bulkSettingsFor(context, options);
  const presets = (options.preset as readonly string[] | undefined) ?? DEFAULT_PRESETS;
  // A ranking without a vector leg is measured without the model, whether or not it is there.
  const vectors = presets.map(getPreset).some(({ vector }) => vector !== null);
  const limits = ((options.failUnder as readonly string[] | undefined) ?? []).map(parseLimit);
  const evaluated: MeasuredSet[] = [];
  for (const dir of dirs) {
    const set = await readLabeledSet(dir, {
      ...(options.split === undefined ? {} : { split: String(options.split) }),
      ...(options.queries === undefined ? {} : { maxQueries: parseCount(options.queries) }),
    });
    warnOfGaps(context, set);
    const results = await withFilledRegistry(context, { settings, set, vectors }, (registry) =>
      withProgress({ terminal: context.err, label: `${set.name}: asking`, unit: 'queries' }, (progress) =>
        evaluate(registry, set, {
          presets,
          signal: context.signal,
          onProgress: ({ preset, done, total }) =>
            progress.update(presets.indexOf(preset) * total + done, presets.length * total),
        }),
      ),
    );
    evaluated.push({ set: set.name, documents: set.entities.length, results });
  }
  if (typeof options.dump === 'string') await writeFile(options.dump, `${JSON.stringify({ sets: evaluated })}\n`);
  if (options.json === true) printJson(context, { sets: evaluated.map(withoutOutcomes) });
  else context.out.write(evalTable(evaluated, context.out));
  return missedLimits(evaluated, limits, context);
}

/** What a set lacks lowers every figure, so that the reader of the figures must know of it. */
function warnOfGaps(context: CommandContext, { name, rejected, astray: { count, of, example } }: LabeledSet): void {
  if (rejected > 0) warn(context, `${name}: ${formatThings(rejected, 'line')} of the corpus could not be used.`);
  if (count === 0) return;
  const labels = `${formatCount(count)} of ${formatThings(of, 'label')} without a document in the corpus`;
  warn(context, `${name}: ${labels}, such as ${oneLine(showValue(example))}. What they name counts as not found.`);
}

function withoutOutcomes({ results, ...rest }: MeasuredSet) {
  return { ...rest, results: results.map(({ outcomes: _, ...result }) => result) };
}

function parseCount(value: unknown): number {
  const count = Number(value);
  if (Number.isInteger(count) && count > 0) return count;
  throw new DowserError('INVALID_REQUEST', `--queries is '${value}': it must be a whole number above 0.`);
}

/** Limits are for the first preset: the others are what it is compared with. */
function missedLimits(sets: readonly EvaluatedSet[], limits: readonly Limit[], context: CommandContext): number {
  let missed = 0;
  for (const { set, results } of sets) {
    for (const limit of limits) {
      const { metric } = limit;
      const measured = results[0]?.[metric] ?? 0;
      if (!isMissed(limit, measured)) continue;
      missed += 1;
      warn(
        context,
        `${set}: ${metric} of ${results[0]?.preset} is ${measured.toFixed(4)}, the limit is ${limit.value}.`,
      );
    }
  }
  return missed > 0 ? 1 : 0;
}

interface Dump {
  readonly sets: readonly { readonly set: string; readonly results: readonly PresetResult[] }[];
}

async function readDump(file: string): Promise<Dump> {
  try {
    const dump = JSON.parse(await readFile(file, 'utf8')) as Dump;
    if (Array.isArray(dump.sets) && dump.sets.every(({ results }) => Array.isArray(results[0]?.outcomes))) return dump;
  } catch (cause) {
    throw new DowserError('INVALID_FILE', `${file} cannot be read: ${(cause as Error).message}.`, { cause });
  }
  throw new DowserError('INVALID_FILE', `${file} is not a dump of an evaluation.`, { hint: 'Write one with --dump.' });
}

/** Two dumps side by side: the first preset of each, over the queries both asked. */
async function compare(context: CommandContext, files: readonly string[], options: CommandOptions): Promise<number> {
  if (files.length !== 2) {
    throw new DowserError('INVALID_REQUEST', `--compare takes two files written by --dump, not ${files.length}.`);
  }
  const [before, after] = await Promise.all(files.map(readDump));
  const rows = before!.sets.flatMap(({ set, results }) => {
    const other = after!.sets.find((candidate) => candidate.set === set)?.results[0];
    if (other === undefined || results[0] === undefined) return [];
    const values = new Map(other.outcomes.map(({ query_id, metrics }) => [query_id, metrics['ndcg@10']]));
    const shared = results[0].outcomes.filter(({ query_id }) => values.has(query_id));
    const a = shared.map(({ metrics }) => metrics['ndcg@10']);
    const b = shared.map(({ query_id }) => values.get(query_id)!);
    const worse = shared.filter(({ query_id, metrics }) => values.get(query_id)! < metrics['ndcg@10']).length;
    const better = shared.filter(({ query_id, metrics }) => values.get(query_id)! > metrics['ndcg@10']).length;
    return [{ set, queries: shared.length, ...pairedTest(a, b), better, worse }];
  });
  if (options.json === true) printJson(context, { sets: rows });
  else {
    for (const { set, queries, difference, p, better, worse } of rows) {
      const change = `${difference < 0 ? '' : '+'}${difference.toFixed(4)}`;
      context.out.write(
        `${set.padEnd(20)} ${change} nDCG@10 (p ${p.toFixed(3)}), ${better} better, ${worse} worse of ${queries}\n`,
      );
    }
  }
  return 0;
}

export const command: CommandModule = { run, graceful: true };
