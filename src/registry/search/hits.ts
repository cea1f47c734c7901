import { agentCard } from '../../model/agent-card.ts';
import type { SearchResult } from '../../model/answer/result.ts';
import type { Entity, EntityOf, EntityType, McpServer } from '../../model/entity.ts';
import type { ListedTool } from '../../model/entity-types/descriptor.ts';
import type { HitScores, MatchingTool } from '../../model/entity-types/fields.ts';
import { descriptorOf, type HitOf } from '../../model/entity-types/table.ts';
import type { ScoredTool } from '../../search/ranking/matching-tools.ts';
import { serverPathOf } from './own-tools-first.ts';

/** The parts of a hit, besides its entity. */
export interface HitParts {
  readonly scores: HitScores;
  readonly health: SearchResult['health_status'];
  /** The requested metadata fields; null if none were requested. */
  readonly metadata: Record<string, unknown> | null;
  /** The matching tools, best first. */
  readonly tools: readonly ScoredTool<ListedTool>[];
}

const orNull = (text: string): string | null => (text === '' ? null : text);

/** Where a client connects: the endpoint the server names, else its address. Local servers have none. */
function endpointOf(server: McpServer): string | null {
  return server.deployment === 'local' ? null : (server.mcp_endpoint ?? server.url ?? null);
}

/** Without schemas where the tools are hits of their own: those have the schemas. */
function shownTools(entity: Entity, tools: readonly ScoredTool<ListedTool>[]): MatchingTool[] {
  const areHits = descriptorOf(entity).tools?.areHits === true;
  const matching: MatchingTool[] = [];
  for (const { tool, score } of tools) {
    const description = orNull(tool.description);
    const inputSchema = areHits ? null : (tool.inputSchema ?? null);
    matching.push({
      tool_name: tool.name,
      description,
      relevance_score: score,
      match_context: description,
      inputSchema,
    });
  }
  return matching;
}

/** A tool of a server, or one that stands alone. */
export function toolHit(owner: Entity, tool: ListedTool, scores: HitScores): HitOf<'tool'> {
  const alone = owner.type === 'tool';
  return {
    server_path: serverPathOf(owner),
    server_name: alone ? '' : owner.name,
    tool_name: tool.name,
    path: alone ? owner.path : `${owner.path}#${tool.name}`,
    description: orNull(tool.description),
    inputSchema: tool.inputSchema ?? null,
    title: tool.title ?? null,
    annotations: tool.annotations ?? null,
    ...scores,
    endpoint_url: owner.type === 'mcp_server' ? endpointOf(owner) : null,
  };
}

function otherHit(entity: Entity, { scores, metadata }: HitParts): HitOf<'package'> {
  return {
    entity_type: entity.type,
    path: entity.path,
    name: entity.name,
    description: entity.description,
    tags: entity.tags,
    visibility: entity.visibility,
    owner: entity.owner ?? null,
    is_enabled: entity.is_enabled,
    status: entity.status,
    ...scores,
    metadata,
  };
}

/**
 * The hit of each entity type but tools. The order of the fields is that of the registry's documents. Spreading the scores costs about
 * 0.1 microseconds a hit and causes no recompiling (`test/e2e/settled-code.test.ts`).
 */
const HITS = {
  mcp_server: (server, { scores, metadata, tools }): HitOf<'mcp_server'> => ({
    path: server.path,
    server_name: server.name,
    description: server.description,
    tags: server.tags,
    num_tools: server.tools.length,
    is_enabled: server.is_enabled,
    ...scores,
    matching_tools: shownTools(server, tools),
    endpoint_url: endpointOf(server),
    proxy_pass_url: server.url ?? null,
    mcp_endpoint: server.mcp_endpoint ?? null,
    sse_endpoint: server.sse_endpoint ?? null,
    supported_transports: server.supported_transports,
    trust_verified: 'none',
    deployment: server.deployment,
    local_runtime: server.local_runtime ?? null,
    status: server.status,
    metadata,
  }),
  virtual_server: (server, { scores, metadata, tools }): HitOf<'virtual_server'> => {
    const backends = [...new Set(server.tool_mappings.map((mapping) => mapping.backend_server_path))];
    return {
      path: server.path,
      server_name: server.name,
      description: server.description,
      tags: server.tags,
      num_tools: server.tool_mappings.length,
      tool_count: server.tool_mappings.length,
      is_enabled: server.is_enabled,
      ...scores,
      matching_tools: shownTools(server, tools),
      endpoint_url: null,
      backend_count: backends.length,
      backend_paths: backends,
      status: server.status,
      metadata,
    };
  },
  a2a_agent: (agent, { scores, metadata }): HitOf<'a2a_agent'> => {
    const card = agentCard(agent);
    const agent_card = metadata === null ? card : { ...card, metadata };
    return { path: agent.path, ...scores, agent_card, trust_verified: 'none' };
  },
  skill: (skill, { scores, metadata, health }): HitOf<'skill'> => ({
    path: skill.path,
    skill_name: skill.name,
    description: skill.description,
    tags: skill.tags,
    skill_md_url: skill.skill_md_url ?? null,
    skill_md_raw_url: skill.skill_md_raw_url ?? null,
    version: skill.version ?? null,
    author: skill.author ?? null,
    visibility: skill.visibility,
    owner: skill.owner ?? null,
    is_enabled: skill.is_enabled,
    health_status: health,
    last_checked_time: null,
    status: skill.status,
    ...scores,
    metadata,
  }),
  package: otherHit,
  memory: otherHit,
  document: otherHit,
} satisfies { [T in OtherType]: (entity: EntityOf<T>, parts: HitParts) => HitOf<T> };

/** Tools have `toolHit`. */
type OtherType = Exclude<EntityType, 'tool'>;

export function hitOf(entity: EntityOf<OtherType>, parts: HitParts): HitOf<OtherType> {
  return (HITS[entity.type] as (entity: Entity, parts: HitParts) => HitOf<OtherType>)(entity, parts);
}
