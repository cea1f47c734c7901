import type { VirtualServer } from './entity.ts';

export interface MappedTool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema?: Record<string, unknown>;
}

/** The tools a virtual server shows: its own words where it has any, else those of the tool behind the mapping. */
export function mappedTools(server: VirtualServer): readonly MappedTool[] {
  return server.tool_mappings.map(({ alias, tool_name, description_override, inherited }) => ({
    name: alias ?? tool_name,
    description: description_override ?? inherited?.description ?? '',
    ...(inherited?.inputSchema === undefined ? {} : { inputSchema: inherited.inputSchema }),
  }));
}
