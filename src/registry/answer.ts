import type { StoredEntity } from '../engines/engine.ts';
import { type Entity, type EntityId, idOf } from '../model/entity.ts';
import { type Projection, project } from '../model/projection.ts';
import type { SearchMode, SearchResponse, SearchResult } from '../model/result.ts';
import type { UnitKind } from '../model/unit.ts';
import { unitsOf } from '../model/units-of.ts';
import { bestUnit, type Candidate } from '../search/candidate.ts';
import { toolLimit } from '../search/distribute/distribute.ts';
import { toolScore } from '../search/keyword/tool-score.ts';
import type { SearchPlan } from '../search/plan.ts';
import { snippet } from '../search/snippet.ts';
import { boostTokens } from '../search/text/boost-tokens.ts';
import {
  type AgentHit,
  agentHit,
  type HitScores,
  type OtherHit,
  otherHit,
  type ScoredTool,
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
  readonly candidates: readonly Candidate[];
  readonly stored: ReadonlyMap<EntityId, StoredEntity>;
  readonly projection: Projection | null;
  /** For each entity, how well its tools were found by the legs themselves: unit key to a share in [0, 1]. */
  readonly toolShares: ReadonlyMap<EntityId, ReadonlyMap<string, number>>;
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
  const { plan, candidates, stored } = parts;
  const tokens = boostTokens(plan.text);
  const results: SearchResult[] = [];
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
  for (const candidate of candidates) {
    const entity = stored.get(candidate.entity)?.entity;
    if (entity === undefined) continue;
    const result = resultOf(candidate, entity, tokens);
    results.push(result);
    addToGroup(groups, entity, result, parts, tokens);
  }
  return {
    query: plan.query,
    search_mode: parts.mode,
    preset: plan.preset.name,
    results,
    ...groups,
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
    warnings: [...plan.warnings, ...parts.warnings],
  };
}

function resultOf(candidate: Candidate, entity: Entity, tokens: readonly string[]): SearchResult {
  const unit = bestUnit(candidate);
  const key = unit.unit.slice(unit.entity.length + 1);
  const context = contextText(entity, key, unit.kind);
  const isTool = candidate.key === unit.unit;
  return {
    entity_type: candidate.type,
    path: isTool ? `${entity.path}#${unit.title}` : entity.path,
    name: isTool ? unit.title : entity.name,
    description: isTool ? context : entity.description,
    tags: entity.tags,
    relevance_score: candidate.score,
    similarity_score: candidate.vector?.hit.score ?? null,
    match_context: context === '' ? null : snippet(context, tokens),
    matched_unit: { kind: unit.kind, key, title: unit.title },
    ...(isTool ? { server_path: entity.path, tool_name: unit.title } : {}),
    ...(candidate.explanation === undefined ? {} : { explanation: candidate.explanation }),
  };
}

/** The text of the part that was found, for showing; '' when the part has none. */
function contextText(entity: Entity, key: string, kind: UnitKind): string {
  if (kind === 'card') return entity.type === 'memory' ? entity.content : entity.description;
  if (kind === 'tool') {
    const tool = toolsOf(entity).find((listed) => `tool:${listed.name}` === key);
    if (tool !== undefined) return tool.description;
  }
  const unit = unitsOf(entity).find((candidate) => candidate.key === key);
  return unit?.fields.body ?? unit?.fields.description ?? '';
}

function addToGroup(
  groups: Groups,
  entity: Entity,
  result: SearchResult,
  parts: AnswerParts,
  tokens: readonly string[],
): void {
  const { relevance_score, similarity_score, match_context, tool_name } = result;
  const scores: HitScores = { relevance_score, similarity_score, match_context };
  const metadata = parts.projection === null ? null : project(entity.metadata, parts.projection);
  if (tool_name !== undefined) {
    const tool = toolsOf(entity).find((listed) => listed.name === tool_name);
    groups.tools.push(toolHit(entity, tool ?? { name: tool_name, description: result.description }, scores));
    return;
  }
  switch (entity.type) {
    case 'mcp_server': {
      const matching = matchingTools(entity, parts, tokens);
      groups.servers.push(serverHit(entity, scores, matching, metadata));
      const room = Math.max(0, toolLimit(parts.plan.request.max_results) - groups.tools.length);
      for (const { tool, score } of matching.slice(0, room)) {
        const context = tool.description === '' ? null : tool.description;
        const own = { relevance_score: score, similarity_score: null, match_context: context };
        groups.tools.push(toolHit(entity, tool, own));
      }
      break;
    }
    case 'virtual_server':
      groups.virtual_servers.push(virtualServerHit(entity, scores, matchingTools(entity, parts, tokens), metadata));
      break;
    case 'tool':
      groups.tools.push(standaloneToolHit(entity, scores));
      break;
    case 'a2a_agent':
      groups.agents.push(agentHit(entity, scores, metadata));
      break;
    case 'skill':
      groups.skills.push(skillHit(entity, scores, metadata));
      break;
    case 'package':
      groups.packages.push(otherHit(entity, scores, metadata));
      break;
    case 'memory':
      groups.memories.push(otherHit(entity, scores, metadata));
      break;
    case 'document':
      groups.documents.push(otherHit(entity, scores, metadata));
  }
}

/** Tools of a server that match the query, best first: found by a leg, or by the registry's own tool score. */
function matchingTools(server: Entity, parts: AnswerParts, tokens: readonly string[]): readonly ScoredTool[] {
  const shares = parts.toolShares.get(idOf(server));
  const scored: ScoredTool[] = [];
  for (const tool of toolsOf(server)) {
    const score = Math.max(toolScore(tokens, tool), shares?.get(`tool:${tool.name}`) ?? 0);
    if (score > 0) scored.push({ tool, score });
  }
  return scored.sort((a, b) => b.score - a.score);
}
