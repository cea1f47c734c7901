import { z } from 'zod';
import type { Explanation } from '../../model/answer/explanation.ts';
import type { SearchResponse, SearchResult } from '../../model/answer/result.ts';
import { STATUSES } from '../../model/entity.ts';
import { ENTITY_TYPE_TABLE, SERVER_TYPES } from '../../model/entity-types/table.ts';
import { kindField } from './fields.ts';

export const foundItemSchema = z.object({
  name: z.string().exactOptional().describe('Only if `path` does not end with it.'),
  kind: kindField,
  path: z.string().describe('For get_details. A tool of a server is `server#tool`: its path and the tool’s name.'),
  description: z.string().exactOptional().describe('One line.'),
  confidence: z.number().exactOptional().describe('0 to 1: how likely it is a match. Comparable between answers.'),
  status: z.enum(STATUSES).exactOptional().describe('Absent: active.'),
  origin: z.string().exactOptional().describe('Found there, not here.'),
  more_tools: z.array(z.string()).exactOptional().describe('Other tools of the same server that match.'),
  input_schema: z.record(z.string(), z.unknown()).exactOptional(),
  why: z.string().exactOptional().describe('The parts of the score.'),
});

/** The same where tools can be called. */
export const callableItemSchema = foundItemSchema.extend({
  call: z.enum(['read', 'call']).exactOptional().describe('Call it with call_read_tool, or with call_tool.'),
  not_callable: z.string().exactOptional().describe('Why it cannot be called.'),
  arguments: z.string().exactOptional().describe('Its arguments, required ones with a star.'),
  definition: z.string().exactOptional().describe('For call_tool.'),
});
export type FoundItem = z.output<typeof callableItemSchema>;

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
  /** Relative to the best result of its answer. A model would read it as certainty, so it is shown only to clients that expect it. */
  readonly score: number;
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

/** The nearest results of a search without a match; else empty. */
export function nearestItems(answer: SearchResponse, toolsWanted: boolean): readonly Found[] {
  return answer.no_match ? itemsOf(answer.nearest ?? [], answer, toolsWanted) : [];
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
    const score = rounded(result.relevance_score);
    const status = result.status === undefined ? {} : { status: result.status };
    const origin = result.origin === undefined ? {} : { origin: result.origin.url };
    const shared = { confidence: rounded(result.confidence), ...status, ...origin, ...why };
    if (result.server_path !== undefined) {
      const { name, path, description, server_path: server } = result;
      return { item: { name, kind: 'tool', path, ...shared }, description, score, server };
    }
    const tools = matching.get(`${type}:${result.path}`) ?? [];
    if (!toolsWanted || result.matched_unit.kind !== 'tool') {
      const item = { name: result.name, kind: type, path: result.path, ...shared, ...moreTools(tools) };
      return { item, description: result.description, score };
    }
    const name = result.matched_unit.title;
    const others = tools.filter((tool) => tool.tool_name !== name);
    const own = tools.find((tool) => tool.tool_name === name)?.description ?? result.match_context ?? '';
    const path = `${result.path}#${name}`;
    const item = { name, kind: 'tool' as const, path, ...shared, ...moreTools(others) };
    const text = { description: own === '' ? result.description : own, score };
    return result.origin === undefined ? { item, ...text, server: result.path } : { item, ...text };
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
