import { z } from 'zod';
import { ENTITY_TYPE_TABLE, SERVER_TYPES } from '../model/entity-types/table.ts';
import type { Explanation } from '../model/explanation.ts';
import type { SearchResponse, SearchResult } from '../model/result.ts';
import { kindField } from './tools/fields.ts';

export const foundItemSchema = z.object({
  name: z.string().exactOptional().describe('Only if `path` does not end with it.'),
  kind: kindField,
  path: z.string().describe('For get_details. A tool of a server is `server#tool`: its path and the tool’s name.'),
  description: z.string().exactOptional().describe('One line.'),
  score: z.number().exactOptional().describe('0 to 1 within this answer; not in `nearest`.'),
  confidence: z.number().exactOptional().describe('0 to 1: how likely it is a match.'),
  more_tools: z.array(z.string()).exactOptional().describe('Other tools of the same server that match.'),
  input_schema: z.record(z.string(), z.unknown()).exactOptional(),
  why: z.string().exactOptional().describe('The parts of the score.'),
});
export type FoundItem = z.output<typeof foundItemSchema>;

/** An item before it becomes part of an answer. */
export type NamedItem = FoundItem & { readonly name: string };

/** The item for an answer. Leaves out a name that its path ends with. */
export function toFoundItem({ name, ...item }: NamedItem): FoundItem {
  const { path } = item;
  return path === name || path.endsWith(`/${name}`) || path.endsWith(`#${name}`) ? item : { name, ...item };
}

/** A search result before anything is cut. */
export interface Found {
  readonly item: NamedItem;
  readonly description: string;
  /** For a tool of a server: the server's path. */
  readonly server?: string;
}

/** How many more matching tools of a server are named. */
const MORE_TOOLS = 2;

interface Matching {
  readonly tool_name: string;
  readonly description: string | null;
}

/**
 * The results of an answer, best first. With `toolsWanted`, a server that was found by one of its tools is shown as that
 * tool. A search for tools alone would fill the page with tools of the first two servers: on 222 labeled prompts it has the
 * right server among the first five 102 times, and this way 136 times.
 */
export function foundItems(answer: SearchResponse, toolsWanted: boolean): readonly Found[] {
  return itemsOf(answer.results, answer, toolsWanted);
}

/**
 * The nearest results of a search without a match; else empty. They have a confidence but no score: the best of them would
 * have the score 1.
 */
export function nearestItems(answer: SearchResponse, toolsWanted: boolean): readonly Found[] {
  if (!answer.no_match) return [];
  return itemsOf(answer.nearest ?? [], answer, toolsWanted).map(({ item: { score: _score, ...item }, ...found }) => ({
    ...found,
    item,
  }));
}

function itemsOf(results: readonly SearchResult[], answer: SearchResponse, toolsWanted: boolean): readonly Found[] {
  const matching = new Map<string, readonly Matching[]>();
  for (const type of SERVER_TYPES) {
    const hits = answer[ENTITY_TYPE_TABLE[type].group];
    for (const hit of hits) matching.set(`${type}:${hit.path}`, hit.matching_tools);
  }
  return results.map((result) => {
    const type = result.entity_type;
    const why = result.explanation === undefined ? {} : { why: whyText(result.explanation) };
    const shared = { score: rounded(result.relevance_score), confidence: rounded(result.confidence), ...why };
    if (result.server_path !== undefined) {
      const { name, path, description, server_path: server } = result;
      return { item: { name, kind: 'tool', path, ...shared }, description, server };
    }
    const tools = matching.get(`${type}:${result.path}`) ?? [];
    if (!toolsWanted || result.matched_unit.kind !== 'tool') {
      const item = { name: result.name, kind: type, path: result.path, ...shared, ...moreTools(tools) };
      return { item, description: result.description };
    }
    const name = result.matched_unit.title;
    const others = tools.filter((tool) => tool.tool_name !== name);
    const own = tools.find((tool) => tool.tool_name === name)?.description ?? result.match_context ?? '';
    const path = `${result.path}#${name}`;
    const item = { name, kind: 'tool' as const, path, ...shared, ...moreTools(others) };
    return { item, description: own === '' ? result.description : own, server: result.path };
  });
}

/** Two digits. Only exactly 0 and 1 are shown as 0 and 1. */
export function rounded(share: number): number {
  if (share <= 0 || share >= 1) return share;
  return Math.min(99, Math.max(1, Math.round(share * 100))) / 100;
}

function moreTools(tools: readonly Matching[]): { more_tools?: string[] } {
  return tools.length === 0 ? {} : { more_tools: tools.slice(0, MORE_TOOLS).map(({ tool_name }) => tool_name) };
}

const MIN_PART = 0.005;

/** An explanation as a sum, largest parts first. Uses the first level with more than one part of at least `MIN_PART`. */
export function whyText(node: Explanation): string {
  const parts = (node.parts ?? []).filter(({ value }) => Math.abs(value) >= MIN_PART);
  if (parts.length === 0) return `${node.label} ${node.value.toFixed(2)}`;
  if (parts.length === 1) return whyText(parts[0]!);
  return parts
    .sort((a, b) => b.value - a.value || (a.label < b.label ? -1 : 1))
    .slice(0, 4)
    .map((part) => `${part.label} ${part.value.toFixed(2)}`)
    .join(' + ');
}
