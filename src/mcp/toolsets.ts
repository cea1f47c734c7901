import { CALL_TOOLS } from './calls/call-tools.ts';
import { createCollectionServerMaker } from './collection/create-collection-server.ts';
import { createServiceServerMaker } from './memory-service/create-service-server.ts';
import type { Profile } from './profiles/profile-file.ts';
import { createProfileServerMaker } from './profiles/profile-tools.ts';
import { createMcpServerMaker, type McpOptions, type McpServerMaker } from './server/create-mcp-server.ts';
import { TOOLPILOT_TOOLS } from './tools/toolpilot.ts';
import { AGENT_TOOLS, FINDING_TOOLS, REGISTRY_TOOLS } from './tools/tools.ts';
import type { ToolsetName } from './toolset-names.ts';

/** A set of tools with an endpoint of its own. A list of tools differs by URL, never by connection. */
export interface Toolset {
  readonly summary: string;
  make(options: McpOptions): McpServerMaker;
}

export const TOOLSETS = {
  agent: {
    summary: 'What an agent needs: search, details, memories and documents.',
    make: (options) => createMcpServerMaker(options, AGENT_TOOLS, { list: 'lean', calling: CALL_TOOLS }),
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
  call: {
    summary: 'The tools that find a tool and call it. Without the setting `call`, only those that find one.',
    make: (options) => createMcpServerMaker(options, FINDING_TOOLS, { list: 'lean', calling: CALL_TOOLS }),
  },
} as const satisfies Record<ToolsetName, Toolset>;

/** The tools of an address: those of a set, those of one collection of documents, or those of a profile. */
export type ServedTools = ToolsetName | { readonly collection: string } | { readonly profile: Profile };

export function makerOf(tools: ServedTools, options: McpOptions): McpServerMaker {
  if (typeof tools === 'string') return TOOLSETS[tools].make(options);
  return 'profile' in tools
    ? createProfileServerMaker(options, tools.profile)
    : createCollectionServerMaker(options, tools.collection);
}
