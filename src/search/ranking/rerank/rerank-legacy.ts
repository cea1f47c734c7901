import { type Explanation, leaf, scaled, sum } from '../../../model/answer/explanation.ts';
import type { EntityId } from '../../../model/entity.ts';
import { decayedWeight, type EdgeType, otherEnd } from '../../../model/entity-parts/edge.ts';
import { bestCandidatesFirst } from '../candidates/best-candidates.ts';
import { type Candidate, rescored } from '../candidates/candidate.ts';
import { type GraphLinks, nodesOf } from '../candidates/graph-links.ts';

/** ToolPilot's weights of the graph and of the place in stage 2. */
export const LEGACY_WEIGHTS = { graph: 0.6, relevance: 0.4 } as const;
/** ToolPilot passes this many results on to its graph stage. */
export const LEGACY_SIZE = 15;
const COUNTED: ReadonlySet<EdgeType> = new Set([
  'COMPATIBLE_WITH',
  'INTEGRATES_WITH',
  'POPULAR_WITH',
  'REPLACES',
  'RELATED_TO',
]);

/** Both lists divided by their largest value, or by 1 if that is larger, and added. */
export function legacyScores(graph: readonly number[], relevance: readonly number[]): readonly number[] {
  const graphMax = Math.max(1, ...graph);
  const relevanceMax = Math.max(1, ...relevance);
  return graph.map(
    (score, at) =>
      (LEGACY_WEIGHTS.graph * score) / graphMax + (LEGACY_WEIGHTS.relevance * relevance[at]!) / relevanceMax,
  );
}

/**
 * ToolPilot's stage 3 to the letter: the sum of the edges to other results, and 1 / (rank + 1) as relevance. Every search
 * finds the results that count (`LEGACY_SIZE`), so they have one depth.
 */
export function rerankLegacy(candidates: readonly Candidate[], links: GraphLinks): readonly Candidate[] {
  const first = candidates.slice(0, LEGACY_SIZE);
  const nodes = first.map(nodesOf);
  const places = new Map<EntityId, number>();
  for (const [at, own] of nodes.entries()) for (const node of own) places.set(node, at);
  const graph = first.map((_, at) => {
    let total = 0;
    for (const node of nodes[at]!) {
      for (const edge of links.around.get(node)?.edges ?? []) {
        const other = places.get(otherEnd(edge, node));
        if (other !== undefined && other !== at && COUNTED.has(edge.type)) total += decayedWeight(edge, links.now);
      }
    }
    return total;
  });
  const relevance = first.map((_, at) => 1 / (at + 1));
  const scores = legacyScores(graph, relevance);
  return bestCandidatesFirst(
    first.map((candidate, at) => {
      const relevant = LEGACY_WEIGHTS.relevance * relevance[at]!;
      const explain =
        candidate.explain &&
        (() =>
          sum('graph', [leaf('edges', scores[at]! - relevant, { sum: graph[at]! }), shareOf(candidate, relevant)]));
      return rescored(candidate, scores[at]!, explain, 0);
    }),
  );
}

/** What the legs gave, scaled to the share that the place of the candidate has. */
function shareOf({ explain, score }: Candidate, share: number): Explanation {
  return explain === undefined || score === 0 ? leaf('rank', share) : scaled(explain(), share / score);
}
