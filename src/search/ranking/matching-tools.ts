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
  /** On the same scale as result scores. */
  readonly score: number;
}

/** A server with its tools. */
interface ToolOwner<T extends ListedTool> {
  readonly name: string;
  readonly path: string;
  readonly tools: readonly T[];
}

interface ToolQuery {
  /** Always use the registry's rule (`toolScore`). For the registry's presets. */
  readonly registryRule: boolean;
  readonly tokens: readonly string[];
}

/**
 * The tools of a server that match the query, best first. Scores are those of the tool units, scaled so that the best unit
 * has the score of the server. If retrieval found no tool, or the query is only the name of the server, the registry's rule
 * (`toolScore`) applies.
 */
export function matchingTools<T extends ListedTool>(
  candidate: Candidate,
  owner: ToolOwner<T>,
  { registryRule, tokens }: ToolQuery,
): readonly ScoredTool<T>[] {
  const found = registryRule || namesOwner(owner, tokens) ? [] : foundTools(candidate, owner.tools);
  const scored = found.length > 0 ? found : scoreByRule(owner.tools, tokens);
  return scored.length > 1 ? scored.sort((a, b) => b.score - a.score) : scored;
}

function namesOwner({ name, path }: ListedOwner, tokens: readonly string[]): boolean {
  const names = `${name} ${path}`.toLowerCase();
  return tokens.length > 0 && tokens.every((token) => names.includes(token));
}

type ListedOwner = Pick<ToolOwner<ListedTool>, 'name' | 'path'>;

function foundTools<T extends ListedTool>(candidate: Candidate, tools: readonly T[]): ScoredTool<T>[] {
  const byTitle = toolScores(candidate, ({ title }) => title);
  const found = byTitle.size === 0 ? [] : selectTools(tools, byTitle, ({ name }) => name);
  if (found.length === byTitle.size) return found;
  // Several tools have the same name, so match them by key.
  const keys = uniqueKeys('tool', tools);
  const byKey = toolScores(candidate, ({ unit }) => unit.slice(candidate.entity.length + 1));
  return selectTools(tools, byKey, (_, at) => keys[at]!);
}

/** The scores of the tools that a leg found, on the scale of result scores. */
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

function selectTools<T extends ListedTool>(
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

function scoreByRule<T extends ListedTool>(tools: readonly T[], tokens: readonly string[]): ScoredTool<T>[] {
  const scored: ScoredTool<T>[] = [];
  for (const tool of tools) {
    const score = toolScore(tokens, tool);
    if (score > 0) scored.push({ tool, score });
  }
  return scored;
}
