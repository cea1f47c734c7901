import { countTokens } from '../model/text/token-count.ts';
import { CALL_TOOLS, toListedCallTool } from './calls/call-tools.ts';
import type { Catalog } from './catalog/catalog.ts';
import { CatalogSummary } from './catalog/catalog-summary.ts';
import { toListedTool } from './server/create-mcp-server.ts';
import { getDetails } from './tools/get-details.ts';
import { searchTools } from './tools/search-tools.ts';
import { AGENT_TOOLS, FINDING_TOOLS, whereCallable } from './tools/tools.ts';

/** What a client puts into the context of its model for one tool. */
interface LoadedTool {
  readonly name: string;
  readonly description?: string | undefined;
  readonly inputSchema?: unknown;
}

/** Tokens of the name, the description and the input schema, by an upper estimate. Clients keep the rest from the model. */
export const toolTokens = ({ name, description, inputSchema }: LoadedTool): number =>
  countTokens(JSON.stringify({ name, description, inputSchema }));

export const MEASURED_TOOLSETS = ['call', 'agent'] as const;
export type MeasuredToolset = (typeof MEASURED_TOOLSETS)[number];

/** The tools of a toolset as its list has them, with the summary of this catalog. */
export async function listedTools(toolset: MeasuredToolset, catalog: Catalog): Promise<readonly LoadedTool[]> {
  const about = await new CatalogSummary(catalog).current();
  const finding = toolset === 'call' ? whereCallable(FINDING_TOOLS) : AGENT_TOOLS;
  const listed = finding.map((tool) => toListedTool(tool, about, 'lean'));
  return toolset === 'call' ? [...listed, ...CALL_TOOLS.map(toListedCallTool)] : listed;
}

/** Tokens of the text that `search_tools` answers to a question, with its defaults. */
export async function answerTokens(catalog: Catalog, query: string): Promise<number> {
  const { text } = await searchTools.run(catalog, searchTools.input.parse({ query, kinds: ['tool'] }));
  return countTokens(text);
}

/** Tokens of the text that `get_details` answers about a tool. */
export async function detailsTokens(catalog: Catalog, path: string): Promise<number> {
  const { text } = await getDetails.run(catalog, getDetails.input.parse({ path }));
  return countTokens(text);
}
