import { z } from 'zod';
import type { SearchResponse } from '../../model/answer/result.ts';
import { type GroupOf, typesOfRole } from '../../model/entity-types/table.ts';
import { MAX_RESULTS } from '../../model/query/query.ts';
import type { Catalog } from '../catalog/catalog.ts';
import { defineTool } from '../catalog/mcp-tool.ts';
import { countField, queryField, warningsField } from '../items/fields.ts';
import { briefAnswer } from '../items/fit-items.ts';

const input = z.strictObject({
  query: queryField,
  max_results: countField.default(10).describe('How many results, 1 to 50.'),
  include_discovery_receipt: z.boolean().default(false).describe('Report more matches that are not shown.'),
});

/** The types that clients of the MCP gateway registry know. */
const REGISTRY_TYPES = typesOfRole('capability');

/** The hits of the REST search, unchanged. Clients of the MCP gateway registry know their fields. */
const hits = (fields: string) => z.array(z.record(z.string(), z.unknown())).describe(fields);

/** The groups of capabilities, and `custom`, which that registry has too. */
const GROUPS = {
  servers: hits(
    'Every group: best first, with path and relevance_score; here server_name, matching_tools, endpoint_url.',
  ),
  tools: hits('tool_name, server_path, inputSchema'),
  agents: hits('agent_card'),
  skills: hits('skill_name, skill_md_url'),
  virtual_servers: hits('server_name, matching_tools, backend_paths'),
  custom: hits('entity_type, name'),
} satisfies Record<RegistryGroup, z.ZodType>;
type RegistryGroup = GroupOf<(typeof REGISTRY_TYPES)[number]> | 'custom';

/** Also has `total_servers` and so on, and `discovery_receipt` if requested. */
const output = z.looseObject({
  status: z.string().describe('success or failed'),
  error: z.string().exactOptional(),
  no_match: z.boolean().describe('No match; every group is empty.'),
  ...GROUPS,
  warnings: warningsField,
});

/** The search of the MCP gateway registry, with its name and format, for its clients. */
export const searchRegistry = defineTool({
  name: 'search_registry',
  title: 'Search the registry',
  right: 'read',
  description:
    'Search servers, tools, agents, skills and virtual servers, grouped by type, with all their fields. search_tools finds the same in fewer tokens.',
  briefOutput: true,
  input,
  output,
  failure: (error) => ({ ...grouped(null), status: 'failed', error }),
  async run(catalog, { query, max_results, include_discovery_receipt }) {
    const request = { query, max_results, entity_types: [...REGISTRY_TYPES] };
    const answer = await catalog.search(request);
    const { warnings, noMatch, text } = briefAnswer(answer);
    const receipt = include_discovery_receipt ? await receiptFor(catalog, request, answer) : {};
    return { structured: { ...grouped(answer), no_match: noMatch, warnings, ...receipt }, text };
  },
});

type Groups = Pick<SearchResponse, RegistryGroup | `total_${RegistryGroup}`>;
type Answer = Pick<SearchResponse, 'query' | 'search_mode' | 'no_match' | 'warnings'> & Groups;

function grouped(answer: Answer | null) {
  const { query = '', search_mode = 'lexical-only', no_match = false, warnings = [] } = answer ?? {};
  const names = Object.keys(GROUPS) as RegistryGroup[];
  const groups = names.map((name) => [name, answer?.[name] ?? []]);
  const totals = names.map((name) => [`total_${name}`, answer?.[`total_${name}`] ?? 0]);
  const found = Object.fromEntries([...groups, ...totals]) as Groups;
  return { status: 'success', query, search_mode, no_match, ...found, warnings };
}

const MAX_LISTED = 5;

/** The results of the same search with the highest limit, without those that are shown. */
async function receiptFor(catalog: Catalog, request: Parameters<Catalog['search']>[0], { results }: SearchResponse) {
  const shown = new Set(results.map(({ entity_type, path }) => `${entity_type}:${path}`));
  const all = await catalog.search({ ...request, max_results: MAX_RESULTS });
  const rest = all.results.filter(({ entity_type, path }) => !shown.has(`${entity_type}:${path}`));
  const withheld_candidates = rest.slice(0, MAX_LISTED).map(({ entity_type, path, name, relevance_score }) => ({
    entity_type,
    path,
    name,
    relevance_score,
  }));
  return { discovery_receipt: { exposed: results.length, withheld: rest.length, withheld_candidates } };
}
