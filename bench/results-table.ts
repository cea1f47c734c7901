import { megabytes } from './budgets.ts';
import { titleOf } from './contenders/contenders.ts';
import type { Outcome, SizeResult } from './figures.ts';

export const HEADINGS = [
  'hybrid search',
  'p50 ms',
  'p95',
  'p99',
  'x Dowser',
  'CPU ms',
  'keyword p50',
  'vector p50',
  'recall@10',
  'index s',
  'open ms',
  'first answer ms',
  'memory MB',
  'disk MB',
] as const;

/** The digits of a measured value that mean something. */
export function threeDigits(value: number): string {
  return value.toFixed(value < 10 ? 2 : value < 100 ? 1 : 0);
}

/** One row for each contender, fastest first; those without figures last, each with its reason. */
export function rowsOf({ outcomes }: SizeResult): readonly (readonly string[])[] {
  const own = outcomes.dowser;
  const base = own?.status === 'measured' ? own.search.hybrid.p50 : null;
  return Object.entries(outcomes)
    .sort(([, a], [, b]) => speed(a) - speed(b))
    .map(([contender, outcome]) => [titleOf(contender), ...cells(outcome, base)]);
}

function speed(outcome: Outcome): number {
  return outcome.status === 'measured' ? outcome.search.hybrid.p50 : Number.POSITIVE_INFINITY;
}

function cells(outcome: Outcome, base: number | null): readonly string[] {
  if (outcome.status !== 'measured') {
    return [`${outcome.status.toUpperCase()}: ${outcome.reason}`, ...HEADINGS.slice(2).map(() => '-')];
  }
  const { build, search } = outcome;
  return [
    threeDigits(search.hybrid.p50),
    threeDigits(search.hybrid.p95),
    threeDigits(search.hybrid.p99),
    base === null ? '-' : (search.hybrid.p50 / base).toFixed(1),
    threeDigits(search.cpuMs),
    threeDigits(search.keyword.p50),
    threeDigits(search.vector.p50),
    search.recall.toFixed(3),
    build.seconds.toFixed(1),
    search.openMs === null ? 'rebuilt' : threeDigits(search.openMs),
    threeDigits(search.firstAnswerMs),
    megabytes(search.rssBytes).toFixed(0),
    build.bytes === null ? '-' : megabytes(build.bytes).toFixed(0),
  ];
}

/** For the terminal: columns as wide as they need, numbers to the right. A reason may run over its neighbors. */
export function terminalTable(result: SizeResult): string {
  const rows = rowsOf(result);
  const widths = HEADINGS.map((heading, column) =>
    Math.max(heading.length, ...rows.map((row) => (isReason(row) && column > 0 ? 0 : row[column]!.length))),
  );
  const line = (row: readonly string[]) => {
    const name = row[0]!.padEnd(widths[0]!);
    if (isReason(row)) return `${name}  ${row[1]}`;
    return [name, ...row.slice(1).map((cell, i) => cell.padStart(widths[i + 1]!))].join('  ');
  };
  return [HEADINGS, ...rows].map(line).join('\n');
}

function isReason(row: readonly string[]): boolean {
  return row[2] === '-';
}

export function markdownTable(headings: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  const rule = `|${headings.map((_, i) => (i === 0 ? '---' : '---:')).join('|')}|`;
  return [line(headings), rule, ...rows.map(line)].join('\n');
}
