import { uniqueKeys } from '../../model/entity-parts/unit.ts';
import { toolScore } from '../keyword/boost/tool-score.ts';
import type { FoundUnit } from '../retrieval/retrieval.ts';
import type { Candidate, ScoredUnit } from './candidates/candidate.ts';

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
  /** The query is exactly the name of the server: its tools are what was asked for. */
  readonly named: boolean;
  /** The query is the name of something else: a single word of it is not enough for a tool. */
  readonly namesOther: boolean;
  /** The most tools of a server that is named. */
  readonly limit: number;
  /** Whether a unit matches by itself. */
  readonly isMatch: (candidate: Candidate, unit: ScoredUnit) => boolean;
}

/**
 * The tools of a server that match the query, best first. Scores are those of the tool units, scaled so that the best unit
 * has the score of the server: the tools of all servers are comparable. If retrieval found no tool, or the query only names
 * the server, the registry's rule (`toolScore`) decides, as a share of the server's score, unless the query names another one.
 * If no tool says a word of the query that names the server, its tools are listed below any tool that does.
 */
export function matchingTools<T extends ListedTool>(
  candidate: Candidate,
  owner: ToolOwner<T>,
  query: ToolQuery,
): readonly ScoredTool<T>[] {
  const { registryRule, tokens, named, limit } = query;
  const { tools } = owner;
  if (registryRule || named || namesOwner(owner, tokens)) {
    const graded = scoreByRule(tools, tokens, registryRule ? 1 : candidate.score);
    if (registryRule || graded.length > 0) return bestFirst(graded);
  }
  const found = bestFirst(foundTools(candidate, tools, query));
  if (named) return ownTools(tools, found, limit);
  return found.length > 0 || query.namesOther ? found : bestFirst(scoreByRule(tools, tokens, candidate.score));
}

function bestFirst<T extends ListedTool>(scored: ScoredTool<T>[]): ScoredTool<T>[] {
  return scored.length > 1 ? scored.sort((a, b) => b.score - a.score) : scored;
}

function namesOwner({ name, path }: ListedOwner, tokens: readonly string[]): boolean {
  const names = `${name} ${path}`.toLowerCase();
  return tokens.length > 0 && tokens.every((token) => names.includes(token));
}

type ListedOwner = Pick<ToolOwner<ListedTool>, 'name' | 'path'>;

/** Below any tool that says a word of the query: `toolScore` gives these at least 0.51. */
const WORDLESS_SHARE = 0.5;

/**
 * The tools of a server that the query only names. Those that a leg found have their own scores: no tool matches because its
 * server does. Then others in their order with 0.
 */
function ownTools<T extends ListedTool>(
  tools: readonly T[],
  found: readonly ScoredTool<T>[],
  limit: number,
): ScoredTool<T>[] {
  const own = found.slice(0, limit).map(({ tool, score }) => ({ tool, score: WORDLESS_SHARE * score }));
  const picked = new Set(own.map(({ tool }) => tool));
  for (const tool of tools) if (own.length < limit && !picked.has(tool)) own.push({ tool, score: 0 });
  return own;
}

function foundTools<T extends ListedTool>(
  candidate: Candidate,
  tools: readonly T[],
  { isMatch }: ToolQuery,
): ScoredTool<T>[] {
  const byTitle = toolScores(candidate, isMatch, ({ title }) => title);
  const found = byTitle.size === 0 ? [] : selectTools(tools, byTitle, ({ name }) => name);
  if (found.length === byTitle.size) return found;
  // Several tools have the same name, so match them by key.
  const keys = uniqueKeys('tool', tools);
  const byKey = toolScores(candidate, isMatch, ({ unit }) => unit.slice(candidate.entity.length + 1));
  return selectTools(tools, byKey, (_, at) => keys[at]!);
}

/** The scores of the tools that a leg found, on the scale of result scores. */
function toolScores(
  candidate: Candidate,
  isMatch: ToolQuery['isMatch'],
  keyOf: (found: FoundUnit) => string,
): ReadonlyMap<string, number> {
  const { best, units, score } = candidate;
  const scores = new Map<string, number>();
  const scale = best.score! > 0 ? score / best.score! : 0;
  for (const unit of units) {
    const { found, keywordRank, vectorRank, score: own } = unit;
    if (found.kind !== 'tool' || own === null || (keywordRank === null && vectorRank === null)) continue;
    if (!isMatch(candidate, unit)) continue;
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

function scoreByRule<T extends ListedTool>(
  tools: readonly T[],
  tokens: readonly string[],
  share: number,
): ScoredTool<T>[] {
  const scored: ScoredTool<T>[] = [];
  for (const tool of tools) {
    const score = toolScore(tokens, tool) * share;
    if (score > 0) scored.push({ tool, score });
  }
  return scored;
}
