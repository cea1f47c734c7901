import { z } from 'zod';
import { facetFilterSchema, unknownFacet } from '../../model/entity-parts/facets.ts';
import { stated } from '../../model/json/json-object.ts';
import { ellipsed } from '../../model/text/token-count.ts';
import type {
  Option,
  Recommendation,
  RecommendRequest,
  RespondRequest,
} from '../../registry/contract/recommend-schemas.ts';
import { defineTool, type ToolAnswer } from '../catalog/mcp-tool.ts';
import { instructionWarnings, NO_MATCH, oneLine, queryField, warningsField } from '../items/fields.ts';
import { fitMembers, setMembersSchema } from '../items/set-members.ts';

const optionSchema = z.object({
  path: z.string(),
  kind: z.string(),
  description: z.string(),
  stability: z.string(),
  reasons: z.array(z.string()),
});

const output = z.object({
  query_id: z.string().describe('For recommend_respond.'),
  status: z.string(),
  recommendations: z.array(optionSchema),
  alternatives: z.array(z.string()).describe('Paths.'),
  questions: z.array(z.object({ dimension: z.string(), question: z.string(), options: z.array(z.string()) })),
  relaxed: z.array(z.string()).describe('Wishes that were dropped to find something.'),
  no_match: z.boolean(),
  prerequisites: setMembersSchema.describe('What completes the choice.'),
  warnings: warningsField,
});

/** Briefly, because every client pays for it: the registry checks what is inside. */
const texts = z.record(z.string(), z.string());

export const recommend = defineTool({
  name: 'recommend',
  title: 'Recommend',
  right: 'read',
  description: 'Choose a tool, package, server, agent or skill for a need, with prerequisites.',
  briefOutput: true,
  input: z.strictObject({
    query: queryField,
    context: z
      .strictObject({ ...facetFilterSchema.shape, filters: texts.optional() }, { error: unknownFacet })
      .describe('Wishes. They skip questions.')
      .optional(),
  }),
  output,
  async run(catalog, { query, context }) {
    const wishes = stated({ ...context }) as RecommendRequest['context'];
    return toAnswer(await catalog.recommend({ query, ...(context === undefined ? {} : { context: wishes }) }));
  },
});

export const recommendRespond = defineTool({
  name: 'recommend_respond',
  title: 'Answer a question of recommend',
  right: 'read',
  description: 'Narrow a recommendation by answers.',
  briefOutput: true,
  input: z.strictObject({
    query_id: z.string().max(64),
    answers: z.union([texts, z.array(texts)]).describe('By dimension.'),
    done: z.boolean().default(false).describe('Ask no more.'),
  }),
  output,
  run: async (catalog, input) => toAnswer(await catalog.recommendRespond(input as RespondRequest)),
});

const MAX_DESCRIPTION = 160;

function toOption({ path, entity_type, description, stability, reasons }: Option): z.output<typeof optionSchema> {
  return { path, kind: entity_type, description: ellipsed(oneLine(description), MAX_DESCRIPTION), stability, reasons };
}

/** The text of a recommendation. `respond` is the tool for answers. */
export function recommendationLines(answer: Recommendation, respond: string) {
  const { query_id, recommendations, alternatives, questions, relaxed, prerequisites } = answer;
  const flagged = recommendations.flatMap(({ path, name, description }) =>
    instructionWarnings(path, name, description),
  );
  const warnings = [...answer.warnings, ...flagged];
  const options = recommendations.map(toOption);
  const lines = [
    ...(options.length === 0 ? [NO_MATCH] : []),
    ...options.map(({ path, kind, description, stability, reasons }, at) => {
      const label = stability === 'unknown' ? kind : `${kind}, ${stability}`;
      return `${at + 1}. ${oneLine(path)} (${label}): ${description}\n   ${reasons.map(oneLine).join('; ')}`;
    }),
    ...(alternatives.length === 0 ? [] : [`Alternatives: ${alternatives.map(({ path }) => oneLine(path)).join(', ')}`]),
    ...(relaxed.length === 0 ? [] : [`Nothing matches every wish. Dropped: ${relaxed.join(', ')}.`]),
    ...questions.map(({ dimension, question, options: values }) => {
      return `Question (${dimension}): ${question} ${values.map(oneLine).join(', ')}`;
    }),
    ...(questions.length === 0 ? [] : [`Answer with ${respond}, query_id ${query_id}.`]),
    ...warnings.map((warning) => `Note: ${warning}`),
  ];
  return { options, warnings, ...fitMembers(prerequisites, lines.join('\n')) };
}

function toAnswer(answer: Recommendation): ToolAnswer<z.output<typeof output>> {
  const { query_id, status, alternatives, questions, relaxed, no_match } = answer;
  const { options, warnings, members, text } = recommendationLines(answer, 'recommend_respond');
  const structured = {
    query_id,
    status,
    recommendations: options,
    alternatives: alternatives.map(({ path }) => path),
    questions: questions.map(({ dimension, question, options: values }) => ({
      dimension,
      question,
      options: [...values],
    })),
    relaxed,
    no_match,
    prerequisites: members,
    warnings,
  };
  return { structured, text };
}
