import { z } from 'zod';
import type { EntityId } from './entity-id.ts';

/**
 * How two entities relate. The source comes first: A `REQUIRES` B, the output of A `PRODUCES_FOR` B, A `REPLACES` B. The
 * order is stored as a number: append only.
 */
export const EDGE_TYPES = [
  'REQUIRES',
  'PRODUCES_FOR',
  'INTEGRATES_WITH',
  'COMPATIBLE_WITH',
  'POPULAR_WITH',
  'REPLACES',
  'CONFLICTS_WITH',
  'RELATED_TO',
] as const;
export type EdgeType = (typeof EDGE_TYPES)[number];

/** Types that say the same in both directions. */
export const MUTUAL_TYPES: readonly EdgeType[] = [
  'INTEGRATES_WITH',
  'COMPATIBLE_WITH',
  'POPULAR_WITH',
  'CONFLICTS_WITH',
  'RELATED_TO',
];

/** Where an edge came from. A co-use report has its reporter behind the colon. */
export type Provenance = string;

/**
 * A relation between two nodes. A node is an entity, or a tool of a server under the id `tool:/server#tool`. Two edges with
 * the same source, target, type and provenance are one edge.
 */
export interface Edge {
  readonly source: EntityId;
  readonly target: EntityId;
  readonly type: EdgeType;
  /** At least 0. A count or a strength: shares of a node's edges are compared, not weights. */
  readonly weight: number;
  /** 0 to 1. */
  readonly confidence: number;
  /** The rate at which the weight decays, per day. 0: never. */
  readonly decay: number;
  /** When it was last known to hold, in milliseconds since 1970. Null: unknown, so it does not decay. */
  readonly verifiedAt: number | null;
  readonly provenance: Provenance;
  /** What a derived edge was derived from: a field, a tag, a path. Not stored. */
  readonly via?: string;
}

/** The same for two edges that are one. */
export const edgeKey = ({ source, target, type, provenance }: Edge): string =>
  JSON.stringify([source, target, type, provenance]);

const MS_PER_DAY = 86_400_000;

/** The weight of an edge now: it decays from the day on which the edge was last verified. */
export function decayedWeight({ weight, decay, verifiedAt }: Edge, now: number): number {
  if (verifiedAt === null || decay === 0) return weight;
  return weight * Math.exp((-decay * Math.max(0, now - verifiedAt)) / MS_PER_DAY);
}

/** The strength of an edge now. */
export const edgeStrength = (edge: Edge, now: number): number => decayedWeight(edge, now) * edge.confidence;

export const edgeTypeSchema = z
  .string()
  .transform((name) =>
    name
      .trim()
      .toUpperCase()
      .replaceAll(/[\s-]+/g, '_'),
  )
  .pipe(z.enum(EDGE_TYPES, `must be one of ${EDGE_TYPES.join(', ')}`));

const fromZero = z.number('must be a number from 0').min(0, 'must be a number from 0');
const share = z.number('must be from 0 to 1').min(0, 'must be from 0 to 1').max(1, 'must be from 0 to 1');
const date = z
  .string()
  .max(64)
  .refine((text) => !Number.isNaN(Date.parse(text)), 'must be a date, such as 2026-08-01');

/** The strength of a relation, wherever one is written. */
export const strengthFields = {
  weight: fromZero.default(1),
  confidence: share.default(1),
  decay: fromZero.default(0).describe('The decay of the weight per day, from `last_verified` on.'),
  last_verified: date.optional(),
};

/** The relations that an entity lists. */
export const relationSchema = z.object({
  type: edgeTypeSchema,
  target: z
    .string()
    .min(1, 'must not be empty')
    .max(1100)
    .describe('A path of the same type, or an id such as `mcp_server:/github` or `tool:/github#create_issue`.'),
  ...strengthFields,
});
export type Relation = z.output<typeof relationSchema>;

export function verifiedAtOf({ last_verified }: Pick<Relation, 'last_verified'>): number | null {
  return last_verified === undefined ? null : Date.parse(last_verified);
}

/** What a graph knows around one node. */
export interface Surroundings {
  readonly node: EntityId;
  /** Strongest first, without decay; then by the other end, type and provenance. */
  readonly edges: readonly Edge[];
  /** Of all edges of the node, also those left out of `edges`. */
  readonly degree: number;
  /** The sum of weight times confidence over the same edges. */
  readonly strength: number;
}

/** The end of an edge that is not `node`. */
export const otherEnd = ({ source, target }: Edge, node: EntityId): EntityId => (source === node ? target : source);

/** A total order: stronger first. */
export function compareEdges(a: Edge, b: Edge): number {
  const stronger = b.weight * b.confidence - a.weight * a.confidence;
  if (stronger !== 0) return stronger;
  for (const key of ['source', 'target', 'type', 'provenance'] as const) {
    if (a[key] !== b[key]) return a[key] < b[key] ? -1 : 1;
  }
  return 0;
}
