import type { StoredEntity } from '../../engines/store.ts';
import { leaf } from '../../model/answer/explanation.ts';
import {
  GROUPS,
  type GroupName,
  type SearchMode,
  type SearchResponse,
  type SearchResult,
  type TotalName,
} from '../../model/answer/result.ts';
import type { Entity, EntityId, EntityType } from '../../model/entity.ts';
import type { ListedTool } from '../../model/entity-types/descriptor.ts';
import type { HitScores } from '../../model/entity-types/fields.ts';
import { descriptorOf, type HitOf } from '../../model/entity-types/table.ts';
import { type Projection, project } from '../../model/parse/projection.ts';
import type { QueryClass } from '../../model/query/query.ts';
import { toolLimit } from '../../model/query/tool-limit.ts';
import type { SearchPlan } from '../../search/plan/plan.ts';
import type { Candidate } from '../../search/ranking/candidates/candidate.ts';
import { countFacets } from '../../search/ranking/candidates/count-facets.ts';
import { matchingTools } from '../../search/ranking/matching-tools.ts';
import type { RankedPage } from '../../search/ranking/rank.ts';
import { isBoost } from '../../search/retrieval/retrieval.ts';
import { snippet } from '../../search/snippet.ts';
import { boostTokens } from '../../search/text/boost-tokens.ts';
import type { Drifted } from '../notes/drift.ts';
import { answerWarnings, changedWarning, type Instructions } from '../notes/instruction-note.ts';
import { healthOfNote, type LivenessState } from '../notes/liveness.ts';
import { contextText, toolNamed } from './entity-parts.ts';
import { hitOf, toolHit } from './hits.ts';
import { byScore, type FoundTool, ownToolsFirst } from './own-tools-first.ts';

export interface AnswerParts {
  readonly plan: SearchPlan;
  readonly mode: SearchMode;
  readonly queryClass: QueryClass;
  readonly ranked: RankedPage;
  readonly entities: ReadonlyMap<EntityId, StoredEntity>;
  readonly projection: Projection | null;
  readonly liveness: ReadonlyMap<EntityId, LivenessState>;
  readonly drifted: Drifted;
  readonly instructions: Instructions;
  readonly warnings: readonly string[];
}

type Groups = Pick<SearchResponse, GroupName>;
type Totals = Pick<SearchResponse, TotalName>;
/** The groups while the page is read. */
type FoundGroups = Omit<Groups, 'tools'> & { tools: FoundTool[] };

function emptyGroups(): FoundGroups {
  const groups: Partial<FoundGroups> = {};
  for (const { name } of GROUPS) groups[name] = [];
  return groups as FoundGroups;
}

function totalsOf(groups: FoundGroups): Totals {
  const totals: Partial<Totals> = {};
  for (const { name, total } of GROUPS) totals[total] = groups[name].length;
  return totals as Totals;
}

/** Builds the answer of a search from the ranked page: the flat list and the registry's groups. */
export function buildAnswer(parts: AnswerParts): SearchResponse {
  const { plan, ranked } = parts;
  const { facets } = plan.request;
  const tokens = boostTokens(plan.text);
  const groups = emptyGroups();
  const results: SearchResult[] = [];
  const shown = ranked.noMatch ? ranked.nearest : ranked.page;
  /** Where the tools of each window begin. */
  const toolStarts: number[] = [];
  for (let at = 0; at < shown.length; at++) {
    const candidate = shown[at]!;
    if (startsWindow(plan, at)) toolStarts.push(groups.tools.length);
    const found = parts.entities.get(candidate.entity);
    if (found === undefined) continue;
    const result = resultOf(candidate, found.entity, parts, tokens);
    if (plan.toolsOfServers && candidate.type === 'mcp_server') {
      addTools(groups, results, candidate, found.entity, result, parts, tokens);
      continue;
    }
    results.push(result);
    if (!ranked.noMatch) addToGroup(groups, candidate, found.entity, result, parts, tokens);
  }
  const windows = toolStarts.map((from, at) => groups.tools.slice(from, toolStarts[at + 1]));
  groups.tools = ownToolsFirst(windows, namedServers(parts));
  if (plan.toolsOfServers)
    cutTools(groups, results, Math.min(plan.request.max_results, plan.preset.maxTools ?? Infinity));
  else if (!plan.toolsAsResults) groups.tools.length = Math.min(groups.tools.length, maxTools(plan));
  const answer: SearchResponse = {
    query: plan.query,
    search_mode: parts.mode,
    preset: plan.preset.name,
    query_class: parts.queryClass,
    no_match: ranked.noMatch,
    results: ranked.noMatch ? [] : results,
    ...groups,
    tools: hitsOfTools(groups.tools),
    ...totalsOf(groups),
    total_candidates: ranked.matched.length,
    warnings: plan.warnings.concat(parts.warnings, driftWarnings(results), instructionWarnings(shown, parts)),
  };
  if (ranked.noMatch) answer.nearest = results;
  if (facets !== undefined) answer.facets = countFacets(ranked.matched, facets);
  return answer;
}

