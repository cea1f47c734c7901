import type { ServerReport, ToolReport } from '../../lint/report.ts';
import { type Finding, type Level, RULES } from '../../lint/rules.ts';
import { formatThings } from './progress.ts';
import type { Style, Terminal } from './terminal.ts';
import { oneLine } from './text-width.ts';

/** What `dowser lint --json` prints. */
export interface LintAnswer {
  /** The lowest score of a server; null without servers. */
  readonly score: number | null;
  readonly min_score: number | null;
  readonly passed: boolean;
  readonly counts: Readonly<Record<Level, number>>;
  /** How many servers stood beside them in the searches. */
  readonly among: number;
  readonly servers: readonly ServerReport[];
  readonly problems: readonly { readonly part: string; readonly message: string }[];
}

const paint = (style: Style, level: Level, text: string): string =>
  level === 'error' ? style.red(text) : level === 'warning' ? style.yellow(text) : style.dim(text);

function findingLines({ rule, problem, advice }: Finding, { style }: Terminal): readonly string[] {
  const { level } = RULES[rule];
  return [
    `    ${paint(style, level, level)} ${style.dim(rule)}  ${oneLine(problem)}`,
    `      ${style.dim(oneLine(advice))}`,
  ];
}

const found = (share: number | null): string => (share === null ? '' : `  findability ${Math.round(share * 100)}%`);

function toolLines({ name, score, findability, findings }: ToolReport, out: Terminal): readonly string[] {
  if (findings.length === 0) return [];
  const title = `  ${oneLine(name)}  ${score}${out.style.dim(found(findability?.share ?? null))}`;
  return [title, ...findings.flatMap((finding) => findingLines(finding, out))];
}

function serverLines({ path, score, findability, findings, tools }: ServerReport, out: Terminal): readonly string[] {
  const { bold, dim } = out.style;
  const clean = tools.filter((tool) => tool.findings.length === 0).length;
  return [
    `${bold(oneLine(path))}  ${score} of 100${found(findability)}  ${dim(`${formatThings(tools.length, 'tool')}, ${clean} without findings`)}`,
    ...findings.flatMap((finding) => findingLines(finding, out)),
    ...tools.flatMap((tool) => toolLines(tool, out)),
  ];
}

export function lintText({ servers, counts }: LintAnswer, out: Terminal): string {
  const { error, warning, note } = counts;
  const total = [formatThings(error, 'error'), formatThings(warning, 'warning'), formatThings(note, 'note')].join(', ');
  return `${[...servers.flatMap((server) => [...serverLines(server, out), '']), total].join('\n')}\n`;
}
