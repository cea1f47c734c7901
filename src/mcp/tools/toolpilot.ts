import { z } from 'zod';
import { facetFilterSchema } from '../../model/entity-parts/facets.ts';
import { stated } from '../../model/json/json-object.ts';
import { showValue } from '../../model/parse/parse.ts';
import { MAX_QUERY_CHARS } from '../../model/query/query.ts';
import { OUTCOMES } from '../../registry/contract/outcome-schemas.ts';
import type { Option, Recommendation } from '../../registry/contract/recommend-schemas.ts';
import type { CompatibilityReport } from '../../registry/contract/stack-schemas.ts';
import { defineTool, type McpTool, type ToolAnswer } from '../catalog/mcp-tool.ts';
import { recommendationLines } from './recommend.ts';

/** ToolPilot's own tools, with the arguments and answers of its documentation and of its code. */

const output = z.object({ ok: z.boolean(), data: z.record(z.string(), z.unknown()) });
type Answer = ToolAnswer<z.output<typeof output>>;

const answered = (data: Record<string, unknown>, text: string): Answer => ({ structured: { ok: true, data }, text });
const asJson = (data: Record<string, unknown>): Answer => answered(data, JSON.stringify(data));

const query = z.string().min(1).max(MAX_QUERY_CHARS);
const name = z.string().min(1).max(1100).describe('A path or an id.');
const version = z.string().min(1).max(128).optional();
const facets = facetFilterSchema.shape;

/** Below this maintenance, and this long after the last commit, ToolPilot warns that a tool may be left alone. */
const LOW_MAINTENANCE = 0.2;
const STALE_MS = 180 * 86_400_000;

/** Whether its publisher or its health says that it should not be used any more. */
function deprecationOf({ status, status_message, health }: Option, lastCommit: string | null): string | null {
  if (status === 'deprecated') return `Deprecated by its publisher${status_message ? `: ${status_message}` : '.'}`;
  const { maintenance = 1 } = health ?? {};
  const isStale = lastCommit !== null && Date.now() - Date.parse(lastCommit) > STALE_MS;
  const reasons = [
    ...(maintenance < LOW_MAINTENANCE ? [`its maintenance is ${Math.round(maintenance * 100)} %`] : []),
    ...(isStale ? [`the last commit was on ${lastCommit.slice(0, 10)}`] : []),
  ];
  return reasons.length === 0
    ? null
    : `Perhaps nobody maintains it: ${reasons.join(', ')}. Compare it with alternatives.`;
}

/** Links, health and warnings in the fields of ToolPilot. What is not known is null. */
function aboutOption(option: Option) {
  const { repository, homepage, documentation: docs = {}, health = {} } = option;
  const isOnGitHub = repository !== undefined && /^https?:\/\/(?:www\.)?github\.com\//i.test(repository);
  const { maintenance, stars = null, last_commit_date } = health;
  const lastCommit = typeof last_commit_date === 'string' ? last_commit_date : null;
  return {
    github_url: isOnGitHub ? repository : null,
    docs: {
      readme: docs.readme ?? (isOnGitHub ? `${repository}#readme` : null),
      official: docs.official ?? homepage ?? (isOnGitHub ? null : (repository ?? null)),
      api: docs.api ?? null,
      changelog: docs.changelog ?? null,
    },
    health: {
      ...health,
      stars,
      maintenance_score: maintenance === undefined ? null : Math.round(maintenance * 100) / 100,
      last_commit_date: lastCommit,
    },
    deprecation_warning: deprecationOf(option, lastCommit),
  };
}

function toResult(option: Option) {
  const { name, path, entity_type, fit_score, description, stability, reasons, facets } = option;
  return {
    tool: path,
    display_name: name,
    kind: entity_type,
    type: stability,
    description,
    category: facets.category?.[0],
    language: facets.language?.[0],
    license: facets.license?.[0],
    fit_score: Math.round(fit_score * 100) / 100,
    reason: reasons.join('; '),
    ...aboutOption(option),
  };
}

