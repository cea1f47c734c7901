import type { PresetResult } from '../../eval/evaluate.ts';
import { METRIC_NAMES, mean } from '../../eval/metrics.ts';
import { formatCount, formatThings } from './progress.ts';
import type { Terminal } from './terminal.ts';

/** A set with its figures, such as that of a run that was kept. */
interface MeasuredSet {
  readonly set: string;
  readonly documents: number;
  readonly results: readonly (Omit<PresetResult, 'outcomes' | 'interval'> & { readonly interval: readonly number[] })[];
}

export interface EvaluatedSet extends MeasuredSet {
  readonly results: readonly PresetResult[];
}

const three = (value: number) => value.toFixed(3).replace(/^0/, '').replace(/^-0/, '-');
const signed = (value: number) => `${value < 0 ? '-' : '+'}${three(Math.abs(value))}`;

const queriesOf = (count: number) => (count === 1 ? '1 query' : `${formatCount(count)} queries`);

/** One table for each set, and the means over all sets at the end. */
export function evalTable(sets: readonly MeasuredSet[], { style }: Terminal): string {
  const lines: string[] = [];
  for (const { set, documents, results } of sets) {
    const queries = results[0]?.queries ?? 0;
    lines.push(style.bold(set) + style.dim(`  ${formatThings(documents, 'document')}, ${queriesOf(queries)}`));
    lines.push(
      style.dim(
        `  ${'preset'.padEnd(16)}${METRIC_NAMES.map((name) => name.padStart(10)).join('')}   95 % of nDCG   to the first`,
      ),
    );
    for (const result of results) {
      const { preset, interval, against_first: paired } = result;
      const figures = METRIC_NAMES.map((name) => three(result[name]).padStart(10)).join('');
      const compared = paired === undefined ? '' : `   ${signed(paired.difference)} (p ${three(paired.p)})`;
      lines.push(`  ${preset.padEnd(16)}${figures}   ${three(interval[0]!)} to ${three(interval[1]!)}${compared}`);
    }
    lines.push('');
  }
  if (sets.length > 1) lines.push(...meansOf(sets, style));
  return `${lines.join('\n').trimEnd()}\n`;
}

function meansOf(sets: readonly MeasuredSet[], style: Terminal['style']): readonly string[] {
  const presets = sets[0]!.results.map(({ preset }) => preset);
  const lines = [style.bold('mean of all sets')];
  for (const preset of presets) {
    const results = sets.map(({ results: all }) => all.find((result) => result.preset === preset)!);
    const figures = METRIC_NAMES.map((name) => three(mean(results.map((result) => result[name]))).padStart(10));
    lines.push(`  ${preset.padEnd(16)}${figures.join('')}`);
  }
  return lines;
}
