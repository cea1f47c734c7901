import type { HitOf } from '../../model/entity-types/table.ts';

type ToolHit = HitOf<'tool'>;

/**
 * Best first. If the query names servers, their tools come first: a tool of another server has no higher score than the last
 * of them, and is left out if none of them matches.
 */
export function ownToolsFirst(tools: readonly ToolHit[], named: ReadonlySet<string>): ToolHit[] {
  const own: ToolHit[] = [];
  const others: ToolHit[] = [];
  for (const tool of tools) {
    if (named.has(tool.server_path)) own.push(tool);
    else others.push(tool);
  }
  own.sort(byScore);
  others.sort(byScore);
  if (named.size === 0) return others;
  const highest = own.at(-1)?.relevance_score ?? 0;
  if (highest === 0) return own;
  for (const tool of others) {
    tool.relevance_score = Math.min(tool.relevance_score, highest);
    own.push(tool);
  }
  return own;
}

const byScore = (a: ToolHit, b: ToolHit): number => b.relevance_score - a.relevance_score;
