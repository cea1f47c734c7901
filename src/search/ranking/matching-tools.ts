import { uniqueKeys } from '../../model/unit.ts';
import { toolScore } from '../keyword/tool-score.ts';
import type { FoundUnit } from '../retrieval/retrieval.ts';
import type { Candidate } from './candidate.ts';

export interface ListedTool {
  readonly name: string;
  readonly description: string;
}

export interface ScoredTool<T extends ListedTool = ListedTool> {
  readonly tool: T;
  /** On the scale of the results. */
  readonly score: number;
}

/** What a candidate is matched by: its name and path, and the tools it has. */
export interface ToolOwner<T extends ListedTool> {
  readonly name: string;
  readonly path: string;
  readonly tools: readonly T[];
}

export interface ToolQuery {
  /** The registry's presets score tools by their own rule. */
  readonly literal: boolean;
  readonly tokens: readonly string[];
}

/**
 * Tools of a server that match the query, best first, by the scores of their units: the tool that made the server a result
 * has the server's own score. Where retrieval found only the server, and in the registry's own presets always, the
 * registry's tool score decides. So it does where the query only names the server: all its tools belong to it, and only
 * their own words tell them apart.
 */
export function matchingTools<T extends ListedTool>(
  candidate: Candidate,
  owner: ToolOwner<T>,
  { literal, tokens }: ToolQuery,
): readonly ScoredTool<T>[] {
  const found = literal || onlyNames(owner, tokens) ? [] : foundTools(candidate, owner.tools);
  const scored = found.length > 0 ? found : scoredTools(owner.tools, tokens);
  return scored.length > 1 ? scored.sort((a, b) => b.score - a.score) : scored;
}

function onlyNames({ name, path }: ListedOwner, tokens: readonly string[]): boolean {
  const names = `${name} ${path}`.toLowerCase();
  return tokens.length > 0 && tokens.every((token) => names.includes(token));
}

type ListedOwner = Pick<ToolOwner<ListedTool>, 'name' | 'path'>;

function foundTools<T extends ListedTool>(candidate: Candidate, tools: readonly T[]): ScoredTool<T>[] {
  const byTitle = toolScores(candidate, ({ title }) => title);
  const found = byTitle.size === 0 ? [] : pickTools(tools, byTitle, ({ name }) => name);
  if (found.length === byTitle.size) return found;
  // Several tools have one name: their keys tell them apart.
  const keys = uniqueKeys('tool', tools);
  const byKey = toolScores(candidate, ({ unit }) => unit.slice(candidate.entity.length + 1));
  return pickTools(tools, byKey, (_, at) => keys[at]!);
}

/** The scores of the tools that a leg found, on the scale of the results. */
function toolScores(
  { best, units, score }: Candidate,
  keyOf: (found: FoundUnit) => string,
): ReadonlyMap<string, number> {
  const scores = new Map<string, number>();
  const scale = best.score! > 0 ? score / best.score! : 0;
  for (const { found, keywordRank, vectorRank, score: own } of units) {
    if (found.kind !== 'tool' || own === null || (keywordRank === null && vectorRank === null)) continue;
    scores.set(keyOf(found), Math.min(1, Math.max(0, own * scale)));
  }
  return scores;
}

function pickTools<T extends ListedTool>(
  tools: readonly T[],
  scores: ReadonlyMap<string, number>,
  keyOf: (tool: T, at: number) => string,
): ScoredTool<T>[] {
  const picked: ScoredTool<T>[] = [];
  for (let at = 0; at < tools.length; at++) {
    const score = scores.get(keyOf(tools[at]!, at));
    if (score !== undefined) picked.push({ tool: tools[at]!, score });
  }
  return picked;
}

function scoredTools<T extends ListedTool>(tools: readonly T[], tokens: readonly string[]): ScoredTool<T>[] {
  const scored: ScoredTool<T>[] = [];
  for (const tool of tools) {
    const score = toolScore(tokens, tool);
    if (score > 0) scored.push({ tool, score });
  }
  return scored;
}
