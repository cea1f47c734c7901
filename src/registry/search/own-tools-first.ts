import type { SearchResult } from '../../model/answer/result.ts';
import type { Entity } from '../../model/entity.ts';
import type { ListedTool } from '../../model/entity-types/descriptor.ts';

/** A tool that matches. Its hit is built only if the answer has room for it: most tools are cut. */
export interface FoundTool {
  readonly owner: Entity;
  readonly tool: ListedTool;
  /** The result with which it was found: the tool itself, or its server. */
  readonly result: SearchResult;
  readonly score: number;
}

/** '' for a tool without a server. */
export function serverPathOf(owner: Entity): string {
  return owner.type === 'tool' ? (owner.server_path ?? '') : owner.path;
}

/**
 * The tools of each window of results, best first, so that more results do not change the first tools. If the query names
 * servers, their tools come first: a tool of another server has no higher score than any of them that matches, and is left out
 * if none does. Those with 0 come last.
 */
export function ownToolsFirst(windows: readonly (readonly FoundTool[])[], named: ReadonlySet<string>): FoundTool[] {
  const own: FoundTool[] = [];
  const others: FoundTool[] = [];
  const unmatched: FoundTool[] = [];
  let highest = Number.POSITIVE_INFINITY;
  for (const window of windows) {
    for (const found of window.toSorted(byScore)) {
      if (named.size === 0 || !named.has(serverPathOf(found.owner))) others.push(found);
      else if (found.score === 0) unmatched.push(found);
      else {
        own.push(found);
        highest = Math.min(highest, found.score);
      }
    }
  }
  if (named.size === 0) return others;
  if (own.length === 0) return unmatched;
  for (const { owner, tool, result, score } of others) {
    own.push({ owner, tool, result, score: Math.min(score, highest) });
  }
  return own.concat(unmatched);
}

export const byScore = (a: FoundTool, b: FoundTool): number => b.score - a.score;
