import { z } from 'zod';
import { ENTITY_TYPES, type EntityType } from '../../model/entity.ts';
import { EDGE_TYPES, type Edge, edgeTypeSchema, strengthFields } from '../../model/entity-parts/edge.ts';

/** What a registry does with edges that are not part of an entity. */
export interface EdgeOperations {
  /**
   * Stores edges. One that cannot be used is skipped and reported: a missing end, an edge to itself, a bad number. The same
   * edge again replaces it.
   */
  putEdges(batch: EdgeBatch): Promise<EdgesReport>;
  /** Deletes all edges of one provenance. */
  deleteEdges(which: EdgesWhich): Promise<{ readonly deleted: number }>;
  /** The edges of one entity or of a tool of a server, strongest first. Throws NOT_FOUND. */
  relations(type: EntityType, path: string): Promise<RelationList>;
}

/** The largest batch of edges in one call. */
export const MAX_EDGE_BATCH = 10_000;
/** How many skipped edges a report names. */
export const MAX_NAMED_SKIPS = 20;

const provenance = z
  .string()
  .max(200)
  .regex(/^import:./, "must begin with 'import:', such as import:edges.jsonl");

export const edgeInputSchema = z.object({
  source: z.string().min(1, 'must not be empty').max(1100).describe('A path, or an id such as `mcp_server:/github`.'),
  target: z.string().min(1, 'must not be empty').max(1100),
  type: edgeTypeSchema,
  ...strengthFields,
});

export const edgeBatchSchema = z.strictObject({
  edges: z
    .array(z.unknown(), 'must be a list of edges')
    .max(MAX_EDGE_BATCH, `must have at most ${MAX_EDGE_BATCH} edges`)
    .readonly(),
  provenance: provenance.default('import:api').describe('Where the edges come from. Delete them by this name.'),
});
/** Relations to store. */
export type EdgeBatch = Readonly<z.input<typeof edgeBatchSchema>>;

export const edgesWhichSchema = z.strictObject({ provenance });
export type EdgesWhich = Readonly<z.input<typeof edgesWhichSchema>>;

export const edgesReportSchema = z.object({
  stored: z.int(),
  skipped: z.int(),
  first_skipped: z
    .array(z.object({ index: z.int(), message: z.string() }))
    .describe(`Why, for the first ${MAX_NAMED_SKIPS}.`),
});
/** What became of relations to store. */
export type EdgesReport = Readonly<z.output<typeof edgesReportSchema>>;

export const relationListSchema = z.object({
  entity_type: z.enum(ENTITY_TYPES),
  path: z.string(),
  relations: z.array(
    z.object({
      relation: z.enum(EDGE_TYPES),
      direction: z.enum(['out', 'in']).describe('`out`: the entity is the source.'),
      entity_type: z.enum(ENTITY_TYPES),
      path: z.string(),
      name: z.string(),
      weight: z.number().describe('After decay.'),
      confidence: z.number(),
      provenance: z.string(),
      why: z.string(),
    }),
  ),
  warnings: z.array(z.string()),
});
/** The relations of an entity. */
export type RelationList = z.output<typeof relationListSchema>;

/** Edges between entities of one type. */
export interface TypeEdges {
  /** Each once. Those of the first path first, strongest first. */
  readonly edges: readonly Edge[];
  /** What is missing: a graph store did not answer, or an entity has too many edges. */
  readonly warnings: readonly string[];
}
