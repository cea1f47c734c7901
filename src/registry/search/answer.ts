import type { InputSchema, ShownEntity } from '../../engines/engine.ts';
import type { Entity, EntityId, Tool } from '../../model/entity.ts';
import { type Projection, project } from '../../model/projection.ts';
import type { QueryClass } from '../../model/query.ts';
import type { FacetCounts, SearchMode, SearchResponse, SearchResult } from '../../model/result.ts';
import type { UnitId } from '../../model/unit.ts';
import type { SearchPlan } from '../../search/plan.ts';
import type { Candidate } from '../../search/ranking/candidate.ts';
import { toolLimit } from '../../search/ranking/distribute/distribute.ts';
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
import { matchingTools } from './matching-tools.ts';
import type { ShownUnit } from './shown-unit.ts';
import type { UnitShares } from './unit-shares.ts';

export interface AnswerParts {
  readonly plan: SearchPlan;
  readonly mode: SearchMode;
  readonly queryClass: QueryClass;
  readonly ranked: RankedPage;
  /** The part to show of each result, in their order: those of the page, or of what is nearest where nothing matches. */
  readonly units: readonly ShownUnit[];
  /** The fields of those parts that have words of the query. */
  readonly fields: ReadonlyMap<UnitId, readonly string[]>;
  readonly facets: FacetCounts | undefined;
  readonly entities: ReadonlyMap<EntityId, ShownEntity>;
  readonly projection: Projection | null;
  readonly unitShares: UnitShares;
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
  const { plan, ranked, facets } = parts;
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
    const result = resultOf(candidate, found.entity, parts.units[at]!, parts, tokens);
    results.push(result);
    if (!ranked.noMatch) addToGroup(groups, found, result, parts, tokens);
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
  if (facets !== undefined) answer.facets = facets;
  return answer;
}

const HEALTH = { alive: 'healthy', dead: 'unhealthy' } as const;

function resultOf(
  candidate: Candidate,
  entity: Entity,
  unit: ShownUnit,
  { fields, liveness }: AnswerParts,
  tokens: readonly string[],
): SearchResult {
  const { key } = unit;
  const context = contextText(entity, unit);
  const isTool = candidate.type === 'tool' && entity.type !== 'tool';
  const state = liveness.get(candidate.entity);
  const result: SearchResult = {
    entity_type: candidate.type,
    path: isTool ? `${entity.path}#${unit.title}` : entity.path,
    name: isTool ? unit.title : entity.name,
    description: isTool ? context : entity.description,
    tags: entity.tags,
    relevance_score: candidate.score,
    similarity_score: candidate.vector?.unitScore ?? null,
    confidence: candidate.confidence,
    matched_fields: fields.get(unit.id)?.slice() ?? [],
    match_context: context === '' ? null : snippet(context, tokens),
    health_status: state === undefined ? 'unknown' : HEALTH[state],
    matched_unit: { kind: unit.kind, key, title: unit.title },
  };
  if (isTool) {
    result.server_path = entity.path;
    result.tool_name = unit.title;
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
  found: ShownEntity,
  result: SearchResult,
  parts: AnswerParts,
  tokens: readonly string[],
): void {
  const { id, entity } = found;
  const { tool_name } = result;
  const metadata = parts.projection === null ? null : project(entity.metadata, parts.projection);
  if (tool_name !== undefined) {
    const tool = toolsOf(entity).find((listed) => listed.name === tool_name);
    const schema = tool === undefined ? undefined : schemaOf(found, tool);
    groups.tools.push(toolHit(entity, tool ?? { name: tool_name, description: result.description }, schema, result));
    return;
  }
  switch (entity.type) {
    case 'mcp_server': {
      const matching = matchingTools(id, entity, parts, tokens);
      groups.servers.push(serverHit(entity, result, matching, metadata));
      const room = Math.max(0, toolLimit(parts.plan.request.max_results) - groups.tools.length);
      for (const { tool, score } of matching.slice(0, room))
        groups.tools.push(toolHit(entity, tool, schemaOf(found, tool), ownScores(tool, score, result)));
      break;
    }
    case 'virtual_server':
      groups.virtual_servers.push(virtualServerHit(entity, result, matchingTools(id, entity, parts, tokens), metadata));
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

/** `tool` is one of the entity's own. */
function schemaOf(found: ShownEntity, tool: ListedTool): InputSchema | undefined {
  const { entity } = found;
  if (entity.type !== 'mcp_server') return tool.inputSchema;
  return found.inputSchema(entity.tools.indexOf(tool as Tool));
}
