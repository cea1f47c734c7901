import { z } from 'zod';
import { EDGE_TYPES } from '../../model/entity-parts/edge.ts';
import { nonEmpty } from '../../model/entity-types/fields.ts';

export const GRAPH_ACTIONS = ['connected', 'path', 'subgraph', 'infer', 'suggest'] as const;

/** How two memories relate: by what they say about each other, or by an edge of the graph. */
export const MEMORY_RELATIONS = [
  'supersedes',
  'derived_from',
  ...EDGE_TYPES.map((type) => type.toLowerCase() as Lowercase<typeof type>),
] as const;
export type MemoryRelation = (typeof MEMORY_RELATIONS)[number];

/** What the memory service calls some of them. */
const OTHER_NAMES: Readonly<Record<string, MemoryRelation>> = {
  related: 'related_to',
  contradicts: 'conflicts_with',
  follows: 'supersedes',
};

const relation = z
  .string()
  .transform((name) => {
    const folded = name
      .trim()
      .toLowerCase()
      .replaceAll(/[\s-]+/g, '_');
    return Object.hasOwn(OTHER_NAMES, folded) ? OTHER_NAMES[folded]! : folded;
  })
  .pipe(z.enum(MEMORY_RELATIONS, `must be one of ${MEMORY_RELATIONS.join(', ')}`));

const hops = (max: number, standard: number) =>
  z
    .int(`must be a whole number from 1 to ${max}`)
    .min(1, `must be from 1 to ${max}`)
    .max(max, `must be from 1 to ${max}`)
    .default(standard);
const hash = nonEmpty(512);

export const memoryGraphSchema = z.strictObject({
  action: z.enum(GRAPH_ACTIONS, `must be one of ${GRAPH_ACTIONS.join(', ')}`),
  hash: hash.optional().describe('The memory. Needed by every action but `path`.'),
  hash1: hash.optional().describe('With `path`: where it begins.'),
  hash2: hash.optional().describe('With `path`: where it ends.'),
  max_hops: hops(10, 2).describe('With `connected`.'),
  max_depth: hops(20, 5).describe('With `path`: the most steps.'),
  radius: hops(10, 2).describe('With `subgraph`.'),
  rel_type: relation.optional().describe('Follow relations of this type only.'),
});
export type MemoryGraphRequest = z.input<typeof memoryGraphSchema>;

const edge = z.object({
  source: z.string(),
  target: z.string(),
  relation: z.enum(MEMORY_RELATIONS),
  weight: z.number(),
  confidence: z.number(),
  provenance: z.string(),
});
export type MemoryEdge = z.output<typeof edge>;

const shared = {
  success: z.literal(true),
  warnings: z.array(z.string()).describe('What is missing, such as nodes beyond the limit.'),
};
const likely = z.object({
  hash: z.string(),
  relation: z.enum(MEMORY_RELATIONS),
  why: z.string(),
});

export const memoryGraphAnswerSchema = z.discriminatedUnion('action', [
  z.object({
    action: z.literal('connected'),
    hash: z.string(),
    connected: z.array(z.object({ hash: z.string(), distance: z.int() })).describe('Nearest first.'),
    count: z.int(),
    ...shared,
  }),
  z.object({
    action: z.literal('path'),
    path: z.array(z.string()).nullable().describe('From the first memory to the second. Null: there is none.'),
    length: z.int().describe('How many memories are on the path.'),
    ...shared,
  }),
  z.object({
    action: z.literal('subgraph'),
    hash: z.string(),
    nodes: z.array(z.string()),
    edges: z.array(edge),
    node_count: z.int(),
    edge_count: z.int(),
    ...shared,
  }),
  z.object({
    action: z.literal('infer'),
    hash: z.string(),
    inferred: z.array(likely).describe('Follows from what is stored: the same conversation, a rare tag.'),
    count: z.int(),
    ...shared,
  }),
  z.object({
    action: z.literal('suggest'),
    hash: z.string(),
    suggestions: z.array(likely.extend({ similarity: z.number() })).describe('Most similar first. Nothing is stored.'),
    count: z.int(),
    ...shared,
  }),
]);
export type MemoryGraphAnswer = z.output<typeof memoryGraphAnswerSchema>;
