import type { z } from 'zod';
import type {
  A2aAgent,
  DocumentEntity,
  Entity,
  McpServer,
  Memory,
  Package,
  Skill,
  StandaloneTool,
  VirtualServer,
} from '../../model/entity.ts';
import { mappedTools } from '../../model/mapped-tools.ts';
import type {
  agentHitSchema,
  matchingToolSchema,
  otherHitSchema,
  serverHitSchema,
  skillHitSchema,
  toolHitSchema,
  virtualServerHitSchema,
} from '../../model/result.ts';
import type { ScoredTool } from '../../search/ranking/matching-tools.ts';

/** The shapes of the registry's result groups, one function each. Scores are named one by one: spreading them takes longer. */
export type ServerHit = z.output<typeof serverHitSchema>;
export type ToolHit = z.output<typeof toolHitSchema>;
export type AgentHit = z.output<typeof agentHitSchema>;
export type SkillHit = z.output<typeof skillHitSchema>;
export type VirtualServerHit = z.output<typeof virtualServerHitSchema>;
export type OtherHit = z.output<typeof otherHitSchema>;

/** What every hit has, whatever its type. */
export interface HitScores {
  readonly relevance_score: number;
  readonly similarity_score: number | null;
  readonly confidence: number;
  readonly matched_fields: string[];
  readonly match_context: string | null;
}

/** The part of the metadata that was asked for; null when none was. */
export type HitMetadata = Record<string, unknown> | null;

export interface ListedTool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema?: Record<string, unknown> | undefined;
  readonly examples?: readonly string[];
}

const orNull = (text: string): string | null => (text === '' ? null : text);

export function toolsOf(entity: Entity): readonly ListedTool[] {
  if (entity.type === 'mcp_server') return entity.tools;
  return entity.type === 'virtual_server' ? mappedTools(entity) : [];
}

/** Where a client connects: the endpoint the server names, else its address. Local servers have none. */
function endpointOf(server: McpServer): string | null {
  return server.deployment === 'local' ? null : (server.mcp_endpoint ?? server.url ?? null);
}

function matchingTool(
  { tool, score }: ScoredTool<ListedTool>,
  inputSchema: Record<string, unknown> | null,
): z.output<typeof matchingToolSchema> {
  const description = orNull(tool.description);
  return { tool_name: tool.name, description, relevance_score: score, match_context: description, inputSchema };
}

/** Matching tools come without their schemas: those are in the answer's own `tools`. */
export function serverHit(
  server: McpServer,
  scores: HitScores,
  matching: readonly ScoredTool<ListedTool>[],
  metadata: HitMetadata,
): ServerHit {
  return {
    path: server.path,
    server_name: server.name,
    description: server.description,
    tags: server.tags,
    num_tools: server.tools.length,
    is_enabled: server.is_enabled,
    relevance_score: scores.relevance_score,
    similarity_score: scores.similarity_score,
    confidence: scores.confidence,
    matched_fields: scores.matched_fields,
    match_context: scores.match_context,
    matching_tools: matching.map((scored) => matchingTool(scored, null)),
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
  };
}

export function virtualServerHit(
  server: VirtualServer,
  scores: HitScores,
  matching: readonly ScoredTool<ListedTool>[],
  metadata: HitMetadata,
): VirtualServerHit {
  const backends = [...new Set(server.tool_mappings.map((mapping) => mapping.backend_server_path))];
  return {
    path: server.path,
    server_name: server.name,
    description: server.description,
    tags: server.tags,
    num_tools: server.tool_mappings.length,
    tool_count: server.tool_mappings.length,
    is_enabled: server.is_enabled,
    relevance_score: scores.relevance_score,
    similarity_score: scores.similarity_score,
    confidence: scores.confidence,
    matched_fields: scores.matched_fields,
    match_context: scores.match_context,
    matching_tools: matching.map((scored) => matchingTool(scored, scored.tool.inputSchema ?? null)),
    endpoint_url: null,
    backend_count: backends.length,
    backend_paths: backends,
    status: server.status,
    metadata,
  };
}

/** A tool of a server, or one that stands alone. */
export function toolHit(owner: Entity, tool: ListedTool, scores: HitScores): ToolHit {
  const alone = owner.type === 'tool';
  return {
    server_path: alone ? (owner.server_path ?? '') : owner.path,
    server_name: alone ? '' : owner.name,
    tool_name: tool.name,
    path: alone ? owner.path : `${owner.path}#${tool.name}`,
    description: orNull(tool.description),
    inputSchema: tool.inputSchema ?? null,
    relevance_score: scores.relevance_score,
    similarity_score: scores.similarity_score,
    confidence: scores.confidence,
    matched_fields: scores.matched_fields,
    match_context: scores.match_context,
    endpoint_url: owner.type === 'mcp_server' ? endpointOf(owner) : null,
  };
}

export function standaloneToolHit(tool: StandaloneTool, scores: HitScores): ToolHit {
  return toolHit(tool, tool, scores);
}

export function agentHit(agent: A2aAgent, scores: HitScores, metadata: HitMetadata): AgentHit {
  const { type: _type, metadata: _metadata, ...card } = agent;
  const agent_card = metadata === null ? card : { ...card, metadata };
  return {
    path: agent.path,
    relevance_score: scores.relevance_score,
    similarity_score: scores.similarity_score,
    confidence: scores.confidence,
    matched_fields: scores.matched_fields,
    match_context: scores.match_context,
    agent_card,
    trust_verified: 'none',
  };
}

export function skillHit(
  skill: Skill,
  scores: HitScores,
  metadata: HitMetadata,
  health_status: SkillHit['health_status'],
): SkillHit {
  return {
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
    health_status,
    last_checked_time: null,
    status: skill.status,
    relevance_score: scores.relevance_score,
    similarity_score: scores.similarity_score,
    confidence: scores.confidence,
    matched_fields: scores.matched_fields,
    match_context: scores.match_context,
    metadata,
  };
}

export function otherHit(
  entity: Package | Memory | DocumentEntity,
  scores: HitScores,
  metadata: HitMetadata,
): OtherHit {
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
    relevance_score: scores.relevance_score,
    similarity_score: scores.similarity_score,
    confidence: scores.confidence,
    matched_fields: scores.matched_fields,
    match_context: scores.match_context,
    metadata,
  };
}
