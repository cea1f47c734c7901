import type { McpTool } from '../catalog/mcp-tool.ts';
import { getCallableDetails, getDetails } from './get-details.ts';
import { getSkillContent } from './get-skill-content.ts';
import { healthcheck } from './healthcheck.ts';
import { intelligentToolFinder } from './intelligent-tool-finder.ts';
import { listAgents, listServices } from './list-registered.ts';
import { listSkills } from './list-skills.ts';
import { forgetMemory, searchMemories, storeMemory, updateMemory } from './memory-tools.ts';
import { recommend, recommendRespond } from './recommend.ts';
import { searchDocuments } from './search-documents.ts';
import { searchRegistry } from './search-registry.ts';
import { searchCallableTools, searchTools } from './search-tools.ts';

/** The tools that read the registry. */
export const REGISTRY_TOOLS = [
  searchTools,
  getDetails,
  recommend,
  recommendRespond,
  searchRegistry,
  intelligentToolFinder,
  listSkills,
  getSkillContent,
  listServices,
  listAgents,
  healthcheck,
] as const as unknown as readonly McpTool[];

/**
 * What an agent needs. Each conversation pays for this list, so it has no two tools for the same search. Whatever else Dowser
 * offers is at the endpoint of its own toolset.
 */
export const AGENT_TOOLS = [
  searchTools,
  getDetails,
  searchMemories,
  storeMemory,
  updateMemory,
  forgetMemory,
  searchDocuments,
] as const as unknown as readonly McpTool[];

/** The tools of the calling toolset, beside those that call. */
export const FINDING_TOOLS = [searchTools, getDetails] as const as unknown as readonly McpTool[];

const CALLABLE = [searchCallableTools, getCallableDetails] as const as unknown as readonly McpTool[];

/** The same tools where tools can be called: those that find a tool say how to call it. */
export const whereCallable = (tools: readonly McpTool[]): readonly McpTool[] =>
  tools.map((tool) => CALLABLE.find(({ name }) => name === tool.name) ?? tool);

/** Every tool of both lists. `docs/mcp.md` and the tests are checked against this table. */
export const MCP_TOOLS: readonly McpTool[] = [
  ...AGENT_TOOLS,
  ...REGISTRY_TOOLS.filter((tool) => !AGENT_TOOLS.includes(tool)),
];
