import type { EntityId } from '../model/entity.ts';
import { type Edge, type EdgeType, edgeStrength, otherEnd, type Surroundings } from '../model/entity-parts/edge.ts';

/** A result whose set is completed. */
export interface FoundNodes {
  /** The result and, of a server, its matching tools. */
  readonly nodes: readonly EntityId[];
  /** Those of them that the answer shows. */
  readonly shown: readonly EntityId[];
  /** Its share of the best score. */
  readonly relevance: number;
}

export type SetRole = 'needed_first' | 'used_with';

/** Something that belongs to the results. */
export interface SetMember {
  readonly node: EntityId;
  readonly role: SetRole;
  /** 0 to 1: the chance that it belongs to them, taking edges as independent. */
  readonly score: number;
  /** The strongest edge. */
  readonly edge: Edge;
}

/** Edges that complete a set, with what they count. What replaces or excludes a result does not belong to it. */
const COUNTS: Readonly<Partial<Record<EdgeType, number>>> = {
  REQUIRES: 1,
  PRODUCES_FOR: 1,
  POPULAR_WITH: 1,
  INTEGRATES_WITH: 0.8,
  COMPATIBLE_WITH: 0.5,
  RELATED_TO: 0.2,
};
export const COMPLETING_TYPES = Object.keys(COUNTS) as readonly EdgeType[];

/** As in the ranking: one weak edge is not all of a node's edges. */
const PRIOR_STRENGTH = 3;

interface Evidence {
  alone: number;
  strongest: number;
  edge: Edge;
  neededFirst: boolean;
}

/** What the results need first and what is used with them, likeliest first. Nothing that is a result itself. */
export function completeSet(
  results: readonly FoundNodes[],
  around: ReadonlyMap<EntityId, Surroundings>,
  now: number,
): readonly SetMember[] {
  const shown = new Set(results.flatMap(({ shown }) => shown));
  const found = new Map<EntityId, Evidence>();
  for (const { nodes, relevance } of results) {
    for (const node of nodes) {
      const surroundings = around.get(node);
      if (surroundings === undefined) continue;
      for (const edge of surroundings.edges) {
        const other = otherEnd(edge, node);
        const counts = COUNTS[edge.type];
        if (counts === undefined || shown.has(other)) continue;
        const share = (counts * edgeStrength(edge, now)) / (surroundings.strength + PRIOR_STRENGTH);
        const chance = Math.min(1, relevance * relevance * share);
        if (chance > 0) add(found, other, { chance, edge, neededFirst: isNeededFirst(edge, node) });
      }
    }
  }
  return [...found]
    .map(
      ([node, { alone, edge, neededFirst }]): SetMember => ({
        node,
        role: neededFirst ? 'needed_first' : 'used_with',
        score: 1 - alone,
        edge,
      }),
    )
    .sort((a, b) => b.score - a.score || (a.node < b.node ? -1 : 1));
}

function add(
  found: Map<EntityId, Evidence>,
  node: EntityId,
  { chance, edge, neededFirst }: { chance: number; edge: Edge; neededFirst: boolean },
): void {
  const known = found.get(node);
  if (known === undefined) {
    found.set(node, { alone: 1 - chance, strongest: chance, edge, neededFirst });
    return;
  }
  known.alone *= 1 - chance;
  if (chance <= known.strongest) return;
  found.set(node, { alone: known.alone, strongest: chance, edge, neededFirst });
}

/** Whether the other end comes before the node. */
function isNeededFirst({ type, source, target }: Edge, node: EntityId): boolean {
  return (type === 'REQUIRES' && source === node) || (type === 'PRODUCES_FOR' && target === node);
}
