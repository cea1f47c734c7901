import type { StoredEntity } from '../../engines/store.ts';
import type { Entity, EntityId } from '../../model/entity.ts';
import { type Projection, project } from '../../model/projection.ts';
import type { QueryClass } from '../../model/query.ts';
import type { SearchMode, SearchResponse, SearchResult } from '../../model/result.ts';
import type { SearchPlan } from '../../search/plan.ts';
import type { Candidate } from '../../search/ranking/candidate.ts';
import { countFacets } from '../../search/ranking/count-facets.ts';
import { toolLimit } from '../../search/ranking/distribute/distribute.ts';
import { matchingTools, type ScoredTool } from '../../search/ranking/matching-tools.ts';
import type { RankedPage } from '../../search/ranking/rank.ts';
import { snippet } from '../../search/snippet.ts';
import { boostTokens } from '../../search/text/boost-tokens.ts';
import type { LivenessState } from '../provenance/liveness.ts';
import { contextText } from './entity-parts.ts';
import {
  type AgentHit,
  agentHit,
  type HitScores,
  type ListedTool,
  type OtherHit,
  otherHit,
  type ServerHit,
  type SkillHit,
  serverHit,
  skillHit,
  standaloneToolHit,
  type ToolHit,
  toolHit,
  toolsOf,
  type VirtualServerHit,
  virtualServerHit,
} from './hits.ts';

export interface AnswerParts {
  readonly plan: SearchPlan;
  readonly mode: SearchMode;
  readonly queryClass: QueryClass;
  readonly ranked: RankedPage;
  readonly entities: ReadonlyMap<EntityId, StoredEntity>;
  readonly projection: Projection | null;
  readonly liveness: ReadonlyMap<EntityId, LivenessState>;
  readonly warnings: readonly string[];
}

interface Groups {
  readonly servers: ServerHit[];
  readonly tools: ToolHit[];
  readonly agents: AgentHit[];
  readonly skills: SkillHit[];
  readonly virtual_servers: VirtualServerHit[];
  readonly packages: OtherHit[];
  readonly memories: OtherHit[];
  readonly documents: OtherHit[];
}

/** Builds the answer of a search from the ranked page: the flat list and the registry's groups. */
export function buildAnswer(parts: AnswerParts): SearchResponse {
  const { plan, ranked } = parts;
  const { facets } = plan.request;
  const tokens = boostTokens(plan.text);
  const groups: Groups = {
    servers: [],
    tools: [],
    agents: [],
    skills: [],
    virtual_servers: [],
    packages: [],
    memories: [],
    documents: [],
  };
  const results: SearchResult[] = [];
  const shown = ranked.noMatch ? ranked.nearest : ranked.page;
  for (let at = 0; at < shown.length; at++) {
    const candidate = shown[at]!;
    const found = parts.entities.get(candidate.entity);
    if (found === undefined) continue;
    const result = resultOf(candidate, found.entity, parts, tokens);
    results.push(result);
    if (!ranked.noMatch) addToGroup(groups, candidate, found.entity, result, parts, tokens);
  }
  groups.tools.sort((a, b) => b.relevance_score - a.relevance_score);
  const answer: SearchResponse = {
    query: plan.query,
    search_mode: parts.mode,
    preset: plan.preset.name,
    query_class: parts.queryClass,
    no_match: ranked.noMatch,
    results: ranked.noMatch ? [] : results,
    servers: groups.servers,
    tools: groups.tools,
    agents: groups.agents,
    skills: groups.skills,
    virtual_servers: groups.virtual_servers,
    packages: groups.packages,
    memories: groups.memories,
    documents: groups.documents,
    custom: [],
    total_servers: groups.servers.length,
    total_tools: groups.tools.length,
    total_agents: groups.agents.length,
    total_skills: groups.skills.length,
    total_virtual_servers: groups.virtual_servers.length,
    total_packages: groups.packages.length,
    total_memories: groups.memories.length,
    total_documents: groups.documents.length,
    total_custom: 0,
    total_candidates: ranked.matched.length,
    warnings: plan.warnings.concat(parts.warnings),
  };
  if (ranked.noMatch) answer.nearest = results;
  if (facets !== undefined) answer.facets = countFacets(ranked.matched, facets);
  return answer;
}

