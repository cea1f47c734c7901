import { setImmediate as nextTurn } from 'node:timers/promises';
import type { SearchResponse } from '../model/answer/result.ts';
import { ENTITY_TYPES } from '../model/entity.ts';
import { DowserError } from '../model/errors/errors.ts';
import { showValue } from '../model/parse/parse.ts';
import type { Registry } from '../registry/contract/registry.ts';
import { getPreset, maxQueryChars } from '../search/plan/presets.ts';
import { isBoost } from '../search/retrieval/retrieval.ts';
import { isOtherScript } from '../search/text/other-script.ts';
import type { LabeledSet } from './labeled-set.ts';
import { METRIC_NAMES, type MetricName, mean, type QueryMetrics, queryMetrics } from './metrics.ts';
import { bootstrapInterval, type PairedTest, pairedTest } from './statistics.ts';

export interface QueryOutcome {
  readonly query_id: string;
  readonly query: string;
  readonly ranked: readonly string[];
  readonly metrics: QueryMetrics;
}

export type PresetResult = { readonly [M in MetricName]: number } & {
  readonly preset: string;
  readonly queries: number;
  /** 95% bootstrap interval of nDCG@10. */
  readonly interval: readonly [number, number];
  /** nDCG@10 compared with the first preset. Absent for the first preset. */
  readonly against_first?: PairedTest;
  readonly outcomes: readonly QueryOutcome[];
};

export interface EvaluateOptions {
  readonly presets: readonly string[];
  readonly onProgress?: (progress: { readonly preset: string; readonly done: number; readonly total: number }) => void;
  readonly signal?: AbortSignal;
}

/** The metrics need no more results. */
const PAGE = 10;

/**
 * Runs every query of a set with each preset, like any caller. Throws EMBEDDER_UNAVAILABLE if a preset falls back to
 * keywords only: its figures would be wrong.
 */
export async function evaluate(
  registry: Registry,
  set: LabeledSet,
  { presets, onProgress, signal }: EvaluateOptions,
): Promise<readonly PresetResult[]> {
  const results: PresetResult[] = [];
  let first: readonly number[] | undefined;
  for (const preset of presets) {
    const outcomes: QueryOutcome[] = [];
    // The presets of the registry search its own types unless types are named. A set may have any.
    const types = isBoost(getPreset(preset).keyword.scorer) ? { entity_types: [...ENTITY_TYPES] } : {};
    for (const { id, text, relevant } of set.queries) {
      // A search may finish without waiting, but a signal arrives only between turns of the event loop.
      await nextTurn();
      signal?.throwIfAborted();
      // Soft caps are for pages of mixed types; a labeled set measures the best results.
      const query = text.slice(0, maxQueryChars(getPreset(preset)));
      const answer = await registry.search({ query, preset, max_results: PAGE, soft_cap: 1, ...types });
      // Every caller gets a keyword answer for a script that the model does not read.
      if (answer.search_mode === 'lexical-only' && getPreset(preset).vector !== null && !isOtherScript(query))
        throw notByMeaning(preset, text, answer);
      const ranked = answer.results.map((result) => result.path);
      outcomes.push({ query_id: id, query: text, ranked, metrics: queryMetrics(ranked, relevant) });
      onProgress?.({ preset, done: outcomes.length, total: set.queries.length });
    }
    const values = outcomes.map(({ metrics }) => metrics['ndcg@10']);
    const means = METRIC_NAMES.map((name) => [name, mean(outcomes.map(({ metrics }) => metrics[name]))] as const);
    results.push({
      preset,
      queries: outcomes.length,
      ...(Object.fromEntries(means) as { [M in MetricName]: number }),
      interval: bootstrapInterval(values),
      ...(first === undefined ? {} : { against_first: pairedTest(first, values) }),
      outcomes,
    });
    first ??= values;
  }
  return results;
}

function notByMeaning(preset: string, query: string, { warnings }: SearchResponse): DowserError {
  const message = `The preset '${preset}' searched ${showValue(query)} by keyword only. ${warnings.join(' ')}`;
  return new DowserError('EMBEDDER_UNAVAILABLE', message.trim(), {
    hint: 'Run `dowser model pull` to get the model, or measure `--preset keyword`.',
  });
}
