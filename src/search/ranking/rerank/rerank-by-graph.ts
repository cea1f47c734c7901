import { leaf, scaled, sum } from '../../../model/answer/explanation.ts';
import type { EntityId } from '../../../model/entity.ts';
import { type EdgeType, edgeStrength, otherEnd } from '../../../model/entity-parts/edge.ts';
import { bestCandidatesFirst } from '../candidates/best-candidates.ts';
import { type Candidate, rescored } from '../candidates/candidate.ts';
import { type GraphLinks, nodesOf } from '../candidates/graph-links.ts';

/**
 * How much an edge says that two things are used together. What replaces something or conflicts with it is not used with
 * it; a thing that is only related hardly more than others.
 */
const AFFINITY: Readonly<Record<EdgeType, number>> = {
  REQUIRES: 0.5,
  PRODUCES_FOR: 1,
  INTEGRATES_WITH: 0.8,
  COMPATIBLE_WITH: 0.5,
  POPULAR_WITH: 1,
  REPLACES: 0,
  CONFLICTS_WITH: 0,
  RELATED_TO: 0.2,
};

// Chosen on the train and dev parts of two collections of tools with edges: see docs/quality.md.
/** The best results, whose neighbors gain. */
const SEEDS = 10;
/** The most that a result gains, as a share of the best score. */
const MAX_GAIN = 0.45;
/** The affinity that gives half of it. */
const HALF_GAIN = 0.25;
/** A result with a smaller share of the best score gains less: relevance is the gate. */
const FULL_GAIN_FROM = 0.4;
/** Strength that every node is taken to have besides, so that a single weak edge is not all of its edges. */
const PRIOR_STRENGTH = 3;
/** A node with more edges is a hub: an edge to it says less, and from so many edges on nothing. */
const HUB_DEGREE = 100;
const MAX_DEGREE = 200;

/**
 * Raises results that are used together with the best ones. The gain is bounded and saturates, is small for what is hardly
 * relevant, and counts the share of a result's edges, so that popular things do not win by their number of edges. Without
 * edges between the results nothing changes.
 */
export function rerankByGraph(candidates: readonly Candidate[], links: GraphLinks): readonly Candidate[] {
  const top = candidates[0]?.score ?? 0;
  if (top <= 0 || links.around.size === 0) return candidates;
  const affinities = affinitiesOf(candidates, links, top);
  if (affinities.every((affinity) => affinity === 0)) return candidates;
  const gains = candidates.map(({ score }, at) => {
    const affinity = affinities[at]!;
    const gate = Math.min(1, Math.max(0, score) / top / FULL_GAIN_FROM);
    return (MAX_GAIN * top * gate * affinity) / (affinity + HALF_GAIN);
  });
  // Scores stay within their range: the best one keeps its score.
  let best = top;
  for (const [at, { score }] of candidates.entries()) best = Math.max(best, score + gains[at]!);
  const factor = top / best;
  const raised = candidates.map((candidate, at) => {
    const { explain, score } = candidate;
    const gain = gains[at]! * factor;
    const explained =
      explain &&
      (() => {
        const relevance = scaled(explain(), factor);
        return gain === 0
          ? relevance
          : sum('graph', [relevance, leaf('used together', gain, { affinity: affinities[at]! })]);
      });
    return rescored(candidate, score * factor + gain, explained);
  });
  return bestCandidatesFirst(raised);
}

/** For each result: the probability that it is used with one of the best, taking their edges as independent. */
function affinitiesOf(candidates: readonly Candidate[], links: GraphLinks, top: number): readonly number[] {
  const nodes = candidates.map(nodesOf);
  const places = new Map<EntityId, number>();
  for (const [at, own] of nodes.entries()) for (const node of own) places.set(node, at);
  const alone = new Float64Array(candidates.length).fill(1);
  const most = new Float64Array(candidates.length);
  for (let seed = 0; seed < Math.min(SEEDS, candidates.length); seed++) {
    const relevance = Math.max(0, candidates[seed]!.score) / top;
    for (const node of nodes[seed]!) {
      const surroundings = links.around.get(node);
      if (surroundings === undefined) continue;
      for (const edge of surroundings.edges) {
        const other = otherEnd(edge, node);
        const at = places.get(other);
        if (at === undefined || at === seed) continue;
        const share = edgeStrength(edge, links.now) / (surroundings.strength + PRIOR_STRENGTH);
        // Of the joined chance, not of each edge: many small chances would still add up to a large one.
        most[at] = Math.max(most[at]!, hubFactor(links.around.get(other)?.degree ?? 1));
        alone[at]! *= 1 - Math.min(1, relevance * relevance * share * AFFINITY[edge.type]);
      }
    }
  }
  return Array.from(alone, (chance, at) => most[at]! * (1 - chance));
}

/** 1 up to `HUB_DEGREE` edges, then less, 0 from `MAX_DEGREE` on. */
const hubFactor = (degree: number): number =>
  Math.min(1, Math.max(0, (MAX_DEGREE - degree) / (MAX_DEGREE - HUB_DEGREE)));
