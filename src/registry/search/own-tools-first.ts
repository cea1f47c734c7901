import type { HitOf } from '../../model/entity-types/table.ts';

type ToolHit = HitOf<'tool'>;

/**
 * The tools of each window of results, best first, so that more results do not change the first tools. If the query names
 * servers, their tools come first: a tool of another server has no higher score than any of them, and is left out if none of
 * them matches.
 */
export function ownToolsFirst(windows: readonly (readonly ToolHit[])[], named: ReadonlySet<string>): ToolHit[] {
  const own: ToolHit[] = [];
  const others: ToolHit[] = [];
  let highest = Number.POSITIVE_INFINITY;
  for (const window of windows) {
    for (const tool of window.toSorted(byScore)) {
      if (named.has(tool.server_path)) {
        own.push(tool);
        highest = Math.min(highest, tool.relevance_score);
      } else others.push(tool);
    }
  }
  if (named.size === 0) return others;
  if (own.length === 0 || highest === 0) return own;
  for (const tool of others) {
    tool.relevance_score = Math.min(tool.relevance_score, highest);
    own.push(tool);
  }
  return own;
}

const byScore = (a: ToolHit, b: ToolHit): number => b.relevance_score - a.relevance_score;
