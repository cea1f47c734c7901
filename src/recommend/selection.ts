import type { Stability } from '../model/entity-parts/entity-health.ts';

export interface Selectable {
  readonly score: number;
  readonly stability: Stability;
}

/** ToolPilot gives two options if the first is less than a fifth better. */
const MAX_RATIO = 1.2;

/**
 * How many options to give: two if their scores are near and one is stable and the other emerging, else one. ToolPilot labels
 * the second option emerging by its place; here both labels come from their health.
 */
export function optionCount(ranked: readonly Selectable[]): 0 | 1 | 2 {
  const [first, second] = ranked;
  if (first === undefined) return 0;
  if (second === undefined || second.score <= 0 || first.score / second.score >= MAX_RATIO) return 1;
  const kinds = new Set([first.stability, second.stability]);
  return kinds.has('stable') && kinds.has('emerging') ? 2 : 1;
}

export interface ScoredMatch {
  readonly relevance_score: number;
  readonly confidence: number;
}

/** An option with less than this share of the best confidence loses score in proportion. */
const ENOUGH_CONFIDENCE = 0.5;

/**
 * The options with the scores of a choice, best first. The graph raises what is used with a good match, and that may be no
 * match itself: a database beside the ORM that was asked for. Its confidence says so. Equal scores keep their order.
 */
export function bestFitFirst<T extends ScoredMatch>(found: readonly T[]): readonly T[] {
  const best = found.reduce((most, { confidence }) => Math.max(most, confidence), 0);
  const enough = ENOUGH_CONFIDENCE * best;
  return found
    .map((one) => (one.confidence >= enough ? one : { ...one, relevance_score: fitOf(one, enough) }))
    .sort((a, b) => b.relevance_score - a.relevance_score);
}

const fitOf = ({ relevance_score, confidence }: ScoredMatch, enough: number): number =>
  Math.round(((relevance_score * confidence) / enough) * 10_000) / 10_000;
