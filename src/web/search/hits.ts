import type { EntityType, Result, SearchAnswer } from '../data/api.ts';

const GROUPS = {
  mcp_server: 'servers',
  virtual_server: 'virtual_servers',
  a2a_agent: 'agents',
  skill: 'skills',
  package: 'packages',
  memory: 'memories',
  document: 'documents',
  tool: 'tools',
} as const satisfies Record<EntityType, keyof SearchAnswer>;

export interface ShownTool {
  readonly name: string;
  readonly description: string;
  /** Undefined: read the entity. */
  readonly schema: unknown;
}

interface Hit {
  readonly path?: string | undefined;
  readonly status?: string | undefined;
  readonly is_enabled?: boolean | undefined;
  readonly matching_tools?: SearchAnswer['servers'][number]['matching_tools'];
}

/** A result in its group: the groups have what the mixed list leaves out. */
export function hitOf(answer: SearchAnswer, { entity_type, path }: Result): Hit | undefined {
  return (answer[GROUPS[entity_type]] as readonly Hit[] | undefined)?.find((hit) => hit.path === path);
}

/** The tools of a result that match, best first, with their schemas where the answer has them. */
export function toolsOf(answer: SearchAnswer, result: Result): readonly ShownTool[] {
  const matching = hitOf(answer, result)?.matching_tools ?? [];
  return matching.map(({ tool_name, description, inputSchema }) => {
    const own = answer.tools.find((tool) => tool.server_path === result.path && tool.tool_name === tool_name);
    return { name: tool_name, description: description ?? '', schema: inputSchema ?? own?.inputSchema ?? undefined };
  });
}

/** The schema of a result that is a tool itself. */
export const ownSchema = (answer: SearchAnswer, { path }: Result): unknown =>
  answer.tools.find((tool) => tool.path === path)?.inputSchema ?? undefined;
