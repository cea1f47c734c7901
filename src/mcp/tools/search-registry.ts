import { z } from 'zod';
import { type SearchResponse, searchResponseSchema } from '../../model/result.ts';
import type { Catalogue } from '../catalogue.ts';
import { fitItems } from '../fit-items.ts';
import { foundItems } from '../found-items.ts';
import { countField, instructionWarning, NOTHING_FITS, queryField } from './fields.ts';
import { defineTool } from './mcp-tool.ts';

const input = z.strictObject({
  query: queryField,
  max_results: countField.default(10).describe('How many results, 1 to 50.'),
  include_discovery_receipt: z.boolean().default(false).describe('Say what was found besides and not shown.'),
});

const group = searchResponseSchema.shape;
const candidate = z.object({
  entity_type: z.string(),
  path: z.string(),
  name: z.string(),
  relevance_score: z.number(),
});

const output = z.object({
  status: z.enum(['success', 'failed']),
  error: z.string().exactOptional(),
  query: z.string(),
  search_mode: group.search_mode,
  no_match: z.boolean().describe('Nothing fits, and every group is empty.'),
  servers: group.servers,
  tools: group.tools,
  agents: group.agents,
  skills: group.skills,
  virtual_servers: group.virtual_servers,
  custom: group.custom,
  total_servers: z.int(),
  total_tools: z.int(),
  total_agents: z.int(),
  total_skills: z.int(),
  total_virtual_servers: z.int(),
  total_custom: z.int(),
  warnings: group.warnings,
  discovery_receipt: z
    .object({
      exposed: z.int().describe('Results shown.'),
      withheld: z.int().describe('Results that matched less well and are not shown, up to 50 in all.'),
      withheld_candidates: z.array(candidate).describe('The best of those, at most five.'),
    })
    .exactOptional(),
});
type Output = z.output<typeof output>;

/** The types that the registry's clients know. */
const REGISTRY_TYPES = ['mcp_server', 'virtual_server', 'a2a_agent', 'skill', 'tool'];

/** The registry's own search, name and shape: for clients that were written for it. */
export const searchRegistry = defineTool({
  name: 'search_registry',
  title: 'Search the registry',
  description:
    'Search servers, tools, agents, skills and virtual servers, grouped by type, with all their fields. search_tools answers the same in fewer tokens.',
  input,
  output,
  failure: (error) => ({ ...grouped(NOTHING), status: 'failed' as const, error }),
  async run(catalogue, { query, max_results, include_discovery_receipt }) {
    const request = { query, max_results, entity_types: REGISTRY_TYPES };
    const answer = await catalogue.search(request);
    const found = foundItems(answer, true);
    const flagged = found.flatMap(({ item, description }) => instructionWarning(item.path, description) ?? []);
    const warnings = [...answer.warnings, ...flagged];
    const receipt = include_discovery_receipt ? await receiptFor(catalogue, request, answer) : {};
    const noMatch = found.length === 0;
    const opening = noMatch ? NOTHING_FITS : '';
    const { text } = fitItems(found, { detail: 'brief', opening, warnings });
    return { structured: { ...grouped(answer), no_match: noMatch, warnings, ...receipt }, text };
  },
});

type Groups = Omit<Output, 'status' | 'error' | 'discovery_receipt'>;

function grouped(answer: Groups): Output {
  const { query, search_mode, no_match, servers, tools, agents, skills, virtual_servers, custom, warnings } = answer;
  const { total_servers, total_tools, total_agents, total_skills, total_virtual_servers, total_custom } = answer;
  const totals = { total_servers, total_tools, total_agents, total_skills, total_virtual_servers, total_custom };
  const groups = { servers, tools, agents, skills, virtual_servers, custom };
  return { status: 'success', query, search_mode, no_match, ...groups, ...totals, warnings };
}

const NOTHING: Groups = {
  query: '',
  search_mode: 'lexical-only',
  no_match: false,
  servers: [],
  tools: [],
  agents: [],
  skills: [],
  virtual_servers: [],
  custom: [],
  total_servers: 0,
  total_tools: 0,
  total_agents: 0,
  total_skills: 0,
  total_virtual_servers: 0,
  total_custom: 0,
  warnings: [],
};

const MOST_LISTED = 5;

/** What the same search finds with room for everything, less what was shown. */
async function receiptFor(
  catalogue: Catalogue,
  request: Parameters<Catalogue['search']>[0],
  { results }: SearchResponse,
): Promise<Pick<Output, 'discovery_receipt'>> {
  const shown = new Set(results.map(({ entity_type, path }) => `${entity_type}:${path}`));
  const all = await catalogue.search({ ...request, max_results: 50 });
  const rest = all.results.filter(({ entity_type, path }) => !shown.has(`${entity_type}:${path}`));
  const withheld_candidates = rest.slice(0, MOST_LISTED).map(({ entity_type, path, name, relevance_score }) => ({
    entity_type,
    path,
    name,
    relevance_score,
  }));
  return { discovery_receipt: { exposed: results.length, withheld: rest.length, withheld_candidates } };
}
