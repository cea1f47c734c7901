import { getDetails } from './get-details.ts';
import { getSkillContent } from './get-skill-content.ts';
import { healthcheck } from './healthcheck.ts';
import { intelligentToolFinder } from './intelligent-tool-finder.ts';
import { listAgents, listServices } from './list-registered.ts';
import { listSkills } from './list-skills.ts';
import type { McpTool } from './mcp-tool.ts';
import { forgetMemory, searchMemories, storeMemory, updateMemory } from './memory-tools.ts';
import { recommend, recommendRespond } from './recommend.ts';
import { searchDocuments } from './search-documents.ts';
import { searchRegistry } from './search-registry.ts';
import { searchTools } from './search-tools.ts';

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

/** Every tool, in the order of the list that clients read. `docs/mcp.md` and the tests are checked against this table. */
export const MCP_TOOLS: readonly McpTool[] = [
  ...REGISTRY_TOOLS,
  ...([storeMemory, searchMemories, updateMemory, forgetMemory, searchDocuments] as unknown as readonly McpTool[]),
];
