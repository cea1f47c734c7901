import type { StoredEntity } from '../engines/engine.ts';
import { type Entity, type EntityId, idOf } from '../model/entity.ts';
import { type Projection, project } from '../model/projection.ts';
import type { SearchMode, SearchResponse, SearchResult } from '../model/result.ts';
import { toolKey, type UnitKind } from '../model/unit.ts';
import { unitsOf } from '../model/units-of.ts';
import type { Candidate } from '../search/candidate.ts';
import { toolLimit } from '../search/distribute/distribute.ts';
import { toolScore } from '../search/keyword/tool-score.ts';
import type { SearchPlan } from '../search/plan.ts';
import type { UnitHit } from '../search/ranked-list.ts';
import { snippet } from '../search/snippet.ts';
import { boostTokens } from '../search/text/boost-tokens.ts';
import {
  type AgentHit,
  agentHit,
  type HitScores,
  type ListedTool,
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
  /** For each entity, how well its units were found by the legs themselves: unit key to a share in [0, 1]. */
  readonly unitShares: ReadonlyMap<EntityId, ReadonlyMap<string, number>>;
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
    const result = resultOf(candidate, entity, parts, tokens);
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

/** A part says more about why an entity was found than its card does, unless the card was found much better. */
const PART_BEFORE_CARD = 0.7;

/** The part of an entity to show: what both legs together found best. */
function shownUnit(
  candidate: Candidate,
  entity: Entity,
  { unitShares }: AnswerParts,
): Pick<UnitHit, 'kind' | 'title'> & { key: string } {
  const { hit } = (candidate.keyword ?? candidate.vector)!;
  const keyOf = (unit: UnitHit) => unit.unit.slice(unit.entity.length + 1);
  if (candidate.key === hit.unit) return { kind: hit.kind, title: hit.title, key: keyOf(hit) };
  let best = '';
  let bestShare = -1;
  for (const [key, share] of unitShares.get(candidate.entity) ?? []) {
    const weighted = key === 'card' ? share * PART_BEFORE_CARD : share;
    if (weighted > bestShare) {
      best = key;
      bestShare = weighted;
    }
  }
  for (const { hit: found } of [candidate.keyword, candidate.vector].filter((leg) => leg !== undefined)) {
    if (best === '' || keyOf(found) === best) return { kind: found.kind, title: found.title, key: keyOf(found) };
  }
  const unit = partsOf(entity).get(best);
  return { kind: unit?.kind ?? 'card', title: unit?.title ?? entity.name, key: best };
}

function resultOf(candidate: Candidate, entity: Entity, parts: AnswerParts, tokens: readonly string[]): SearchResult {
  const unit = shownUnit(candidate, entity, parts);
  const { key } = unit;
  const context = contextText(entity, key, unit.kind);
  const isTool = candidate.type === 'tool' && entity.type !== 'tool';
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
    ...(candidate.explain === undefined ? {} : { explanation: candidate.explain() }),
  };
}

interface Part {
  readonly kind: UnitKind;
  readonly title: string;
  readonly text: string;
}

/** An entity's parts with their texts, made once: a long document has thousands. */
const PARTS = new WeakMap<Entity, ReadonlyMap<string, Part>>();

function partsOf(entity: Entity): ReadonlyMap<string, Part> {
  let parts = PARTS.get(entity);
  if (parts === undefined) {
    parts = new Map(
      unitsOf(entity).map(({ key, kind, title, fields }) => [
        key,
        { kind, title, text: fields.body ?? fields.description ?? '' },
      ]),
    );
    PARTS.set(entity, parts);
  }
  return parts;
}

/** The text of the part that was found, for showing; '' when the part has none. */
function contextText(entity: Entity, key: string, kind: UnitKind): string {
  if (kind === 'card') return entity.type === 'memory' ? entity.content : entity.description;
  if (kind === 'tool') {
    const known = knownTools(entity).find((tool) => tool.key === key);
    if (known !== undefined) return known.tool.description;
  }
  return partsOf(entity).get(key)?.text ?? '';
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

interface KnownTool {
  readonly key: string;
  readonly tool: ListedTool;
  readonly lowered: ListedTool;
}

/** Tools with their keys and lower-case texts, made once for each stored entity: stored entities never change. */
const KNOWN_TOOLS = new WeakMap<Entity, readonly KnownTool[]>();

function knownTools(server: Entity): readonly KnownTool[] {
  let tools = KNOWN_TOOLS.get(server);
  if (tools === undefined) {
    tools = toolsOf(server).map((tool) => ({
      key: toolKey(tool.name),
      tool,
      lowered: { name: tool.name.toLowerCase(), description: tool.description.toLowerCase() },
    }));
    KNOWN_TOOLS.set(server, tools);
  }
  return tools;
}

/**
 * Tools of a server that match the query, best first: those that the legs found. Where they found only the server, and in
 * the registry's own presets always, the registry's tool score decides.
 */
function matchingTools(server: Entity, parts: AnswerParts, tokens: readonly string[]): readonly ScoredTool[] {
  const found = parts.plan.preset.keyword.scorer === 'boost' ? [] : foundTools(server, parts);
  const scored = found.length > 0 ? found : scoredTools(server, tokens);
  return scored.sort((a, b) => b.score - a.score);
}

function foundTools(server: Entity, { unitShares }: AnswerParts): ScoredTool[] {
  const shares = unitShares.get(idOf(server));
  if (shares === undefined || (shares.size === 1 && shares.has('card'))) return [];
  const found: ScoredTool[] = [];
  for (const { key, tool } of knownTools(server)) {
    const score = shares.get(key);
    if (score !== undefined) found.push({ tool, score });
  }
  return found;
}

function scoredTools(server: Entity, tokens: readonly string[]): ScoredTool[] {
  const scored: ScoredTool[] = [];
  for (const { tool, lowered } of knownTools(server)) {
    const score = toolScore(tokens, lowered);
    if (score > 0) scored.push({ tool, score });
  }
  return scored;
}
