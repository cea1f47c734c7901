import type { McpTool } from './tools/mcp-tool.ts';
import { TOOLPILOT_TOOLS } from './tools/toolpilot.ts';
import { MCP_TOOLS } from './tools/tools.ts';
import type { ToolsetName } from './toolset-paths.ts';

/** The tools of each set. */
export const TOOLSETS: Readonly<Record<ToolsetName, readonly McpTool[]>> = {
  registry: MCP_TOOLS,
  recommend: TOOLPILOT_TOOLS,
};