/** The stages of ToolPilot are one search here, so the whole time is that of the first. */
async function timed(ask: () => Promise<Recommendation>): Promise<Answer> {
  const started = performance.now();
  const answer = await ask();
  const total_ms = Math.round(performance.now() - started);
  return fromRecommendation(answer, { stage1_ms: total_ms, stage2_ms: 0, stage3_ms: 0, stage4_ms: 0, total_ms });
}

function fromRecommendation(answer: Recommendation, timing: Readonly<Record<string, number>>): Answer {
  const { query_id, status, is_two_option, questions, candidate_count, relaxed, no_match, warnings } = answer;
  const results = answer.recommendations.map(toResult);
  const [recommendation = null] = results;
  const data = {
    query_id,
    status,
    stage: status === 'complete' ? 4 : 1,
    type: status === 'complete' ? 'result' : 'clarification',
    results,
    recommendation,
    alternatives: answer.alternatives.map(toResult),
    is_two_option,
    candidate_count,
    questions: questions.map((question) => ({ key: question.dimension, ...question })),
    relaxed,
    no_match,
    prerequisites: answer.prerequisites,
    timing,
    warnings,
  };
  return answered(data, recommendationLines(answer, 'search_tools_respond').text);
}

const FACETS: ReadonlySet<string> = new Set(Object.keys(facets));

/** The code of ToolPilot takes filters of any name: those that are facets here count, and the others are named in a warning. */
function wishesOf(filters: Readonly<Record<string, unknown>>) {
  const context: Record<string, string> = {};
  const ignored: string[] = [];
  for (const [key, value] of Object.entries(filters)) {
    const facet = key === 'deployment_model' ? 'deployment' : key;
    if (FACETS.has(facet) && typeof value === 'string') context[facet] = value;
    else ignored.push(key);
  }
  const warnings = ignored.map(
    (key) => `The filter ${showValue(key)} was ignored: Dowser filters by ${[...FACETS].join(', ')}.`,
  );
  return { context, warnings };
}

const searchTools = defineTool({
  name: 'search_tools',
  title: 'Recommend a tool',
  right: 'read',
  description: 'Find the best tool for a need. Facets in context narrow it and skip questions.',
  briefOutput: true,
  input: z.object({
    query: query.describe('What is needed, in words.'),
    context: z
      .union([z.object({ filters: z.record(z.string(), z.unknown()) }), facetFilterSchema])
      .optional()
      .describe(
        'language, category, license, deployment; also inside `filters`, where others are ignored with a warning.',
      ),
  }),
  output,
  async run(catalog, { query: need, context }) {
    const { context: wishes, warnings } =
      context !== undefined && 'filters' in context ? wishesOf(context.filters) : { context, warnings: [] };
    return timed(async () => {
      const answer = await catalog.recommend({ query: need, ...stated({ context: wishes }) });
      return { ...answer, warnings: [...answer.warnings, ...warnings] };
    });
  },
});

const respond = defineTool({
  name: 'search_tools_respond',
  title: 'Answer the questions of search_tools',
  right: 'read',
  description: 'Narrow the choice by answers, as a map or as a list of dimension and value.',
  briefOutput: true,
  input: z.object({
    query_id: z.string().max(64),
    answers: z.union([
      z.record(z.string(), z.string()),
      z.array(z.object({ dimension: z.string(), value: z.string() })),
    ]),
    done: z.boolean().default(false),
  }),
  output,
  run: (catalog, input) => timed(() => catalog.recommendRespond(input)),
});

type SubNeed = string | { readonly sub_need_type: string };
const roleOf = (need: SubNeed | undefined): string | undefined =>
  typeof need === 'object' ? need.sub_need_type : undefined;

