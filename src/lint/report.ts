import type { McpServer } from '../model/entity.ts';
import { checkServer } from './check-server.ts';
import type { Findability } from './findability.ts';
import { type Finding, type Level, RULES } from './rules.ts';

/** What is said about one tool. */
export interface ToolReport {
  readonly name: string;
  /** 0 to 100. */
  readonly score: number;
  readonly findings: readonly Finding[];
  /** Null: not measured. */
  readonly findability: Findability | null;
}

export interface ServerReport {
  readonly path: string;
  readonly name: string;
  /** 0 to 100: the mean of its tools. */
  readonly score: number;
  /** The mean of its tools, 0 to 1. Null: not measured. */
  readonly findability: number | null;
  /** About the server itself. */
  readonly findings: readonly Finding[];
  readonly tools: readonly ToolReport[];
}

/** What a finding takes from a score of 100. */
const COST: Readonly<Record<Level, number>> = { error: 50, warning: 20, note: 5 };
/** Half of a score is how a tool is found, half how it is written. */
const FOUND_SHARE = 0.5;

const mean = (values: readonly number[]): number | null =>
  values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0) / values.length;

/** Joins what the rules and the searches say. `findable`: empty if nothing was measured. */
export function reportOf(
  server: McpServer,
  findable: readonly Findability[],
  hardToFind: readonly Finding[],
): ServerReport {
  const findings = [...checkServer(server), ...hardToFind];
  const own = findings.filter(({ tool }) => tool === undefined);
  const tools = server.tools.map(({ name }): ToolReport => {
    const about = findings.filter(({ tool }) => tool === name);
    const findability = findable.find(({ tool }) => tool === name) ?? null;
    return { name, score: scoreOf(about, findability?.share ?? null), findings: about, findability };
  });
  const shares = tools.flatMap(({ findability }) => findability?.share ?? []);
  const written = mean(tools.map(({ score }) => score)) ?? 100;
  const cost = own.reduce((sum, { rule }) => sum + COST[RULES[rule].level], 0);
  return {
    path: server.path,
    name: server.name,
    score: Math.round(written * Math.max(0, 1 - cost / 100)),
    findability: mean(shares),
    findings: own,
    tools,
  };
}

/** The finding of a search is not counted twice. */
function scoreOf(findings: readonly Finding[], share: number | null): number {
  const rules = new Set(findings.map(({ rule }) => rule).filter((rule) => rule !== 'hard-to-find'));
  const cost = [...rules].reduce((sum, rule) => sum + COST[RULES[rule].level], 0);
  const written = Math.max(0, 100 - cost);
  return Math.round(share === null ? written : FOUND_SHARE * 100 * share + (1 - FOUND_SHARE) * written);
}

export const findingsOf = ({ findings, tools }: ServerReport): readonly Finding[] => [
  ...findings,
  ...tools.flatMap((tool) => tool.findings),
];

export function countLevels(servers: readonly ServerReport[]): Readonly<Record<Level, number>> {
  const counts = { error: 0, warning: 0, note: 0 };
  for (const { rule } of servers.flatMap(findingsOf)) counts[RULES[rule].level]++;
  return counts;
}
