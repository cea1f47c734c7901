import { createCollectionServerMaker } from './collection/create-collection-server.ts';
import { createMcpServerMaker, type McpOptions, type McpServerMaker } from './create-mcp-server.ts';
import { createServiceServerMaker } from './memory-service/create-service-server.ts';
import { TOOLPILOT_TOOLS } from './tools/toolpilot.ts';
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
  recommend: {
    summary: "ToolPilot's tools, for its clients.",
    make: (options) => createMcpServerMaker(options, TOOLPILOT_TOOLS),
  },
} as const satisfies Record<ToolsetName, Toolset>;

/** The tools of an address: those of a set, or those of one collection of documents. */
export type ServedTools = ToolsetName | { readonly collection: string };

export function makerOf(tools: ServedTools, options: McpOptions): McpServerMaker {
  return typeof tools === 'string'
    ? TOOLSETS[tools].make(options)
    : createCollectionServerMaker(options, tools.collection);
}
