import { createMcpServerMaker, type McpOptions, type McpServerMaker } from './create-mcp-server.ts';
import { createServiceServerMaker } from './memory-service/create-service-server.ts';
import { MCP_TOOLS, REGISTRY_TOOLS } from './tools/tools.ts';
import type { ToolsetName } from './toolset-names.ts';

/** A set of tools with an endpoint of its own. A list of tools differs by URL, never by connection. */
export interface Toolset {
  readonly summary: string;
  make(options: McpOptions): McpServerMaker;
}

export const TOOLSETS = {
  all: {
    summary: 'Every tool of Dowser.',
    make: (options) => createMcpServerMaker(options, MCP_TOOLS),
  },
  registry: {
    summary: 'The tools that search the registry.',
    make: (options) => createMcpServerMaker(options, REGISTRY_TOOLS),
  },
  memory: {
    summary: 'The tools of the memory service, for its clients.',
    make: createServiceServerMaker,
  },
} as const satisfies Record<ToolsetName, Toolset>;