const HEALTH = { alive: 'healthy', dead: 'unhealthy' } as const;

function resultOf(
  candidate: Candidate,
  entity: Entity,
  { plan, liveness }: AnswerParts,
  tokens: readonly string[],
): SearchResult {
  const { found } = candidate.best;
  const { kind, title } = found;
  const key = found.unit.slice(found.entity.length + 1);
  const context = contextText(entity, { key, kind, title });
  const isTool = candidate.type === 'tool' && entity.type !== 'tool';
  const state = liveness.get(candidate.entity);
  const result: SearchResult = {
    entity_type: candidate.type,
    path: isTool ? `${entity.path}#${title}` : entity.path,
    name: isTool ? title : entity.name,
    description: isTool ? context : entity.description,
    tags: entity.tags,
    relevance_score: candidate.score,
    similarity_score: found.vector,
    confidence: candidate.confidence,
    matched_fields: plan.text === '' ? [] : found.matchedFields().slice(),
    match_context: context === '' ? null : snippet(context, tokens),
    health_status: state === undefined ? 'unknown' : HEALTH[state],
    matched_unit: { kind, key, title },
  };
  if (isTool) {
    result.server_path = entity.path;
    result.tool_name = title;
  }
  if (candidate.explain !== undefined) result.explanation = candidate.explain();
  return result;
}

/** A tool that is shown because its server was found: what is said of the server holds, but not where it matched. */
function ownScores(tool: ListedTool, score: number, { confidence, matched_fields }: SearchResult): HitScores {
  const match_context = tool.description === '' ? null : tool.description;
  return { relevance_score: score, similarity_score: null, confidence, matched_fields, match_context };
}

function addToGroup(
  groups: Groups,
  candidate: Candidate,
  entity: Entity,
  result: SearchResult,
  parts: AnswerParts,
  tokens: readonly string[],
): void {
  const { tool_name } = result;
  const metadata = parts.projection === null ? null : project(entity.metadata, parts.projection);
  if (tool_name !== undefined) {
    const tool = toolsOf(entity).find((listed) => listed.name === tool_name);
    groups.tools.push(toolHit(entity, tool ?? { name: tool_name, description: result.description }, result));
    return;
  }
  const { preset, request } = parts.plan;
  const matching = (): readonly ScoredTool<ListedTool>[] =>
    matchingTools(
      candidate,
      { name: entity.name, path: entity.path, tools: toolsOf(entity) },
      { literal: preset.keyword.scorer === 'boost', tokens },
    );
  switch (entity.type) {
    case 'mcp_server': {
      const tools = matching();
      groups.servers.push(serverHit(entity, result, tools, metadata));
      const room = Math.max(0, toolLimit(request.max_results) - groups.tools.length);
      for (const { tool, score } of tools.slice(0, room))
        groups.tools.push(toolHit(entity, tool, ownScores(tool, score, result)));
      break;
    }
    case 'virtual_server':
      groups.virtual_servers.push(virtualServerHit(entity, result, matching(), metadata));
      break;
    case 'tool':
      groups.tools.push(standaloneToolHit(entity, result));
      break;
    case 'a2a_agent':
      groups.agents.push(agentHit(entity, result, metadata));
      break;
    case 'skill':
      groups.skills.push(skillHit(entity, result, metadata, result.health_status));
      break;
    case 'package':
      groups.packages.push(otherHit(entity, result, metadata));
      break;
    case 'memory':
      groups.memories.push(otherHit(entity, result, metadata));
      break;
    case 'document':
      groups.documents.push(otherHit(entity, result, metadata));
  }
}
