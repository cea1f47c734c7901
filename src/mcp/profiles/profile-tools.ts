import { countTokens, cutToTokens } from '../../model/text/token-count.ts';
import { CALL_TOOLS, type CallTool } from '../calls/call-tools.ts';
import type { McpTool } from '../catalog/mcp-tool.ts';
import {
  createMcpServerMaker,
  type ListStyle,
  type McpOptions,
  type McpServerMaker,
} from '../server/create-mcp-server.ts';
import { AGENT_TOOLS, FINDING_TOOLS, REGISTRY_TOOLS } from '../tools/tools.ts';
import type { Profile } from './profile-file.ts';
import { allowsType, profiledCatalog } from './profiled-catalog.ts';

const TOOLS: Readonly<Record<Profile['toolset'], readonly McpTool[]>> = {
  agent: AGENT_TOOLS,
  call: FINDING_TOOLS,
  registry: REGISTRY_TOOLS,
};

/** Tools whose answers no profile narrows: they are about everything. */
const WHOLE = ['recommend', 'recommend_respond', 'healthcheck'];
const MEMORY_TOOLS = ['search_memories', 'store_memory', 'update_memory', 'forget_memory'];
const DOCUMENT_TOOLS = ['search_documents'];

/** The server of a profile: the tools of its toolset that can keep to it, over the catalog as it narrows it. */
export function createProfileServerMaker(options: McpOptions, profile: Profile): McpServerMaker {
  const catalog = profiledCatalog(options.catalog, profile);
  // Memories and documents have tags of their own, and no servers.
  const isPlain = profile.tags === undefined && profile.servers === undefined;
  const isLeftOut = ({ name }: McpTool): boolean =>
    WHOLE.includes(name) ||
    (MEMORY_TOOLS.includes(name) && !(isPlain && allowsType(profile, 'memory'))) ||
    (DOCUMENT_TOOLS.includes(name) && !(isPlain && allowsType(profile, 'document')));
  const tools = TOOLS[profile.toolset].filter((tool) => !isLeftOut(tool));
  const list: ListStyle = profile.toolset === 'registry' ? 'full' : 'lean';
  const limit = (tool: McpTool) => withBudget(tool, profile.max_tokens);
  const calling =
    profile.toolset === 'registry' ? [] : CALL_TOOLS.map((tool) => callWithBudget(tool, profile.max_tokens));
  return createMcpServerMaker({ ...options, catalog }, tools, { list, calling, limit });
}

interface Limited {
  readonly max_tokens?: number;
  readonly k?: number;
  readonly limit?: number;
}

/** The tool with answers of at most so many tokens. One without a limit of its own returns fewer results. */
function withBudget(tool: McpTool, budget: number | undefined): McpTool {
  if (budget === undefined) return tool;
  const { shape } = tool.input;
  const run: McpTool['run'] = async (catalog, input) => {
    const asked = input as Limited;
    if ('max_tokens' in shape) {
      return tool.run(catalog, { ...input, max_tokens: Math.min(asked.max_tokens ?? budget, budget) });
    }
    const field = ['k', 'limit', 'max_results', 'top_n'].find((name) => name in shape);
    let count = field === undefined ? 0 : Number((input as Readonly<Record<string, unknown>>)[field]);
    let answer = await tool.run(catalog, input);
    for (let tokens = countTokens(answer.text); field !== undefined && tokens > budget && count > 1; ) {
      count = Math.max(1, Math.min(count - 1, Math.floor((count * budget) / tokens)));
      answer = await tool.run(catalog, { ...input, [field]: count });
      tokens = countTokens(answer.text);
    }
    return { ...answer, text: cutToTokens(answer.text, budget) };
  };
  return { ...tool, run };
}

function callWithBudget(tool: CallTool, budget: number | undefined): CallTool {
  if (budget === undefined) return tool;
  return {
    ...tool,
    run: (catalog, args, options) => {
      const asked = typeof args.max_tokens === 'number' ? args.max_tokens : budget;
      return tool.run(catalog, { ...args, max_tokens: Math.min(asked, budget) }, options);
    },
  };
}