/** Which version of a choice to take, and how it goes together with the others. */
function fitOf(path: string, pairs: readonly CompatibilityReport[]) {
  const own = pairs.filter(({ a, b }) => a === path || b === path);
  return {
    version: own.flatMap(({ versions }) => versions[path] ?? [])[0] ?? null,
    integration_notes: own.flatMap(({ why }) => why),
  };
}

const getStack = defineTool({
  name: 'get_stack',
  title: 'Choose a stack',
  right: 'read',
  description: 'One choice for each need of a use case, checked for compatibility with each other.',
  briefOutput: true,
  input: z.object({
    use_case: z.string().min(1).max(500),
    sub_needs: z
      .array(z.union([z.string(), z.object({ sub_need_type: z.string(), keyword_sentence: z.string() })]))
      .min(1)
      .max(8)
      .optional(),
    constraints: z
      .strictObject({ language: facets.language, license: facets.license, deployment_model: facets.deployment })
      .optional(),
    existing_tools: z.array(name).max(20).optional(),
    limit: z.int().min(1).max(10).default(5),
  }),
  output,
  async run(catalog, { use_case, sub_needs, limit, existing_tools, constraints: { deployment_model, ...given } = {} }) {
    const constraints = stated({ ...given, deployment: deployment_model });
    const more = stated({ sub_needs, existing_tools });
    const stack = await catalog.getStack({ use_case, constraints, limit, ...more });
    return asJson({
      use_case,
      stack: stack.layers.map(({ need, choice, alternatives, relaxed }, at) => ({
        role: roleOf(sub_needs?.[at]) ?? need,
        ...(choice === null ? { tool: null } : { ...toResult(choice), ...fitOf(choice.path, stack.compatibility) }),
        alternatives,
        relaxed,
      })),
      compatibility_matrix: stack.compatibility,
      stack_compatibility: stack.stack_compatibility,
      warnings: stack.warnings,
    });
  },
});

const compareTools = defineTool({
  name: 'compare_tools',
  title: 'Compare two tools',
  right: 'read',
  description: 'Facets, health and relations of two tools side by side.',
  briefOutput: true,
  input: z.object({ tool_a: name, tool_b: name }),
  output,
  run: async (catalog, { tool_a, tool_b }) => asJson({ ...(await catalog.compare({ entities: [tool_a, tool_b] })) }),
});

const checkCompatibility = defineTool({
  name: 'check_compatibility',
  title: 'Check whether two tools go together',
  right: 'read',
  description: 'compatible, conflicts, requires or unknown, with what says so: relations, or the versions that fit.',
  briefOutput: true,
  input: z.object({
    tool_a: name,
    tool_b: name,
    versions: z.object({ tool_a: version, tool_b: version }).optional(),
    version_a: version,
    version_b: version,
  }),
  output,
  async run(catalog, { tool_a, tool_b, versions, version_a = versions?.tool_a, version_b = versions?.tool_b }) {
    const asked = { a: tool_a, b: tool_b, version_a, version_b };
    const { a, b, verdict, source, why, partial, versions: fitting } = await catalog.compatible(asked);
    return asJson({ tool_a: a, tool_b: b, status: verdict, source, why, partial, versions: fitting });
  },
});

const reportOutcome = defineTool({
  name: 'report_outcome',
  title: 'Report how a choice went',
  right: 'write',
  description: 'Say whether the chosen tool worked, and what was used with it.',
  briefOutput: true,
  input: z.object({
    query_id: z.string().max(64).optional(),
    chosen_tool: name,
    outcome: z.enum(OUTCOMES),
    used_with: z.array(name).max(10).default([]),
  }),
  output,
  run: async (catalog, { query_id, ...input }) =>
    asJson({ ...(await catalog.reportOutcome({ ...input, ...(query_id === undefined ? {} : { query_id }) })) }),
});

/** In ToolPilot's order. */
export const TOOLPILOT_TOOLS = [
  searchTools,
  respond,
  getStack,
  compareTools,
  checkCompatibility,
  reportOutcome,
] as const as unknown as readonly McpTool[];
