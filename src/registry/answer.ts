import type { z } from 'zod';
import type { StoredEntity } from '../engines/engine.ts';
import type { Entity, EntityId, McpServer, Tool, VirtualServer } from '../model/entity.ts';
import { type Projection, project } from '../model/projection.ts';
import type {
  agentHitSchema,
  matchingToolSchema,
  otherHitSchema,
  SearchMode,
  SearchResponse,
  SearchResult,
  serverHitSchema,
  skillHitSchema,
  toolHitSchema,
  virtualServerHitSchema,
} from '../model/result.ts';
import type { UnitKind } from '../model/unit.ts';
import { unitsOf } from '../model/units-of.ts';
import { bestUnit, type Candidate } from '../search/candidate.ts';
import { toolLimit } from '../search/distribute/distribute.ts';
import { toolScore } from '../search/keyword/tool-score.ts';
import type { SearchPlan } from '../search/plan.ts';
import { snippet } from '../search/snippet.ts';
import { boostTokens } from '../search/text/boost-tokens.ts';

type ServerHit = z.output<typeof serverHitSchema>;
type ToolHit = z.output<typeof toolHitSchema>;
type AgentHit = z.output<typeof agentHitSchema>;
type SkillHit = z.output<typeof skillHitSchema>;
type VirtualServerHit = z.output<typeof virtualServerHitSchema>;
type OtherHit = z.output<typeof otherHitSchema>;
type MatchingTool = z.output<typeof matchingToolSchema>;

export interface AnswerParts {
  readonly plan: SearchPlan;
  readonly mode: SearchMode;
  readonly candidates: readonly Candidate[];
  readonly stored: ReadonlyMap<EntityId, StoredEntity>;
  readonly projection: Projection | null;
  /** For each entity, how well its tools were found by the legs themselves: tool key to a share in [0, 1]. */
  readonly toolShares: ReadonlyMap<EntityId, ReadonlyMap<string, number>>;
  readonly warnings: readonly string[];
}

interface ListedTool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema?: Record<string, unknown>;
}

function toolsOf(entity: Entity): readonly ListedTool[] {
  if (entity.type === 'mcp_server') return entity.tools;
  if (entity.type !== 'virtual_server') return [];
  return entity.tool_mappings.map((mapping) => ({
    name: mapping.alias ?? mapping.tool_name,
    description: mapping.description_override ?? '',
  }));
}

/** The text of the part that was found, for showing; '' when the part is gone. */
function contextText(entity: Entity, key: string, kind: UnitKind): string {
  if (kind === 'card') return entity.type === 'memory' ? entity.content : entity.description;
  if (kind === 'tool') {
    const tool = toolsOf(entity).find((listed) => `tool:${listed.name}` === key);
    if (tool !== undefined) return tool.description;
  }
  const unit = unitsOf(entity).find((candidate) => candidate.key === key);
  return unit?.fields.body ?? unit?.fields.description ?? '';
}

/** Builds the answer of a search from the ranked page: the flat list and the registry's groups. */
export class AnswerBuilder {
  readonly #parts: AnswerParts;
  readonly #tokens: readonly string[];
  readonly #results: SearchResult[] = [];
  readonly #servers: ServerHit[] = [];
  readonly #tools: ToolHit[] = [];
  readonly #agents: AgentHit[] = [];
  readonly #skills: SkillHit[] = [];
  readonly #virtualServers: VirtualServerHit[] = [];
  readonly #others: OtherHit[] = [];

  constructor(parts: AnswerParts) {
    this.#parts = parts;
    this.#tokens = boostTokens(parts.plan.text);
  }

