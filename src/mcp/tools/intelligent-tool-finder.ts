import { z } from 'zod';
import { typesOfRole } from '../../model/entity-types/table.ts';
import { defineTool } from '../catalog/mcp-tool.ts';
import { countField, queryField, warningsField } from '../items/fields.ts';
import { briefAnswer } from '../items/fit-items.ts';
import { searchWithTools, toolItems } from '../items/tool-items.ts';

const input = z.strictObject({
  query: queryField,
  top_n: countField.default(5).describe('How many tools, 1 to 50. At most 30 are listed.'),
});

const output = z.object({
  status: z.enum(['success', 'failed']),
  error: z.string().exactOptional(),
  results: z.array(
    z.object({
      tool_name: z.string(),
      server_name: z.string(),
      description: z.string(),
      score: z.number(),
      path: z.string(),
    }),
  ),
  total_results: z.int(),
  no_match: z.boolean().describe('No match; `results` is empty.'),
  warnings: warningsField,
});

/** The older tool of the MCP gateway registry, for clients that still call it. */
export const intelligentToolFinder = defineTool({
  name: 'intelligent_tool_finder',
  title: 'Find tools (older name)',
  right: 'read',
  description: 'Find single tools by what they do. Kept for clients that know this name; search_tools finds more.',
  briefOutput: true,
  input,
  output,
  failure: (error) => ({
    status: 'failed' as const,
    error,
    results: [],
    total_results: 0,
    no_match: false,
    warnings: [],
  }),
  async run(catalog, { query, top_n }) {
    const request = { query, entity_types: [...typesOfRole('capability')] };
    const answer = await searchWithTools(catalog, request, top_n);
    const { found, warnings, noMatch, text } = briefAnswer(answer, toolItems(answer, top_n));
    const serverNames = new Map(answer.tools.map(({ path, server_name }) => [path, server_name]));
    const results = found.map(({ item, description, score, server }) => ({
      tool_name: item.name,
      server_name: serverNames.get(item.path) ?? '',
      description,
      score,
      path: server ?? item.path,
    }));
    const structured = {
      status: 'success' as const,
      results,
      total_results: results.length,
      no_match: noMatch,
      warnings,
    };
    return { structured, text };
  },
});
