import type { OperationResult } from '../../api/contract.ts';
import type { McpServer, StandaloneTool } from '../../model/entity.ts';
import { folded } from '../../registry/operations/entity-view.ts';
import type { Registry } from '../../registry/registry.ts';

/** `Bash(git:*)` names the tool Bash, and `mcp__github__get_me` the tool get_me. */
const toolName = (allowed: string): string =>
  allowed
    .replace(/\(.*$/s, '')
    .replace(/^mcp__.*?__/, '')
    .trim();

/** Which of the tools that a skill may use are registered and enabled. */
export async function toolsOfSkill(
  registry: Registry,
  allowed: readonly string[],
): Promise<OperationResult<'checkSkillTools'>> {
  const owners = new Map<string, string>();
  for await (const { entity } of registry.all(['mcp_server', 'tool'])) {
    if (!entity.is_enabled) continue;
    if (entity.type === 'tool') owners.set(folded(entity.name), (entity as StandaloneTool).server_path ?? entity.path);
    else for (const { name } of (entity as McpServer).tools) owners.set(folded(name), entity.path);
  }
  const ownerOf = (name: string) => owners.get(folded(toolName(name)));
  const available = allowed.filter((name) => ownerOf(name) !== undefined);
  const missing = allowed.filter((name) => ownerOf(name) === undefined);
  return {
    all_available: missing.length === 0,
    available_tools: available,
    missing_tools: missing,
    mcp_servers_required: [...new Set(available.map((name) => ownerOf(name)!))].sort(),
  };
}
