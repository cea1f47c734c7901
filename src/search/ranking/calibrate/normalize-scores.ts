/** `minmax`: best 1, worst 0, as the registry's documents have it. `ratio`: share of the best. */
export type NormalizeMode = 'minmax' | 'ratio';

/** A scaling `score * factor + offset` that takes a list of scores into [0, 1]. */
export interface Scaling {
  readonly factor: number;
  readonly offset: number;
}

/** How a list is scaled. All scores equal, or only one: every score becomes 1. */
export function scalingOf(scores: readonly number[], mode: NormalizeMode): Scaling {
  let max = Number.NEGATIVE_INFINITY;
  let min = Number.POSITIVE_INFINITY;
  for (const score of scores) {
    if (score > max) max = score;
    if (score < min) min = score;
  }
  if (mode === 'ratio') return max > 0 ? { factor: 1 / max, offset: 0 } : { factor: 0, offset: 1 };
  if (max === min) return { factor: 0, offset: 1 };
  const factor = 1 / (max - min);
  return { factor, offset: -min * factor };
}

/** Display precision of the registry's scores. */
export function roundScore(score: number): number {
  return Math.round(score * 10_000) / 10_000;
}
