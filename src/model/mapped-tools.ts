import type { VirtualServer } from './entity.ts';

export interface MappedTool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema?: Record<string, unknown>;
}

/** The tools of a virtual server. A mapping's own name and description come before those of its tool. */
export function mappedTools(server: VirtualServer): readonly MappedTool[] {
  return server.tool_mappings.map(({ alias, tool_name, description_override, inherited }) => ({
    name: alias ?? tool_name,
    description: description_override ?? inherited?.description ?? '',
    ...(inherited?.inputSchema === undefined ? {} : { inputSchema: inherited.inputSchema }),
  }));
}
