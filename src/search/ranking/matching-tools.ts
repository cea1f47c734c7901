import { toolKeys } from '../../model/units-of.ts';
import { toolScore } from '../keyword/tool-score.ts';
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

function foundTools<T extends ListedTool>({ best, units, entity, score }: Candidate, tools: readonly T[]) {
  const scores = new Map<string, number>();
  const scale = best.score! > 0 ? score / best.score! : 0;
  for (const unit of units) {
    const isFound = unit.keywordRank !== null || unit.vectorRank !== null;
    if (unit.found.kind !== 'tool' || !isFound || unit.score === null) continue;
    scores.set(unit.found.unit.slice(entity.length + 1), Math.min(1, Math.max(0, unit.score * scale)));
  }
  const found: ScoredTool<T>[] = [];
  if (scores.size === 0) return found;
  const keys = toolKeys(tools);
  for (let at = 0; at < tools.length; at++) {
    const own = scores.get(keys[at]!);
    if (own !== undefined) found.push({ tool: tools[at]!, score: own });
  }
  return found;
}

function scoredTools<T extends ListedTool>(tools: readonly T[], tokens: readonly string[]): ScoredTool<T>[] {
  const scored: ScoredTool<T>[] = [];
  for (const tool of tools) {
    const score = toolScore(tokens, tool);
    if (score > 0) scored.push({ tool, score });
  }
  return scored;
}
