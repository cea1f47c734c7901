import type { Stability } from '../model/entity-health.ts';

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