const NONE: ReadonlySet<string> = new Set();

/** Whether a window of results begins at this place of the page. A page that starts within a window has the rest of it. */
function startsWindow({ request: { offset = 0 }, preset: { window } }: SearchPlan, at: number): boolean {
  return at === 0 || (window !== null && (offset + at) % window === 0);
}

/** The paths of servers with tools on this page whose name is the query. In the registry's presets, a name changes nothing. */
function namedServers({ ranked, entities, plan }: AnswerParts): ReadonlySet<string> {
  if (plan.toolsAsResults || isBoost(plan.preset.keyword.scorer)) return NONE;
  const paths = new Set<string>();
  for (const candidate of ranked.page) {
    const found = entities.get(candidate.entity)?.entity;
    if (found?.type !== 'mcp_server' || found.tools.length === 0) continue;
    if (isNamed(candidate, found, ranked, plan)) paths.add(found.path);
  }
  return paths;
}

/** The ranking compares names of words only: a code such as `E2B` is an identifier to it. */
function isNamed({ key }: Candidate, { name }: Entity, { named }: RankedPage, { text }: SearchPlan): boolean {
  return named.has(key) || (name.length === text.length && name.toLowerCase() === text.toLowerCase());
}

function driftWarnings(results: readonly SearchResult[]): string[] {
  const paths: string[] = [];
  for (let at = 0; at < results.length; at++) if (results[at]!.drifted) paths.push(results[at]!.path);
  return paths.length === 0 ? paths : [changedWarning(paths)];
}

function instructionWarnings(shown: readonly Candidate[], { instructions, entities }: AnswerParts): string[] {
  if (instructions.size === 0) return [];
  const ids = new Set(shown.map(({ entity }) => entity));
  const found = [...ids].flatMap((id) => (instructions.has(id) ? (entities.get(id)?.entity ?? []) : []));
  return answerWarnings(found, instructions);
}

function maxTools({ preset, request }: SearchPlan): number {
  return preset.maxTools ?? toolLimit(request.max_results);
}

function resultOf(
  candidate: Candidate,
  entity: Entity,
  { plan, ranked, liveness, drifted }: AnswerParts,
  tokens: readonly string[],
): SearchResult {
  const { found } = candidate.best;
  const { kind, title } = found;
  const key = found.unit.slice(found.entity.length + 1);
  const context = contextText(entity, { key, kind, title });
  const isTool = candidate.type === 'tool' && entity.type !== 'tool';
  const changes = drifted.get(candidate.entity);
  const result: SearchResult = {
    entity_type: candidate.type,
    path: isTool ? `${entity.path}#${title}` : entity.path,
    name: isTool ? title : entity.name,
    description: isTool ? context : entity.description,
    tags: entity.tags,
    relevance_score: candidate.score,
    similarity_score: found.similarity(),
    confidence: ranked.confidence(candidate),
    // Not `slice`: it takes 20 times as long for a frozen array.
    matched_fields: plan.text === '' ? [] : [...found.matchedFields()],
    match_context: context === '' ? null : snippet(context, tokens),
    health_status: healthOfNote(liveness.get(candidate.entity)),
    drifted: isTool ? changes?.has(title) === true : changes !== undefined,
    matched_unit: { kind, key, title },
  };
  if (isTool) {
    result.server_path = entity.path;
    result.tool_name = title;
  }
  if (entity.status !== 'active') result.status = entity.status;
  if (candidate.explain !== undefined) result.explanation = candidate.explain();
  return result;
}

