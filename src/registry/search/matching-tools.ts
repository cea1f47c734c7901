import type { Entity, EntityId } from '../../model/entity.ts';
import { toolKeys } from '../../model/units-of.ts';
import { toolScore } from '../../search/keyword/tool-score.ts';
import type { SearchPlan } from '../../search/plan.ts';
import { type ListedTool, type ScoredTool, toolsOf } from './hits.ts';
import type { UnitShares } from './unit-shares.ts';

interface MatchingParts {
  readonly plan: SearchPlan;
  readonly unitShares: UnitShares;
}

/**
 * Tools of a server that match the query, best first: those that the legs found. Where they found only the server, and in
 * the registry's own presets always, the registry's tool score decides. So it does where the query only names the server:
 * every tool belongs to it, and only what a tool says itself tells them apart.
 */
export function matchingTools(
  id: EntityId,
  server: Entity,
  parts: MatchingParts,
  tokens: readonly string[],
): readonly ScoredTool[] {
  const bySays = parts.plan.preset.keyword.scorer === 'boost' || onlyNames(server, tokens);
  const found = bySays ? [] : foundTools(id, server, parts);
  const scored = found.length > 0 ? found : scoredTools(server, tokens);
  return scored.length > 1 ? scored.sort((a, b) => b.score - a.score) : scored;
}

function onlyNames({ name, path }: Entity, tokens: readonly string[]): boolean {
  const names = `${name} ${path}`.toLowerCase();
  return tokens.length > 0 && tokens.every((token) => names.includes(token));
}

function foundTools(id: EntityId, server: Entity, { unitShares }: MatchingParts): ScoredTool[] {
  const shares = new Map<string, number>();
  for (const { hit, share } of unitShares.get(id) ?? []) if (hit.kind === 'tool') shares.set(hit.title, share);
  const found: ScoredTool[] = [];
  if (shares.size === 0) return found;
  const tools = toolsOf(server);
  for (const tool of tools) {
    const score = shares.get(tool.name);
    if (score !== undefined) found.push({ tool, score });
  }
  return found.length === shares.size ? found : foundByKey(id, tools, unitShares);
}

/** Where several tools have one name, their keys tell them apart. */
function foundByKey(id: EntityId, tools: readonly ListedTool[], unitShares: UnitShares): ScoredTool[] {
  const shares = new Map<string, number>();
  for (const { hit, share } of unitShares.get(id) ?? []) shares.set(hit.unit.slice(id.length + 1), share);
  const keys = toolKeys(tools);
  return tools.flatMap((tool, at) => {
    const score = shares.get(keys[at]!);
    return score === undefined ? [] : [{ tool, score }];
  });
}

function scoredTools(server: Entity, tokens: readonly string[]): ScoredTool[] {
  const scored: ScoredTool[] = [];
  for (const tool of toolsOf(server)) {
    const score = toolScore(tokens, tool);
    if (score > 0) scored.push({ tool, score });
  }
  return scored;
}