  build(): SearchResponse {
    const { plan, mode, candidates, stored, warnings } = this.#parts;
    for (const candidate of candidates) {
      const record = stored.get(candidate.entity);
      if (record !== undefined) this.#add(candidate, record.entity);
    }
    const of = (type: string) => this.#others.filter((other) => other.entity_type === type);
    const groups = {
      servers: this.#servers,
      tools: this.#tools,
      agents: this.#agents,
      skills: this.#skills,
      virtual_servers: this.#virtualServers,
      packages: of('package'),
      memories: of('memory'),
      documents: of('document'),
      custom: [],
    };
    return {
      query: plan.query,
      search_mode: mode,
      preset: plan.preset.name,
      results: this.#results,
      ...groups,
      total_servers: groups.servers.length,
      total_tools: groups.tools.length,
      total_agents: groups.agents.length,
      total_skills: groups.skills.length,
      total_virtual_servers: groups.virtual_servers.length,
      total_packages: groups.packages.length,
      total_memories: groups.memories.length,
      total_documents: groups.documents.length,
      total_custom: 0,
      warnings: [...plan.warnings, ...warnings],
    };
  }

  #add(candidate: Candidate, entity: Entity): void {
    const unit = bestUnit(candidate);
    const key = unit.unit.slice(unit.entity.length + 1);
    const context = contextText(entity, key, unit.kind);
    const hit = {
      relevance_score: candidate.score,
      similarity_score: candidate.vector?.hit.score ?? null,
      match_context: context === '' ? null : snippet(context, this.#tokens),
    };
    const toolItself = candidate.key === unit.unit;
    this.#results.push({
      entity_type: candidate.type,
      path: toolItself ? `${entity.path}#${unit.title}` : entity.path,
      name: toolItself ? unit.title : entity.name,
      description: toolItself ? context : entity.description,
      tags: entity.tags,
      ...hit,
      matched_unit: { kind: unit.kind, key, title: unit.title },
      ...(toolItself ? { server_path: entity.path, tool_name: unit.title } : {}),
      ...(candidate.explanation === undefined ? {} : { explanation: candidate.explanation }),
    });
    if (toolItself) {
      const tool = toolsOf(entity).find((listed) => listed.name === unit.title);
      this.#tools.push(this.#toolHit(entity, { name: unit.title, description: context, ...tool }, hit));
      return;
    }
    this.#group(entity, hit);
  }

  #group(entity: Entity, hit: Pick<ServerHit, 'relevance_score' | 'similarity_score' | 'match_context'>): void {
    const metadata = this.#metadata(entity);
    switch (entity.type) {
      case 'mcp_server':
        this.#servers.push(this.#server(entity, hit, metadata));
        break;
      case 'virtual_server':
        this.#virtualServers.push(this.#virtualServer(entity, hit, metadata));
        break;
      case 'tool': {
        const { name, description, inputSchema } = entity;
        this.#tools.push(this.#toolHit(entity, { name, description, ...(inputSchema && { inputSchema }) }, hit));
        break;
      }
      case 'a2a_agent': {
        const { type: _type, metadata: _metadata, ...card } = entity;
        const agent_card = metadata === null ? card : { ...card, metadata };
        this.#agents.push({ path: entity.path, ...hit, agent_card, trust_verified: 'none' });
        break;
      }
      case 'skill':
        this.#skills.push({
          path: entity.path,
          skill_name: entity.name,
          description: entity.description,
          tags: entity.tags,
          skill_md_url: entity.skill_md_url ?? null,
          skill_md_raw_url: entity.skill_md_raw_url ?? null,
          version: entity.version ?? null,
          author: entity.author ?? null,
          visibility: entity.visibility,
          owner: entity.owner ?? null,
          is_enabled: entity.is_enabled,
          health_status: 'unknown',
          last_checked_time: null,
          status: entity.status,
          ...hit,
          metadata,
        });
        break;
      default:
        this.#others.push({
          entity_type: entity.type,
          path: entity.path,
          name: entity.name,
          description: entity.description,
          tags: entity.tags,
          visibility: entity.visibility,
          owner: entity.owner ?? null,
          is_enabled: entity.is_enabled,
          status: entity.status,
          ...hit,
          metadata,
        });
    }
  }

  #server(server: McpServer, hit: object, metadata: Record<string, unknown> | null): ServerHit {
    const matching = this.#matchingTools(server);
    const room = toolLimit(this.#parts.plan.request.max_results) - this.#tools.length;
    for (const { tool, score, context } of matching.slice(0, Math.max(0, room))) {
      const toolHit = { relevance_score: score, similarity_score: null, match_context: context };
      this.#tools.push(this.#toolHit(server, tool, toolHit));
    }
    return {
      path: server.path,
      server_name: server.name,
      description: server.description,
      tags: server.tags,
      num_tools: server.tools.length,
      is_enabled: server.is_enabled,
      ...(hit as Pick<ServerHit, 'relevance_score' | 'similarity_score' | 'match_context'>),
      matching_tools: matching.map(({ tool, score, context }) => matchingTool(tool, score, context, null)),
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

  #virtualServer(server: VirtualServer, hit: object, metadata: Record<string, unknown> | null): VirtualServerHit {
    const backends = [...new Set(server.tool_mappings.map((mapping) => mapping.backend_server_path))];
    return {
      path: server.path,
      server_name: server.name,
      description: server.description,
      tags: server.tags,
      num_tools: server.tool_mappings.length,
      is_enabled: server.is_enabled,
      ...(hit as Pick<ServerHit, 'relevance_score' | 'similarity_score' | 'match_context'>),
      matching_tools: this.#matchingTools(server).map(({ tool, score, context }) =>
        matchingTool(tool, score, context, tool.inputSchema ?? null),
      ),
      endpoint_url: null,
      backend_count: backends.length,
      backend_paths: backends,
      status: server.status,
      metadata,
    };
  }

  /** Tools of a server that match the query, best first: found by a leg, or by the registry's own tool score. */
  #matchingTools(server: McpServer | VirtualServer): readonly ScoredTool[] {
    const shares = this.#parts.toolShares.get(`${server.type}:${server.path}` as EntityId);
    const scored: ScoredTool[] = [];
    for (const tool of toolsOf(server)) {
      const score = Math.max(toolScore(this.#tokens, tool), shares?.get(`tool:${tool.name}`) ?? 0);
      if (score > 0) scored.push({ tool, score, context: tool.description === '' ? null : tool.description });
    }
    return scored.sort((a, b) => b.score - a.score);
  }

  #toolHit(
    owner: Entity,
    tool: ListedTool,
    hit: Pick<ToolHit, 'relevance_score' | 'similarity_score' | 'match_context'>,
  ): ToolHit {
    const standalone = owner.type === 'tool';
    return {
      server_path: standalone ? (owner.server_path ?? '') : owner.path,
      server_name: standalone ? '' : owner.name,
      tool_name: tool.name,
      path: standalone ? owner.path : `${owner.path}#${tool.name}`,
      description: tool.description === '' ? null : tool.description,
      inputSchema: tool.inputSchema ?? null,
      ...hit,
      endpoint_url: owner.type === 'mcp_server' ? endpointOf(owner) : null,
    };
  }

  #metadata(entity: Entity): Record<string, unknown> | null {
    const { projection } = this.#parts;
    return projection === null ? null : project(entity.metadata, projection);
  }
}

interface ScoredTool {
  readonly tool: Pick<Tool, 'name' | 'description'> & { readonly inputSchema?: Record<string, unknown> };
  readonly score: number;
  readonly context: string | null;
}

function matchingTool(
  tool: ScoredTool['tool'],
  score: number,
  context: string | null,
  inputSchema: Record<string, unknown> | null,
): MatchingTool {
  const description = tool.description === '' ? null : tool.description;
  return { tool_name: tool.name, description, relevance_score: score, match_context: context, inputSchema };
}

/** Where a client connects: the endpoint the server names, else its address. Local servers have none. */
function endpointOf(server: McpServer): string | null {
  return server.deployment === 'local' ? null : (server.mcp_endpoint ?? server.url ?? null);
}