/** Adds the matching tools of a server, in place of the server. */
function addTools(
  groups: FoundGroups,
  results: SearchResult[],
  candidate: Candidate,
  entity: Entity,
  server: SearchResult,
  { ranked }: AnswerParts,
  tokens: readonly string[],
): void {
  const tools = descriptorOf(entity).tools?.list(entity) ?? [];
  const { isMatch } = ranked;
  const query = { registryRule: true, tokens, named: false, namesOther: false, limit: tools.length, isMatch };
  for (const { tool, score } of matchingTools(candidate, { name: entity.name, path: entity.path, tools }, query)) {
    groups.tools.push({ owner: entity, tool, result: server, score });
    results.push({
      ...server,
      ...ownScores(tool, score, server),
      entity_type: 'tool',
      path: `${entity.path}#${tool.name}`,
      name: tool.name,
      description: tool.description,
      matched_unit: { kind: 'tool', key: `tool:${tool.name}`, title: tool.name },
      server_path: entity.path,
      tool_name: tool.name,
      ...(server.explanation === undefined ? {} : { explanation: leaf('words of the tool', score) }),
    });
  }
}

/** Best first, no more than were asked for. */
function cutTools(groups: FoundGroups, results: SearchResult[], most: number): void {
  results.sort((a, b) => b.relevance_score - a.relevance_score).splice(most);
  groups.tools.sort(byScore).splice(most);
}

function hitsOfTools(tools: readonly FoundTool[]): HitOf<'tool'>[] {
  const hits: HitOf<'tool'>[] = [];
  for (const { owner, tool, result, score } of tools) {
    const isResult = result.entity_type === 'tool';
    hits.push(toolHit(owner, tool, isResult ? scoresOf(result, score) : ownScores(tool, score, result)));
  }
  return hits;
}

/** A tool that is shown because its server was found: what is said of the server holds, but not where it matched. */
function ownScores(tool: ListedTool, score: number, { confidence, matched_fields }: SearchResult): HitScores {
  const match_context = tool.description === '' ? null : tool.description;
  return { relevance_score: score, similarity_score: null, confidence, matched_fields, match_context };
}

/** The scores of a result alone, to be spread into its hit. */
function scoresOf(result: SearchResult, relevance_score = result.relevance_score): HitScores {
  const { similarity_score, confidence, matched_fields, match_context } = result;
  return { relevance_score, similarity_score, confidence, matched_fields, match_context };
}

function addToGroup(
  groups: FoundGroups,
  candidate: Candidate,
  entity: Entity,
  result: SearchResult,
  parts: AnswerParts,
  tokens: readonly string[],
): void {
  const { tool_name, relevance_score } = result;
  const { group, tools: lister } = descriptorOf(entity);
  const listed = lister?.list(entity) ?? [];
  if (tool_name !== undefined) {
    const tool = toolNamed(listed, tool_name) ?? { name: tool_name, description: result.description };
    groups.tools.push({ owner: entity, tool, result, score: relevance_score });
    return;
  }
  const { preset } = parts.plan;
  const registryRule = isBoost(preset.keyword.scorer);
  const limit = maxTools(parts.plan);
  const named = isNamed(candidate, entity, parts.ranked, parts.plan);
  const { isMatch, named: all } = parts.ranked;
  if (entity.type === 'tool') {
    // The list of tools has one line for all: that of the tools of servers.
    const isListed = named || all.size === 0 || registryRule || isMatch(candidate, candidate.best);
    if (isListed) groups.tools.push({ owner: entity, tool: entity, result, score: relevance_score });
    return;
  }
  const query = { registryRule, tokens, named, namesOther: all.size > 0 && !named, limit, isMatch };
  const tools =
    lister === null ? [] : matchingTools(candidate, { name: entity.name, path: entity.path, tools: listed }, query);
  const metadata = parts.projection === null ? null : project(entity.metadata, parts.projection);
  const hit = hitOf(entity, { scores: scoresOf(result), health: result.health_status, metadata, tools });
  (groups[group as GroupName] as HitOf<EntityType>[]).push(hit);
  if (lister?.areHits !== true) return;
  // The registry fills its list server by server. Any other ranking compares the tools of all servers.
  const room = registryRule ? Math.max(0, limit - groups.tools.length) : limit;
  for (let at = 0; at < tools.length && at < room; at++) {
    const { tool, score } = tools[at]!;
    groups.tools.push({ owner: entity, tool, result, score });
  }
}
